/// Plots: the same bytes everywhere, and every line to be told from the others.
#include "report/line_plot.hpp"

#include "golden.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ronde::sim {
namespace {

LinePlot two_lines() {
    LinePlot plot;
    plot.title = "storm & \"calm\" <both>";
    plot.x_label = "ranks";
    plot.y_label = "time to the full table";
    plot.lines = {{"roots 1", {{1'024, 20'000'000}, {8'192, 150'000'000}, {98'304, 2'300'000'000}}},
                  {"roots 16", {{1'024, 5'000'000}, {8'192, 9'000'000}, {98'304, 90'000'000}}}};
    return plot;
}

TEST(Plot, IsTheSameToTheByte) { expect_golden("two_lines.svg", plot_svg(two_lines())); }

TEST(Plot, LeavesOutWhatALogarithmHasNoPlaceFor) {
    LinePlot plot = two_lines();
    plot.lines[0].points.push_back({0, 5});
    plot.lines[0].points.push_back({5, 0});
    EXPECT_EQ(plot_svg(plot), plot_svg(two_lines()));
}

TEST(Plot, OfNothingIsAnEmptyFrame) { EXPECT_NE(plot_svg(LinePlot()).find("</svg>"), std::string::npos); }

TEST(Plot, LogarithmsAreRightToFourDigits) {
    for (std::uint64_t value = 1; value < std::uint64_t{1} << 60; value = value * 3 / 2 + 1) {
        double const expected = std::log2(static_cast<double>(value));
        EXPECT_NEAR(static_cast<double>(log2_fixed(value)) / 65'536.0, expected, 2.0 / 65'536.0) << value;
    }
    EXPECT_EQ(log2_fixed(1), 0);
    EXPECT_EQ(log2_fixed(1'024), 10 * 65'536);
}

}  // namespace
}  // namespace ronde::sim
