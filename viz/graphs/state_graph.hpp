/// Every world of a small exploration, and which move leads from which to which.
#pragma once

#include "explore/explore.hpp"
#include "svg/phase_style.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// More of them are no picture.
inline constexpr std::size_t kMostGraphStates = 2'000;

struct StateGraph {
    struct World {
        std::uint32_t depth = 0;                 ///< moves from the first one
        PhaseLook look = PhaseLook::never_came;  ///< of the rank that is furthest behind
        bool at_rest = false;                    ///< nothing happens by itself any more
        bool on_path = false;                    ///< of the counterexample
    };
    struct Move {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        bool fault = false;
        bool on_path = false;
    };
    std::string title;
    std::string subtitle;
    bool broken = false;
    std::vector<World> worlds;  ///< breadth first
    std::vector<Move> moves;
    std::vector<std::string> story;  ///< of the counterexample, a line for each of its moves
};

/// The graph of what `settings` ask for. When a property is broken, it is that of the faults that break it, with the
/// shortest story marked. The error says that it is too large, or that the search gave up.
[[nodiscard]] tl::expected<StateGraph, std::string> state_graph(explore::ExploreSettings const& settings);

/// A DOT graph for `neato -n2`: a row for each depth, from the top down; the story beside its worlds.
[[nodiscard]] std::string state_graph_dot(StateGraph const& graph);

}  // namespace ronde::viz
