/// A path as lines that people read.
#pragma once

#include "explore/search.hpp"

namespace ronde::explore {

/// "12. rank 2 [gathering → committing] challenge from rank 3 | proof to rank 3; done to the root", one per move.
[[nodiscard]] std::vector<std::string> story_of(MachineRoom& room, Counterexample const& found);

}  // namespace ronde::explore
