/// A path as lines that people read.
#pragma once

#include "explore/search.hpp"

#include <tl/expected.hpp>

namespace ronde::explore {

/// "12. rank 2 [gathering → committing] challenge from rank 3 | proof to rank 3; done to the root", one per move.
[[nodiscard]] std::vector<std::string> story_of(MachineRoom& room, Counterexample const& found);

/// Goes the way that a story tells, without a search: for each line it makes the one possible move that is told in
/// these words. `settings.given` are the faults that may happen. The answer is what is broken when the last line is
/// told, and nothing when all holds. The error says which line fits no move, or that a property is broken before the
/// last one.
[[nodiscard]] tl::expected<Broken, std::string> retrace(ExploreSettings const& settings,
                                                        std::vector<std::string> const& story);

}  // namespace ronde::explore
