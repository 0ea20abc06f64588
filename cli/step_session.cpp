#include "cli/step_session.hpp"

#include "engine/seeded_oracle.hpp"
#include "protocol/check.hpp"
#include "protocol/root.hpp"
#include "report/phrasebook.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"
#include "ring/ring_dot.hpp"
#include "scenario/scenario.hpp"
#include "world/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace ronde::cli {

using protocol::Phase;
using sim::Choice;

/// What is chosen at a stop, in words, and which picks the options stand for.
struct StepQuestion {
    std::string text;
    std::vector<std::string> options;
    std::vector<std::uint32_t> picks;
    std::size_t usual = 0;
};

namespace {

std::string root_phase_text(protocol::RootPhase phase) {
    using protocol::RootPhase;
    switch (phase) {
    case RootPhase::created: return "not started";
    case RootPhase::collecting: return "collecting check-ins";
    case RootPhase::handing_out: return "handing out";
    case RootPhase::committing: return "committing";
    case RootPhase::judging: return "telling the verdict";
    case RootPhase::finished: return "finished";
    case RootPhase::failed: return "failed";
    }
    return {};
}

std::string name_in(sim::World const& world, sim::ProcessId process) {
    return process == sim::kNoProcess ? "somebody"
                                      : sim::process_name(process, world.plan().nranks, world.plan().nroots);
}

/// "check_in of rank 2 arrives at root 0"
std::string words_of(sim::World const& world, sim::Enabled const& one) {
    std::string const who = name_in(world, one.process);
    std::string const from = name_in(world, one.from);
    auto const is = [&](std::string_view what) { return one.what == what; };
    if (one.frame)
        return fmt::format("{} of {} arrives at {}", name_of(*one.frame), from, who);
    if (is("start"))
        return who + " starts";
    if (is("timer"))
        return fmt::format("a deadline of {} is due", who);
    if (is("syn"))
        return fmt::format("the call (SYN) of {} arrives at {}", from, who);
    if (is("synack"))
        return fmt::format("the answer (SYN-ACK) of {} arrives at {}", from, who);
    if (is("ack"))
        return fmt::format("the last packet (ACK) of {}'s call arrives at {}", from, who);
    if (is("syn_again") || is("synack_again") || is("data_again"))
        return fmt::format("the kernel of {} sends again, to {}", from, who);
    if (is("fin"))
        return fmt::format("the end of the connection from {} arrives at {}", from, who);
    if (is("rst"))
        return fmt::format("a reset from {} arrives at {}", from, who);
    if (is("knock"))
        return fmt::format("{} notices a caller", who);
    if (is("connected"))
        return fmt::format("{} notices that its call stands", who);
    if (is("connect_failed"))
        return fmt::format("{} notices that its call failed", who);
    if (is("closed"))
        return fmt::format("{} notices the end of a connection", who);
    if (is("work"))
        return fmt::format("{} has CPU again", who);
    if (is("fault"))
        return "a fault strikes";
    return one.process == sim::kNoProcess ? sim::spaced(one.what) : fmt::format("{}: {}", who, sim::spaced(one.what));
}

/// Nothing when a person could not tell one choice from another.
std::optional<StepQuestion> question_of(sim::World const& world, sim::WorldPhrasebook& words,
                                        sim::TapeEntry const& asked) {
    StepQuestion question;
    if (asked.kind == Choice::order) {
        question.text = fmt::format("at {}: what comes first?", sim::about(world.now_ns()));
        auto const enabled = world.look().enabled();
        for (std::uint32_t i = 0; i < enabled.size(); ++i) {
            question.options.push_back(words_of(world, enabled[i]));
            question.picks.push_back(i);
        }
    } else {
        question.picks = words.options(asked.kind, asked.key, asked.n);
        if (question.picks.empty())
            return std::nullopt;
        question.text = words.question(asked.kind, asked.key, asked.n);
        for (std::uint32_t const pick : question.picks)
            question.options.push_back(words.meaning(asked.kind, asked.key, asked.n, pick));
    }
    auto const usual = std::find(question.picks.begin(), question.picks.end(), asked.picked);
    question.usual = static_cast<std::size_t>(usual - question.picks.begin());
    if (usual != question.picks.end())
        return question;
    std::string meaning = words.meaning(asked.kind, asked.key, asked.n, asked.picked);
    auto const same = std::find(question.options.begin(), question.options.end(), meaning);
    if (same != question.options.end()) {  // what is picked is another number of the same meaning
        question.usual = static_cast<std::size_t>(same - question.options.begin());
        question.picks[question.usual] = asked.picked;
        return question;
    }
    question.options.push_back(std::move(meaning));
    question.picks.push_back(asked.picked);
    return question;
}

StepProcess rank_as_it_stands(sim::World const& world, sim::ProcessId process, sim::ProcessFacts const& facts) {
    StepProcess one;
    Phase const phase = world.machine(process).phase();
    one.is_rank = process < world.plan().nranks;
    one.look = facts.dead               ? viz::PhaseLook::dead
               : !facts.started         ? viz::PhaseLook::never_came
               : phase == Phase::failed ? viz::PhaseLook::failed
                                        : viz::look_of(phase);
    one.phase = facts.dead ? "dead" : !facts.started ? "not started" : sim::spaced(name_of(phase));
    one.known = facts.started ? world.look().known(process) : 0;
    return one;
}

StepProcess as_it_stands(sim::World const& world, sim::ProcessId process) {
    sim::ProcessFacts const facts = world.look().facts(process);
    StepProcess one;
    if (facts.kind == sim::ProcessFacts::Kind::rank) {
        one = rank_as_it_stands(world, process, facts);
    } else if (facts.kind == sim::ProcessFacts::Kind::root) {
        protocol::Root const& root = world.root(process - world.plan().nranks);
        bool const created = root.phase() == protocol::RootPhase::created;
        one.look = facts.dead ? viz::PhaseLook::dead
                   : created  ? viz::PhaseLook::never_came
                              : viz::look_of(root.phase());
        one.phase = facts.dead ? "dead" : root_phase_text(root.phase());
        one.known = root.checked_in();
    } else {
        one.phase = "a stranger";
        one.look = viz::PhaseLook::listening;
    }
    one.name = name_in(world, process);
    return one;
}

std::vector<StepProcess> all_as_they_stand(sim::World const& world) {
    std::vector<StepProcess> all;
    viz::RingPicture picture;
    for (sim::ProcessId process = 0; process < world.look().processes(); ++process) {
        all.push_back(as_it_stands(world, process));
        if (process >= world.plan().nranks)
            continue;
        viz::RingRank drawn;
        drawn.phase = world.rank(process).phase();
        drawn.absent = all.back().look == viz::PhaseLook::never_came;
        drawn.dead = all.back().look == viz::PhaseLook::dead;
        drawn.failed = all.back().look == viz::PhaseLook::failed;
        picture.ranks.push_back(drawn);
    }
    for (protocol::RankId rank = 0; rank < picture.ranks.size(); ++rank)
        all[rank].hand = all.size() > 1 && hand_is_held(picture, rank);
    return all;
}

std::vector<StepProcess> nobody_yet(sim::WorldPlan const& plan) {
    std::vector<StepProcess> all(std::size_t{plan.nranks} + plan.nroots);
    for (std::uint32_t process = 0; process < all.size(); ++process) {
        all[process].name = sim::process_name(process, plan.nranks, plan.nroots);
        all[process].phase = "not started";
        all[process].is_rank = process < plan.nranks;
    }
    return all;
}

}  // namespace

/// One run: given choices, then the seed's; it notes the first choice that is a person's to make, and every step.
struct StepSession::Run final : sim::Oracle, sim::Observer {
    Run(sim::WorldPlan const& its_plan, std::vector<sim::TapeEntry> const& choices)
        : plan(its_plan), given(choices), seeded(plan.seed), words(plan), world(plan, this) {
        words.speak_of(world);
        world.watch(*this);
        // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): choices are asked for while the world is made
        is_there = true;
    }

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override {
        if (n == 1)
            return 0;
        sim::TapeEntry entry{kind, n, 0, key};
        if (made.size() < given.size()) {
            entry = given[made.size()];
            RONDE_CHECK(entry.kind == kind && entry.n == n, "StepSession: expected a world that repeats itself");
        } else {
            entry.picked = seeded.pick(kind, key, n);
            if (!question && (question = question_of(world, words, entry))) {
                asked = entry;
                before = made;
                stop = as_it_stands_now();
            }
        }
        made.push_back(entry);
        return entry.picked;
    }
    void on_step(sim::StepSeen const& seen) override {
        steps = seen.number;
        lines.push_back(
            fmt::format("{:>9}  {}", sim::about(seen.now_ns),
                        (seen.process < plan.nranks ? "rank " : "") + step_text(seen, plan.nranks, plan.nroots)));
    }
    /// While the world is being made, when each process starts is drawn; there is nobody yet.
    [[nodiscard]] StepStop as_it_stands_now() const {
        StepStop now;
        now.steps = steps;
        now.processes = is_there ? all_as_they_stand(world) : nobody_yet(plan);
        now.now_ns = is_there ? world.now_ns() : 0;
        return now;
    }

    sim::WorldPlan const& plan;
    std::vector<sim::TapeEntry> const& given;
    sim::SeededOracle seeded;
    sim::WorldPhrasebook words;
    bool is_there = false;
    std::vector<sim::TapeEntry> made;
    std::vector<std::string> lines;  ///< of all steps, from the first
    std::uint64_t steps = 0;
    std::optional<StepQuestion> question;
    sim::TapeEntry asked;
    std::vector<sim::TapeEntry> before;
    StepStop stop;  ///< where the question came up
    sim::World world;
};

StepSession::StepSession(sim::WorldPlan plan) : plan_(std::move(plan)) {
    plan_.any_order = true;
    plan_.fast_forward = false;
    path_.emplace_back();
    find_stop();
}

std::size_t StepSession::chosen() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(path_.begin(), path_.end(), [](Place const& p) { return p.by_hand; }));
}

/// The first question behind the place; or, if a machine takes more than one step before there is one, behind the first
/// of them, so that every change of state is seen.
void StepSession::find_stop() {
    Place const& place = path_.back();
    Run run(plan_, place.choices);
    std::optional<StepStop> held;
    bool going = true;
    while (going && !run.question && !(held && run.steps > held->steps)) {
        going = run.world.advance();
        if (!held && !run.question && run.steps > place.steps)
            held = run.as_it_stands_now();
    }
    bool const asks = run.question && !(held && run.stop.steps > held->steps);
    bool const over = !asks && !going && (!held || held->steps == run.steps);
    stop_ = asks ? run.stop : over || !held ? run.as_it_stands_now() : *held;
    stop_.done.assign(run.lines.begin() + static_cast<std::ptrdiff_t>(std::min(place.steps, stop_.steps)),
                      run.lines.begin() + static_cast<std::ptrdiff_t>(stop_.steps));
    stop_.over = over;
    picks_.clear();
    if (asks) {
        stop_.question = run.question->text;
        stop_.options = run.question->options;
        stop_.usual = run.question->usual;
        picks_ = run.question->picks;
        asked_ = run.asked;
        before_ = run.before;
    }
    if (over) {
        std::string const report = outcome_text(run.world.outcome(), {});
        stop_.verdict = report.substr(0, report.find('\n'));
    }
}

void StepSession::take(std::uint32_t picked, bool by_hand) {
    Place next{before_, stop_.steps, by_hand};
    next.choices.push_back(asked_);
    next.choices.back().picked = picked;
    path_.push_back(std::move(next));
    find_stop();
}

void StepSession::choose(std::size_t option) {
    RONDE_CHECK(option < picks_.size(), "StepSession::choose: expected one of the options");
    take(picks_[option], true);
}

void StepSession::go_on() {
    if (stop_.over)
        return;
    if (!picks_.empty())
        return take(asked_.picked, false);
    path_.push_back({path_.back().choices, stop_.steps, false});
    find_stop();
}

bool StepSession::go_back() {
    if (path_.size() == 1)
        return false;
    path_.pop_back();
    find_stop();
    return true;
}

void StepSession::to_the_end() {
    if (stop_.over)
        return;
    std::uint64_t const from = stop_.steps;
    Run run(plan_, path_.back().choices);
    while (run.world.advance()) {
    }
    path_.push_back({run.made, from, false});
    stop_ = run.as_it_stands_now();
    stop_.over = true;
    stop_.done.assign(run.lines.begin() + static_cast<std::ptrdiff_t>(from), run.lines.end());
    std::string const report = outcome_text(run.world.outcome(), {});
    stop_.verdict = report.substr(0, report.find('\n'));
    picks_.clear();
}

sim::Tape StepSession::tape() const {
    Run run(plan_, path_.back().choices);
    sim::Digest128 const digest = run.world.run().digest;
    sim::Tape tape;
    tape.seed = plan_.seed;
    tape.note = fmt::format("{}, {}, {} by hand", plan_.name, sim::plural(plan_.nranks, "rank"),
                            sim::plural(chosen(), "choice"));
    tape.entries = run.made;
    tape.plan = write_scenario(plan_);
    tape.outcome = sim::TapeOutcome{digest, choices_digest(tape)};
    return tape;
}

}  // namespace ronde::cli
