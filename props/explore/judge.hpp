/// What is true at the end of a world.
#pragma once

#include "explore/moves.hpp"
#include "explore/properties.hpp"

namespace ronde::explore {

/// How it ended for everyone, without how it came to that: what the full and the reduced search must agree on.
/// A line such as "0 ready | 1 failed rank_lost about 2 | 2 dead | root failed rank_lost about 2 | crash:2".
[[nodiscard]] std::string outcome_of(MachineRoom const& room, FaultPlan const& plan, World const& world);

/// Of a world in which nothing happens any more: the first property that is broken, of those that are asked for.
[[nodiscard]] Broken judge_at_rest(MachineRoom const& room, FaultPlan const& plan, World const& world);

[[nodiscard]] inline bool is_asked(ExploreSettings const& settings, Property property) {
    return !settings.only || *settings.only == property;
}
[[nodiscard]] inline bool is_wanted(ExploreSettings const& settings, Broken const& broken) {
    return broken && is_asked(settings, broken.property);
}

}  // namespace ronde::explore
