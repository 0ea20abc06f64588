/// The transition tables as edges between phases: what the diagrams of docs/protocol.md and of `ronde draw machine`
/// have in common.
#pragma once

#include "protocol/transitions.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace ronde::viz {

/// From which phase to which other one, and on which events, in the order of the table. Staying put is no edge.
using MachineEdges = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<protocol::EventKind>>;

template <class PhaseType>
[[nodiscard]] MachineEdges machine_edges(std::span<const protocol::TransitionOf<PhaseType>> transitions,
                                         std::uint32_t phases) {
    MachineEdges edges;
    for (auto const& transition : transitions) {
        auto const from = static_cast<std::uint32_t>(transition.from);
        for (std::uint32_t to = 0; to < phases; ++to) {
            if ((transition.to >> to & 1U) != 0 && to != from)
                edges[{from, to}].push_back(transition.on);
        }
    }
    return edges;
}

}  // namespace ronde::viz
