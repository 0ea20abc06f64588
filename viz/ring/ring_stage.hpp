/// The ring as a part of a page: every rank, hand and check-in is an element of its own that a script can change.
///
/// Which classes an element has follows from the state of its ranks, so that a page and its script need to know states
/// only:
///
///     g.rank (in the order of the ranks)   failed, culprit, on-dark; its `use` refers to #look0 .. #look9
///     line.hand (the same order)           held
///     line.checkin (the same order)        there
///     g.root (in the order of the roots)   lost; its second text is the phase
///     line#stage-message, circle#stage-actor   without place: for the script
#pragma once

#include "chronicle/chronicle.hpp"
#include "ring/ring_dot.hpp"
#include "svg/svg.hpp"

#include <span>
#include <string>
#include <string_view>

namespace ronde::viz {

/// Each rank is a mark: more of them are no picture to look at one by one.
inline constexpr std::uint32_t kMostStageRanks = 512;

/// What of a rank shows: the look (bits 0 to 3) and kFailed and so on.
using RankState = std::uint32_t;
inline constexpr RankState kLookMask = 15;
inline constexpr RankState kFailed = 16;     ///< ended with an error
inline constexpr RankState kCulprit = 32;    ///< named as the cause
inline constexpr RankState kAtRoot = 64;     ///< the connection on which it checked in stands
inline constexpr RankState kHasHands = 128;  ///< past connecting the ring
[[nodiscard]] RankState state_of(RingRank const& rank);

/// The same of a root: protocol::RootPhase in bits 0 to 3 and kRootLost.
inline constexpr std::uint32_t kRootLost = 16;

/// What the box of a root says below its name: its phase, or that it is lost. Nothing where steps were not kept: nobody
/// knows then.
[[nodiscard]] std::string_view root_words(Chronicle const& chronicle, std::uint32_t state);

/// `states`: of the ranks, then of the roots. At most kMostStageRanks ranks (checked).
[[nodiscard]] std::string ring_stage(Chronicle const& chronicle, std::span<const std::uint32_t> states,
                                     Embedding where);

/// Looks as symbols #look0 to #look9, once in a page: 80 units large to the eye in a box of 120.
[[nodiscard]] std::string look_symbols();

}  // namespace ronde::viz
