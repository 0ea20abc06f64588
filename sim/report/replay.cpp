#include "report/replay.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"
#include "report/trace_file.hpp"
#include "report/words.hpp"
#include "scenario/scenario.hpp"
#include "world/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ronde::sim {
namespace {

/// The plan that a tape or a trace holds.
Read<WorldPlan> plan_in(std::string const& path, std::string_view toml) {
    if (toml.empty())
        return tl::unexpected(fmt::format("{}: holds no plan, from which its world could be made again", path));
    auto plan = read_scenario(toml, path + " (its plan)");
    if (!plan)
        return plan;
    if (auto const why = contradiction_in(*plan); !why.empty())
        return tl::unexpected(fmt::format("{}: its plan contradicts itself: {}", path, why));
    return plan;
}

std::string about_run(std::string const& path, std::string_view what, WorldPlan const& plan) {
    return fmt::format("{}: {} of {} ({}, seed {})", path, what, plan.name, plural(plan.nranks, "rank"), plan.seed);
}

std::string about_time(TimeNs at_ns) {
    return at_ns < protocol::kMicrosecondNs ? about(at_ns) : fmt::format("{} ({} ns)", about(at_ns), at_ns);
}

std::string two_sides(std::string_view recorded, std::string_view now) {
    return fmt::format("  recorded  {}\n  now       {}\n", recorded, now);
}

// --- traces ---------------------------------------------------------------------------------------------------------

/// Holds the lines that a world makes against those of a file.
class TraceComparer final : public TraceLines {
public:
    TraceComparer(TraceFile& file, WorldPlan const& plan) : TraceLines(plan), file_(file), plan_(plan) {}

    /// Where and how they part; empty as long as they do not.
    [[nodiscard]] std::string const& difference() const noexcept { return difference_; }

private:
    void take(Line const& line) override {
        if (!difference_.empty())
            return;
        // The last line of a file never equals a line before the end, so there is always a next one.
        std::string const recorded = file_.next().value_or("nothing");
        if (recorded == line.text)
            return;
        std::string const who =
            line.process == kNoProcess ? std::string() : ", " + process_name(line.process, plan_.nranks, plan_.nroots);
        difference_ = fmt::format("differs in step {} at {}{} (line {})\n{}{}", line.step, about_time(line.at_ns), who,
                                  file_.line_number(), two_sides(recorded, line.text), hint(recorded, line.text));
    }

    /// The last word is a digest: of the state, where all other words are equal.
    static std::string_view hint(std::string_view recorded, std::string_view now) {
        if (recorded.substr(0, recorded.rfind(' ')) != now.substr(0, now.rfind(' ')))
            return {};
        return "  the step is the same, and the state that it left is another\n";
    }

    TraceFile& file_;
    WorldPlan const& plan_;
    std::string difference_;
};

// --- tapes ----------------------------------------------------------------------------------------------------------

/// Looks at the clock when a tape stops fitting.
class FitWatcher final : public Oracle {
public:
    explicit FitWatcher(TapeOracle& tape) : tape_(tape) {}
    void look_at(World const& world) { world_ = &world; }
    [[nodiscard]] TimeNs misfit_ns() const noexcept { return misfit_ns_; }

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override {
        bool const fitted = !tape_.misfit();
        std::uint32_t const picked = tape_.pick(kind, key, n);
        if (fitted && tape_.misfit() && world_ != nullptr)
            misfit_ns_ = world_->now_ns();
        return picked;
    }

private:
    TapeOracle& tape_;
    World const* world_ = nullptr;
    TimeNs misfit_ns_ = 0;
};

/// Why the choices of the tape are not those that the run has asked for, or nothing.
std::string misfit_text(TapeOracle const& oracle, TimeNs misfit_ns, std::size_t taped) {
    if (auto const& misfit = oracle.misfit())
        return fmt::format(
            "choice {} at {}\n{}", misfit->entry + 1, about_time(misfit_ns),
            two_sides(
                fmt::format("{} of {}, key {:#x}", name_of(misfit->taped.kind), misfit->taped.n, misfit->taped.key),
                fmt::format("{} of {}, key {:#x}", name_of(misfit->asked), misfit->asked_n, misfit->asked_key)));
    std::size_t const made = oracle.tape().entries.size();
    if (made == taped)
        return {};
    return fmt::format("choice {}, behind the last of the shorter run\n{}", std::min(made, taped) + 1,
                       two_sides(plural(taped, "choice"), plural(made, "choice")));
}

std::string_view verdict_of(Outcome const& outcome) { return stands(outcome) ? "ready" : "failed"; }

WorldReplay compared(std::string const& head, TapeOutcome const& recorded, Outcome const& outcome,
                     std::string const& misfit, std::size_t choices) {
    if (!misfit.empty())
        return {false, fmt::format("{}: differs in {}", head, misfit)};
    if (outcome.digest != recorded.run)
        return {false, fmt::format("{}: {} fit, and their run is another\n{}", head, plural(choices, "choice"),
                                   two_sides("digest " + to_text(recorded.run), "digest " + to_text(outcome.digest)))};
    return {true, fmt::format("{}: {}, {} steps, the same; {}\n", head, plural(choices, "choice"), outcome.steps,
                              verdict_of(outcome))};
}

WorldReplay told(std::string const& head, Outcome const& outcome, std::string const& misfit, std::size_t choices) {
    std::string text = fmt::format("{}: {}, changed since they were recorded; {}, digest {}\n", head,
                                   plural(choices, "choice"), verdict_of(outcome), to_text(outcome.digest));
    if (!misfit.empty())
        text += fmt::format("the seed goes on where they do not fit any more: {}", misfit);
    return {true, text};
}

}  // namespace

tl::expected<WorldReplay, std::string> replay_trace(std::string const& path) {
    auto file = TraceFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    auto const plan = plan_in(path, file->plan());
    if (!plan)
        return tl::unexpected(plan.error());

    TraceComparer comparer(*file, *plan);
    SeededOracle seeded(plan->seed);
    TapeOracle taped = TapeOracle::replay(Tape{plan->seed, {}, file->choices()}, &seeded);
    TracedOracle traced(taped, comparer);
    bool const by_seed = file->choices().empty();
    World world(*plan, by_seed ? nullptr : &traced);
    world.watch(comparer);
    while (comparer.difference().empty() && world.advance()) {
    }
    if (comparer.difference().empty())
        comparer.finish();

    std::string const head = about_run(path, "trace", *plan);
    if (!comparer.difference().empty())
        return WorldReplay{false, fmt::format("{}: {}", head, comparer.difference())};
    return WorldReplay{true, fmt::format("{}: {} steps, the same\n", head, file->steps())};
}

tl::expected<WorldReplay, std::string> replay_tape(std::string const& path) {
    auto const tape = load_tape(path);
    if (!tape)
        return tl::unexpected(tape.error());
    auto const plan = plan_in(path, tape->plan);
    if (!plan)
        return tl::unexpected(plan.error());

    SeededOracle seeded(plan->seed);
    TapeOracle oracle = TapeOracle::replay(*tape, &seeded);
    FitWatcher watcher(oracle);
    World world(*plan, &watcher);
    watcher.look_at(world);
    Outcome const outcome = world.run();

    std::string const head = about_run(path, "tape", *plan);
    std::size_t const choices = tape->entries.size();
    std::string const misfit = misfit_text(oracle, watcher.misfit_ns(), choices);
    bool const as_recorded = tape->outcome && tape->outcome->choices == choices_digest(*tape);
    return as_recorded ? compared(head, *tape->outcome, outcome, misfit, choices)
                       : told(head, outcome, misfit, choices);
}

}  // namespace ronde::sim
