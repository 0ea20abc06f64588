/// One set of faults, explored to its end, and what can be said when somebody else has found something shorter since.
#pragma once

#include "explore/search.hpp"

#include <atomic>
#include <memory>

namespace ronde::explore {

/// What came of one search. It has a room of its own, so that it is the same whichever searches ran before or beside
/// it.
struct PlanResult {
    Answer answer = Answer::holds;
    std::string gave_up_why;
    bool out_of_time = false;
    bool circular = false;  ///< `found` is a circle, which is told when all paths are known
    SearchCounts counts;
    std::vector<SearchCounts> by_depth;  ///< breadth first: when all worlds of this depth had been looked at
    std::optional<Counterexample> found;
    std::set<std::string> outcomes;
    /// Not empty: one of several turned worlds should have been enough, was not, and this is the search without that.
    std::string why_not_turned;
    std::unique_ptr<MachineRoom> room;  ///< in which `found` happened

    /// The same search as if it had been told from the beginning that only paths of at most `most_depth` moves matter.
    /// It must not have been told of fewer.
    void cut_to(std::uint64_t most_depth);
};

/// `most_depth` may become smaller meanwhile. `keep_going` is asked on the calling thread.
[[nodiscard]] PlanResult search_plan(Job const& job, FaultPlan const& plan, ExploreSettings const& settings,
                                     std::atomic<std::uint64_t> const& most_depth, KeepGoing const& keep_going);

}  // namespace ronde::explore
