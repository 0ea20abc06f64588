#include "cli/sim_choices.hpp"

#include "cli/usage.hpp"
#include "engine/interactive_oracle.hpp"
#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "report/phrasebook.hpp"
#include "report/words.hpp"
#include "scenario/atomic_file.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>

namespace ronde::cli {

/// One oracle asks the next: trace, tape, person, seed. Only those that are wanted take part.
struct SimChoices::Parts {
    Parts(sim::WorldPlan const& world_plan, bool by_hand)
        : plan(world_plan), seeded(plan.seed), words(plan),
          person(by_hand ? std::make_unique<sim::InteractiveOracle>(std::cin, std::cerr, seeded, words) : nullptr),
          taped(sim::TapeOracle::record(person != nullptr ? static_cast<sim::Oracle&>(*person) : seeded)) {}

    sim::WorldPlan const& plan;
    sim::SeededOracle seeded;
    sim::WorldPhrasebook words;
    std::unique_ptr<sim::InteractiveOracle> person;
    sim::TapeOracle taped;
    std::optional<sim::TracedOracle> traced;
    std::optional<sim::AtomicFile> file;
};

SimChoices::SimChoices(sim::WorldPlan const& plan, bool by_hand, std::string const& tape)
    : parts_(std::make_unique<Parts>(plan, by_hand)) {
    if (tape.empty())
        return;
    parts_->file.emplace(tape);
    if (!parts_->file->error().empty())
        throw LauncherError("--tape " + parts_->file->error());
}

SimChoices::~SimChoices() = default;

void SimChoices::trace_into(sim::TraceLines& trace) {
    if (parts_->person != nullptr)
        parts_->traced.emplace(parts_->taped, trace);
}

sim::Oracle* SimChoices::oracle() {
    if (parts_->traced)
        return &*parts_->traced;
    return parts_->person != nullptr || parts_->file ? &parts_->taped : nullptr;
}

void SimChoices::speak_of(sim::World const& world) { parts_->words.speak_of(world); }

sim::Tape const* SimChoices::by_hand() const { return parts_->person == nullptr ? nullptr : &parts_->taped.tape(); }

void SimChoices::finish(sim::Outcome const& outcome) {
    sim::Tape tape = parts_->taped.tape();
    if (parts_->person != nullptr) {
        std::uint64_t const by_hand = parts_->person->answered();
        fmt::print(stderr, "{}",
                   tape.entries.empty()
                       ? std::string("nothing to choose: delays, losses and starts of this scenario are all fixed\n")
                       : fmt::format("choices: {} by hand, {} by the seed\n", by_hand, tape.entries.size() - by_hand));
    }
    if (!parts_->file)
        return;
    tape.seed = parts_->plan.seed;
    tape.note = fmt::format("{}, {}", parts_->plan.name, sim::plural(parts_->plan.nranks, "rank"));
    tape.plan = sim::write_scenario(parts_->plan);
    tape.outcome = sim::TapeOutcome{outcome.digest, sim::choices_digest(tape)};
    parts_->file->write(to_text(tape));
    if (!parts_->file->commit())
        throw LauncherError("--tape " + parts_->file->error());
}

}  // namespace ronde::cli
