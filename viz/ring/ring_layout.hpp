/// Where things stand in the picture of a ring: integers only, in tenths of a point.
#pragma once

#include "svg/place.hpp"

#include <cstdint>
#include <string>

namespace ronde::viz {

/// Sizes that follow from the number of ranks; a picture of a few ranks is small, one of many has room for all.
struct RingLayout {
    explicit RingLayout(std::uint32_t count);

    /// `step` of `steps` around the circle, clockwise from the top, `out` tenths outside of the ring's own radius.
    [[nodiscard]] Place around(std::uint32_t step, std::uint32_t steps, Tenths out = 0) const;

    std::uint32_t ranks;
    Tenths radius;
    Tenths node;                 ///< diameter of a rank's node
    std::uint32_t font;          ///< points: numbers of ranks
    std::uint32_t text;          ///< points: legend, hosts, roots
    std::uint32_t title;         ///< points
    bool numbers_inside;         ///< numbers fit into the nodes; otherwise some stand outside
    std::uint32_t number_every;  ///< outside numbers: for every so many ranks
};

/// "12.3,-4.0!", a pinned position.
[[nodiscard]] std::string pinned(Place place);
/// Inches with three digits, what DOT calls a width.
[[nodiscard]] std::string inches(Tenths length);

}  // namespace ronde::viz
