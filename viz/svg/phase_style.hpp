/// How the states of a rank look, in every picture: a fill, a shape and a hatching each, so that a state is told by
/// more than its colour. The fills keep apart for colour-blind eyes (they are Okabe and Ito's, some made lighter or
/// darker) and differ in lightness; shapes and hatchings also hold in grey print.
#pragma once

#include "protocol/root.hpp"
#include "protocol/units.hpp"
#include "svg/place.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ronde::viz {

/// What a picture says about a rank at a time. In the order of a healthy life, then the other ends.
enum class PhaseLook : std::uint8_t {
    never_came,
    listening,
    checking_in,
    awaiting_successor,
    connecting_ring,
    gathering,
    committing,
    ready,
    failed,
    dead,
};
inline constexpr std::uint32_t kPhaseLooks = 10;

enum class Shape : std::uint8_t { circle, triangle_down, triangle_up, diamond, pentagon, hexagon, square, cross };
enum class Hatch : std::uint8_t { none, dots, rising, falling, upright, level, grid, crossed };

struct PhaseStyle {
    std::string_view name;    ///< "checking in"
    std::string_view fill;    ///< "#rrggbb"
    std::string_view ink;     ///< of text and hatching on it
    Shape shape;              ///< of a mark
    std::string_view dot;     ///< what DOT calls the shape
    Hatch hatch;              ///< of an area
    bool dashed_rim = false;  ///< there is nobody
};

[[nodiscard]] PhaseStyle const& style_of(PhaseLook look) noexcept;
/// Phases that look the same in a picture share a look; `failed` and `closed` are looks of their own and `ready`.
[[nodiscard]] PhaseLook look_of(protocol::Phase phase) noexcept;
/// Roots borrow the looks of what their ranks are doing meanwhile.
[[nodiscard]] PhaseLook look_of(protocol::RootPhase phase) noexcept;

/// The corners of a shape that is about as large to the eye as a circle of `diameter`; empty for a circle. y downwards.
[[nodiscard]] std::vector<Place> corners_of(Shape shape, Place middle, Tenths diameter);

}  // namespace ronde::viz
