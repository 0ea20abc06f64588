/// One real machine among promises: every order in which its neighbours can keep theirs.
///
/// The neighbours are not there. In their place stand the conversations: whatever a neighbour may say next, it may say
/// now. The machine is stepped through the seam; each of its actions must be its next line somewhere. From all states
/// that it can reach follows what it needs to have heard before it says a line.
#pragma once

#include "prove/part.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace ronde::prove {

/// What comes before something a node does, by dimension: how many lines it has heard of each of its parts, then for
/// each part 1 if the connection that it calls for must stand, then 1 if its stagger must be over.
using Needs = std::vector<std::uint16_t>;

/// All that was found out about one node.
struct Findings {
    Node node = 0;
    std::uint64_t states = 0;
    std::uint64_t moves = 0;
    /// Empty: it keeps its promises. Else what it did instead.
    std::string broken;
    std::vector<std::string> story;           ///< the shortest way there, a line for each move
    std::vector<std::vector<Needs>> to_say;   ///< by part and own line
    std::vector<std::vector<Needs>> to_hear;  ///< by part and line of the other: when it can be taken
    Needs to_be_ready;                        ///< ranks
};

struct CutSettings {
    std::uint64_t limit_states = 20'000'000;
    /// Whoever calls says all that it can in one breath, so that orders in which greetings interleave are left out.
    bool greet_at_once = false;
};

/// All reachable states of one process.
[[nodiscard]] Findings explore_node(Shape const& shape, std::vector<Conversation> const& all, Node node,
                                    CutSettings const& settings);

}  // namespace ronde::prove
