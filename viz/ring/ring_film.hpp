/// How a ring closes, moment by moment: one SVG that plays it, or one picture of each moment.
///
/// The moments are those at which something changes, spread so that neither a long wait nor a burst hides the rest;
/// each is shown for the same time, with its own time written below the title. Who asks for less motion sees the last
/// one.
#pragma once

#include "chronicle/chronicle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// Each rank is a mark with a number: more of them are no picture to follow.
inline constexpr std::uint32_t kMostFilmRanks = 512;
inline constexpr std::uint32_t kFilmMoments = 40;

/// Up to `count` times, ascending, the end among them. At least one.
[[nodiscard]] std::vector<TimeNs> film_moments(Chronicle const& chronicle, std::uint64_t count);
/// All moments on one page, by CSS. At most kMostFilmRanks ranks.
[[nodiscard]] std::string ring_film(Chronicle const& chronicle);
/// One of them, on a page of the same size. kNever: when all was over.
[[nodiscard]] std::string ring_frame(Chronicle const& chronicle, TimeNs at_ns);

}  // namespace ronde::viz
