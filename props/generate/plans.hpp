/// Worlds that somebody made up: jobs, networks, limits, and what goes wrong in them.
#pragma once

#include "engine/oracle.hpp"
#include "world/plan.hpp"

#include <cstdint>
#include <optional>

namespace ronde::props {

/// What kind of worlds are asked for.
struct Shape {
    std::uint32_t least_ranks = 3;
    std::uint32_t most_ranks = 300;
    protocol::Profile profile = protocol::Profile::ronde;
    bool any_order = false;  ///< delays are equal, so that much happens at one instant, in an order that is drawn
    bool faults = true;
};

/// A plan without contradictions, a function of what the oracle answers. Answers of 0 give the simplest plan: the
/// fewest ranks, the profile's policies, a network without surprises, no fault.
///
/// Which kinds of fault can happen in a world at all is drawn first, and then some of those: a world in which
/// everything happens shows less than many in which little does [Groce, Zhang, Eide, Chen, Regehr: Swarm Testing,
/// ISSTA 2012]. Most sizes are small; the large ones of the range are rare, and each doubling is as likely as the next.
[[nodiscard]] sim::WorldPlan make_plan(sim::Oracle& oracle, Shape const& shape);

}  // namespace ronde::props
