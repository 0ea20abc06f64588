/// The gather whose every link has one delay, without its turns.
///
/// Let one way around take M frames, and write the recurrence out: a path leads from (rank i, turn 0) to (rank r, turn
/// M) and makes j = r - i moves, over the links between, and M - j stays. With constant delays a move costs its link's
/// delay whenever it is made, so a path's cost depends on where it comes from alone:
///
///     E_r(M) = max over 1 <= j <= M of  start_{r-j} + (P_r - P_{r-j}) + M o + B,   and  start_r + M o   for j = 0
///
/// where P are the prefix sums of the delays along the unrolled ring (M may be more than one lap), o is the service,
/// the same everywhere, and B the sum of all busy times b: of the M steps of a path that uses a link at all, each is
/// a move, which waits for b, or can be a stay behind a busy link, which costs b as well. With o and b both at work a
/// stay costs the larger and a move the sum, moves and stays then differ, and nothing here holds.
///
/// The maximum over i of start_i - P_i in a sliding window costs O(1) per rank.
#pragma once

#include "forward/ring_turns.hpp"

#include <vector>

namespace ronde::sim {

/// Whether `turns` go one way, delays are constant, and service is the same everywhere and alone or absent.
[[nodiscard]] bool has_closed_form(RingForward const& ring, RingTurns const& turns);

/// When each rank has handled the last of the frames that `turns` send. Needs has_closed_form().
[[nodiscard]] std::vector<protocol::TimeNs> closed_form(RingForward const& ring, RingTurns const& turns);

}  // namespace ronde::sim
