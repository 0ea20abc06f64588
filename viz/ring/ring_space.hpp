/// Where things stand in a ring that we draw ourselves, as SVG.
#pragma once

#include "chronicle/chronicle.hpp"
#include "ring/ring_layout.hpp"
#include "svg/svg.hpp"

namespace ronde::viz {

class RingSpace {
public:
    /// With room for so many lines of text above the ring. The chronicle must outlive it.
    RingSpace(Chronicle const& chronicle, Tenths heading_lines);

    /// `part` of `parts` around the circle, clockwise from the top, `out` tenths outside of the ring's own radius.
    [[nodiscard]] Place around(std::int64_t part, std::int64_t parts, Tenths out = 0) const {
        return on_circle(middle, layout.radius + out, part, parts);
    }
    [[nodiscard]] Place root_place(std::uint32_t root) const;
    /// An arc around the ranks of each host, named where there is room; nothing where all share one.
    void paint_hosts(Svg& svg) const;

    RingLayout layout;
    Tenths text;  ///< size of names
    Tenths rim;   ///< room for what stands around the ring
    Tenths width;
    Place middle;

private:
    Chronicle const& chronicle_;
};

}  // namespace ronde::viz
