/// Why it took as long as it did, for people.
#pragma once

#include "world/dependencies.hpp"
#include "world/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::sim {

/// How late the ranks could have been without delaying the end of the chain.
struct Slack {
    std::uint32_t ranks_without = 0;  ///< any delay of theirs is one of the end
    TimeNs median_ns = 0;
    TimeNs most_ns = 0;
    std::vector<TimeNs> of_ranks_ns;  ///< by rank
};
[[nodiscard]] Slack slack_of(CriticalPath const& path, std::uint32_t nranks);

/// The chain that made the last rank as late as it was: what its time was spent on, its longest stretches, and how late
/// the other ranks could have been. Ends with a newline; empty for a path without pieces.
[[nodiscard]] std::string critical_path_text(CriticalPath const& path, WorldPlan const& plan);

}  // namespace ronde::sim
