/// Where things stand in a picture: integers, so that equal pictures are equal bytes on every machine.
#pragma once

#include <cstdint>
#include <string>

namespace ronde::viz {

/// Tenths of a px (SVG) or of a point (DOT).
using Tenths = std::int64_t;

struct Place {
    Tenths x = 0;
    Tenths y = 0;
    friend bool operator==(Place const&, Place const&) = default;
};

struct Box {
    Tenths x = 0;  ///< left
    Tenths y = 0;  ///< the smaller one: top where y grows downwards (SVG)
    Tenths width = 0;
    Tenths height = 0;
    friend bool operator==(Box const&, Box const&) = default;

    [[nodiscard]] Place middle() const { return {x + width / 2, y + height / 2}; }
    [[nodiscard]] bool overlaps(Box const& other) const {
        return x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height;
    }
};

/// "12.3", "-4", "0.5": a length in px of so many tenths.
void append_length(std::string& out, Tenths length);
[[nodiscard]] std::string length_text(Tenths length);

/// A point of the circle around `middle`: `part` of `parts` of the way around, clockwise from the top, y downwards.
/// Rounded to the nearest tenth; the same on every machine with IEEE arithmetic.
[[nodiscard]] Place on_circle(Place middle, Tenths radius, std::int64_t part, std::int64_t parts);

}  // namespace ronde::viz
