/// Properties that need two runs: the same world once more, and worlds that differ in what must not matter. Those
/// worlds are played in `room`, whatever was there before.
#pragma once

#include "observe/property.hpp"
#include "world/world.hpp"

#include <functional>
#include <optional>

namespace ronde::props {

/// D1: the same plan and the same choices give the same digest.
///
/// A failure that cannot be played again is a rumour. Nothing but the plan and the oracle may reach a world: no
/// address, no order of a hash table, no clock. Runs the plan once more, unwatched if `again` was watched and the other
/// way round, since who looks must not matter either.
[[nodiscard]] std::optional<Violation> same_again(sim::WorldPlan const& plan, sim::Oracle& again,
                                                  sim::Outcome const& first, sim::World& room);

/// D2: without faults the outcome does not depend on the schedule.
///
/// Delays and the order of what happens at one instant are nobody's choice. In a calm world, whatever they are, all
/// ranks are ready and the table says of each rank what that rank registered. Runs the plan with other choices.
[[nodiscard]] std::optional<Violation> any_schedule(sim::WorldPlan const& plan, std::uint64_t seed, sim::World& room);
/// ... and what it demands of a calm world that is over.
[[nodiscard]] std::optional<Violation> calm_end(sim::Outcome const& outcome, Scene const& scene, std::uint64_t seed);

/// D3: a ring that is computed as a whole is equal to the events, to the nanosecond.
///
/// A shortcut that is nearly right makes every conclusion about large jobs wrong. Where nothing can disturb a gather
/// around the ring the world computes it in one go; played event by event it must have the same times and ends.
[[nodiscard]] std::optional<Violation> both_lanes(sim::WorldPlan const& plan, sim::World& room);
/// ... and what it compares.
[[nodiscard]] std::optional<Violation> lanes_differ(sim::Outcome const& whole, sim::Outcome const& played);

/// S5, second half: outsiders delay nobody beyond the patience with those who stand at doors.
///
/// The plan without its strangers is run too; with them the last rank is ready at most so much later.
[[nodiscard]] std::optional<Violation> strangers_delay_nobody(sim::WorldPlan const& plan, sim::Outcome const& with,
                                                              sim::World& room);

}  // namespace ronde::props
