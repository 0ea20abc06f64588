/// A pretended world whose choices a person makes, one after the other, and may take back.
///
/// Nothing of a world is copied: it is a function of its plan and of the choices so far, so each stop is found by
/// playing from the beginning. That is instant for worlds that a person can follow.
#pragma once

#include "engine/tape.hpp"
#include "svg/phase_style.hpp"
#include "world/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::cli {

/// More ranks are nothing to follow step by step.
inline constexpr std::uint32_t kMostSteppedRanks = 64;

/// One process, as it stands.
struct StepProcess {
    std::string name;   ///< "rank 3", "root 0", "extra 5"
    std::string phase;  ///< "checking in"
    viz::PhaseLook look = viz::PhaseLook::never_came;
    bool is_rank = false;
    std::uint32_t known = 0;  ///< ranks: entries of the table; roots: check-ins
    bool hand = false;        ///< ranks: its successor's hand is held
};

/// A place where the world waits for the person.
struct StepStop {
    sim::TimeNs now_ns = 0;
    std::uint64_t steps = 0;  ///< of machines, so far
    std::vector<StepProcess> processes;
    std::vector<std::string> done;  ///< what machines have done since the last stop, one line each
    std::string question;           ///< empty: there is nothing to choose here
    std::vector<std::string> options;
    std::size_t usual = 0;  ///< the option that the seed would take
    bool over = false;      ///< nothing more can happen
    std::string verdict;    ///< when it is over: the first line of its report
};

class StepSession {
public:
    /// The plan has no contradiction and at most kMostSteppedRanks ranks. Whatever could come next is a choice.
    explicit StepSession(sim::WorldPlan plan);

    [[nodiscard]] StepStop const& stop() const noexcept { return stop_; }
    [[nodiscard]] sim::WorldPlan const& plan() const noexcept { return plan_; }
    /// How often the person has chosen, those that were taken back left out.
    [[nodiscard]] std::size_t chosen() const noexcept;
    /// The seed makes other choices than the person did, somewhere: false as long as nothing but the usual was chosen.
    [[nodiscard]] bool at_the_beginning() const noexcept { return path_.size() == 1; }

    /// `option`: below the number of options of the stop (checked).
    void choose(std::size_t option);
    /// The usual choice; where there is nothing to choose, what happens next.
    void go_on();
    /// To the stop before this one. False at the beginning.
    bool go_back();
    /// The seed makes all further choices.
    void to_the_end();
    /// The whole run: the choices so far, and then the seed's. `ronde replay` and `ronde draw` take it.
    [[nodiscard]] sim::Tape tape() const;

private:
    /// Where a stop is: behind these choices, and behind so many steps.
    struct Place {
        std::vector<sim::TapeEntry> choices;
        std::uint64_t steps = 0;
        bool by_hand = false;  ///< the person chose, to get here
    };
    struct Run;
    void find_stop();
    void take(std::uint32_t picked, bool by_hand);

    sim::WorldPlan plan_;
    std::vector<Place> path_;  ///< from the beginning to here
    StepStop stop_;
    // Of the question at this stop.
    std::vector<sim::TapeEntry> before_;  ///< all choices that were made before it
    sim::TapeEntry asked_;
    std::vector<std::uint32_t> picks_;  ///< by option
};

}  // namespace ronde::cli
