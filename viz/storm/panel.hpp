/// One of several plots under each other: values over time, from 0 upwards.
#pragma once

#include "storm/storm_numbers.hpp"
#include "svg/svg.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::viz {

struct PanelLine {
    std::string label;
    std::vector<StormPoint> points;
    Paint paint = Paint::blue;
    Dash dash = Dash::solid;
};

struct Panel {
    std::string title;
    std::vector<PanelLine> lines;  ///< each value holds until the next one
    std::vector<StormPoint> bars;  ///< instead of lines: of one width each
    TimeNs bar_ns = 0;
    std::uint64_t limit = 0;  ///< drawn across, with its name; 0: there is none
    std::string limit_label;
    std::uint64_t at_least = 0;  ///< the axis reaches so far, whatever is drawn: where several panels share it
};

/// Draws into `box`, which is what the axes enclose; numbers stand to the left of it, labels of lines to the right.
void draw_panel(Svg& svg, Panel const& panel, Box const& box, TimeNs end_ns);

/// Where round times stand on an axis from 0 to end_ns.
[[nodiscard]] std::vector<TimeNs> round_times(TimeNs end_ns);
[[nodiscard]] Tenths x_at(Box const& box, TimeNs at_ns, TimeNs end_ns);

}  // namespace ronde::viz
