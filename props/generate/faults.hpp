/// What goes wrong in a world that somebody made up.
#pragma once

#include "generate/dice.hpp"
#include "world/plan.hpp"

namespace ronde::props {

using protocol::RankId;
using protocol::TimeNs;

/// Adds none to four faults to a plan whose job is settled. Those that last are over after six seconds, unless they
/// are of a kind that does not pass.
void draw_faults(Dice& dice, sim::WorldPlan& plan);

}  // namespace ronde::props
