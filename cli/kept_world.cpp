#include "cli/kept_world.hpp"

#include "chronicle/world_chronicler.hpp"
#include "cli/failure_picture.hpp"
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"
#include "scenario/scenario.hpp"
#include "storm/storm_svg.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace ronde::cli {
namespace {

/// A trace that ends where it would become too long for anybody.
class BoundedTrace final : public sim::TraceLines {
public:
    BoundedTrace(std::string const& path, sim::WorldPlan const& plan) : TraceLines(plan), file_(path) {
        std::string const head = sim::trace_head(plan);
        write(head);
        for (std::string_view rest = head; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
            absorb_line(lines_, rest.substr(0, rest.find('\n')));
    }
    /// Puts it in its place; false: it was too long.
    bool commit() {
        finish();
        if (bytes_ > kMostTraceBytes)
            return false;
        if (!file_.commit())
            throw LauncherError("--out: " + file_.error());
        return true;
    }

private:
    void take(Line const& line) override {
        if (bytes_ > kMostTraceBytes)
            return;
        absorb_line(lines_, line.text);
        write(line.text);
        if (line.text.starts_with("end "))
            write(fmt::format(" text {}", trace_text_digest(lines_)));
        write("\n");
    }
    void write(std::string_view text) {
        file_.write(text);
        bytes_ += text.size();
    }

    sim::AtomicFile file_;
    sim::RunningDigest lines_;
    std::size_t bytes_ = 0;
};

/// Choices of a tape and then the seed's, or the seed's alone.
class Choices {
public:
    explicit Choices(PlayedWorld const& world)
        : seeded_(world.plan.seed),
          taped_(world.choices == nullptr
                     ? sim::TapeOracle::record(seeded_)
                     : sim::TapeOracle::replay(*world.choices, world.first_ones_follow ? nullptr : &seeded_)) {}
    [[nodiscard]] sim::Oracle& oracle() { return taped_; }
    /// All of them, as a file that is a run by itself.
    [[nodiscard]] sim::Tape tape(sim::WorldPlan const& plan, sim::Digest128 const& digest) const {
        sim::Tape tape = taped_.tape();
        tape.seed = plan.seed;
        tape.note = fmt::format("{}, {}", plan.name, sim::plural(plan.nranks, "rank"));
        tape.plan = write_scenario(plan);
        tape.outcome = sim::TapeOutcome{digest, choices_digest(tape)};
        return tape;
    }

private:
    sim::SeededOracle seeded_;
    sim::TapeOracle taped_;
};

void add_words(viz::Chronicle& chronicle, PlayedWorld const& world) {
    chronicle.source = fmt::format("{}, seed {}", world.plan.name, world.plan.seed);
    chronicle.rerun = world.rerun;
    if (world.verdict.empty())
        return;
    chronicle.verdict = world.verdict;
    chronicle.subtitle = world.verdict;
    chronicle.ready = false;
}

std::string keep_pictures(RunFolder& folder, viz::Chronicle const& chronicle) {
    Picture const ring = ring_picture(chronicle);
    folder.put(ring.file, ring.text, ring.about);
    viz::StormNumbers const numbers = storm_numbers(chronicle);
    folder.put("storm.svg", storm_svg(chronicle, numbers),
               "what the root's listener went through, and time in each phase");
    folder.put("storm.csv", storm_csv(numbers), "the numbers of storm.svg");
    bool const small = chronicle.nranks + chronicle.nroots <= viz::kMostLifelines;
    if (!small && chronicle.ready && chronicle.has_steps) {
        folder.leave_out("sequence.svg", fmt::format("{} ranks are too many for one; some of them: ronde draw sequence "
                                                     "scenario.toml --ranks 0,1 -o sequence.svg",
                                                     chronicle.nranks));
        return folder.place(ring.file);
    }
    auto const sequence = sequence_picture(chronicle);
    if (!sequence)
        folder.leave_out("sequence.svg", sequence.error());
    else
        folder.put(sequence->file, sequence->text, sequence->about);
    if (sequence && small)
        return folder.place(sequence->file);
    return folder.place(ring.file);
}

/// A line of progress on a terminal: a large world is played for as long as it was the first time.
void show_progress(sim::World& world, StatusLine& status, std::string_view what) {
    world.on_progress([&status, what](sim::Progress const& progress) {
        if (status.due())
            status.show(fmt::format("once more for {}: {} simulated, {} events", what, sim::about(progress.now_ns),
                                    sim::about_count(progress.events)));
    });
}

}  // namespace

/// A ring passes N^2 frames, and whoever wants to see them has them played one by one.
bool is_worth_a_trace(sim::WorldPlan const& plan) {
    constexpr std::uint32_t kMostRingRanks = 512;
    protocol::Gather const gather = resolve(plan.policies, plan.nranks, plan.nroots).gather;
    bool const ring = gather == protocol::Gather::ring || gather == protocol::Gather::ring2;
    return plan.nranks <= (ring ? kMostRingRanks : viz::kMostDetailedRanks);
}

viz::Chronicle chronicle_of(PlayedWorld const& world) {
    Choices choices(world);
    sim::World again(world.plan, world.choices == nullptr ? nullptr : &choices.oracle());
    viz::WorldChronicler chronicler(again);
    StatusLine status;
    show_progress(again, status, "the picture");
    viz::Chronicle chronicle = chronicler.finish(again.run());
    add_words(chronicle, world);
    return chronicle;
}

KeptWorld keep_world(RunFolder& folder, PlayedWorld const& world) {
    folder.put("scenario.toml", write_scenario(world.plan), "the world; ronde sim scenario.toml plays it");
    bool const traced = is_worth_a_trace(world.plan);
    sim::WorldPlan plan = world.plan;
    // A tape is played in a world that nobody watches, which has to ask for the same choices as the watched one here.
    if (traced)
        plan.fast_forward = false;
    Choices choices(world);
    std::optional<BoundedTrace> trace;
    std::optional<sim::TracedOracle> by_hand;
    if (traced)
        trace.emplace(folder.place("trace.txt"), plan);
    if (traced && world.choices != nullptr)
        by_hand.emplace(choices.oracle(), *trace);
    bool const recorded = traced || world.choices != nullptr;
    sim::World again(plan, by_hand ? &*by_hand : recorded ? &choices.oracle() : nullptr);
    if (trace)
        again.watch(*trace);
    viz::WorldChronicler chronicler(again);
    StatusLine status;
    show_progress(again, status, "the folder");
    sim::Outcome const outcome = again.run();
    viz::Chronicle chronicle = chronicler.finish(outcome);
    add_words(chronicle, world);

    KeptWorld kept{outcome, trace && trace->commit(), {}};
    std::string const command = "ronde sim scenario.toml";
    if (kept.traced)
        folder.list("trace.txt", "every step of every machine; ronde replay trace.txt makes it again and compares");
    else
        folder.leave_out("trace.txt", fmt::format("it would be longer than {}; {} --trace trace.txt writes it",
                                                  sim::about_bytes(kMostTraceBytes), command));
    if (recorded)
        folder.put("tape", to_text(choices.tape(plan, outcome.digest)),
                   "every choice; ronde replay tape makes the run again with them");
    else
        folder.leave_out("tape", fmt::format("the seed makes all choices again; {} --tape tape writes them", command));
    kept.picture = keep_pictures(folder, chronicle);
    return kept;
}

}  // namespace ronde::cli
