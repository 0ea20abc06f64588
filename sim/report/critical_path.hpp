/// Why it took as long as it did, for people.
#pragma once

#include "world/dependencies.hpp"
#include "world/plan.hpp"

#include <string>

namespace ronde::sim {

/// The chain that made the last rank as late as it was: what its time was spent on, its longest stretches, and how late
/// the other ranks could have been. Ends with a newline; empty for a path without pieces.
[[nodiscard]] std::string critical_path_text(CriticalPath const& path, WorldPlan const& plan);

}  // namespace ronde::sim
