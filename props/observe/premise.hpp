/// What a plan promises: how much of the list may be demanded of a world before it begins.
#pragma once

#include "world/plan.hpp"

#include <vector>

namespace ronde::props {

using protocol::RankId;
using protocol::TimeNs;

struct Premise {
    /// Nobody is held up by anything but distance and its own start: no fault, no loss, nothing is scarce, and all
    /// start well before the first deadline.
    bool calm = false;
    /// Whatever goes wrong passes, and the protocol promises to live through it [clauses 3.4, 3.5, 5.6, 6.3].
    bool passing = false;
    /// Faults are ranks that never come, besides what passes without anybody's help (strangers, signals).
    bool only_missing = false;
    /// Faults are ranks with the device of another one, besides the same.
    bool only_shared_devices = false;
    /// By rank: something may have happened to it, its host, its root or the network around it.
    std::vector<bool> touched;
    std::vector<RankId> never;  ///< ascending
};

[[nodiscard]] Premise premise_of(sim::WorldPlan const& plan);
/// ... into one that keeps the memory it has.
void find_premise(sim::WorldPlan const& plan, Premise& premise);

}  // namespace ronde::props
