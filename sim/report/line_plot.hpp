/// Lines in a log-log plot, as SVG. Own arithmetic in integers: equal numbers give equal bytes everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::sim {

struct PlotPoint {
    std::uint64_t x = 0;  ///< 1 or more, like y
    std::uint64_t y = 0;
};
struct PlotLine {
    std::string label;
    std::vector<PlotPoint> points;
};
/// How the numbers of an axis are written.
enum class PlotUnit : std::uint8_t { count, nanoseconds };

struct LinePlot {
    std::string title;
    std::string x_label;
    std::string y_label;
    PlotUnit x_unit = PlotUnit::count;
    PlotUnit y_unit = PlotUnit::nanoseconds;
    std::vector<PlotLine> lines;
};

/// A whole SVG document. Lines are told apart by colour (of a palette that colour-blind people can read), marker and
/// dash, and are named at their right end. Points with a 0 are left out.
[[nodiscard]] std::string plot_svg(LinePlot const& plot);

/// log2(value) in 1/65536, rounded down; value >= 1.
[[nodiscard]] std::int64_t log2_fixed(std::uint64_t value);

}  // namespace ronde::sim
