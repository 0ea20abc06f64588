/// Every order of events of a small job: the answer, and what it took.
#pragma once

#include "explore/search.hpp"

namespace ronde::explore {

/// How far an exploration is.
struct Progress {
    SearchCounts counts;
    std::uint64_t searches_done = 0;
    std::uint64_t searches = 0;
    TimeNs elapsed_ns = 0;
};

struct Exploration {
    ExploreSettings settings;
    Answer answer = Answer::holds;
    std::string gave_up_why;
    SearchCounts counts;
    std::string why_not_turned;  ///< not empty: rotations were tried, and why they were not right
    std::uint64_t searches = 0;  ///< one for each set of faults, or one for all
    std::uint64_t searches_done = 0;
    TimeNs elapsed_ns = 0;  ///< wall time
    TimeNs cpu_ns = 0;      ///< of this process, while it explored
    std::optional<Counterexample> found;
    std::vector<std::string> story;  ///< of the counterexample, one line per step and below it what the machine asked
    std::set<std::string> outcomes;  ///< ExploreSettings::keep_outcomes; empty when something was found
};

/// Settings must not contradict themselves (contradiction_in). `progress` is called now and then, on this thread. But
/// for times, and for what a budget cuts off, nothing depends on how many jobs there are.
[[nodiscard]] Exploration explore(ExploreSettings const& settings,
                                  std::function<void(Progress const&)> const& progress = {});

/// The command that finds the same counterexample, and nothing else.
[[nodiscard]] std::string rerun_line(Exploration const& exploration);

[[nodiscard]] std::string exploration_text(Exploration const& exploration);
[[nodiscard]] std::string exploration_json(Exploration const& exploration);

}  // namespace ronde::explore
