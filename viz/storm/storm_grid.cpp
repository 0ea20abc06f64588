#include "storm/storm_grid.hpp"

#include "storm/panel.hpp"
#include "svg/heading.hpp"
#include "svg/legend.hpp"
#include "svg/text_size.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

using Anchor = TextStyle::Anchor;

constexpr Tenths kMargin = Heading::kMargin;
constexpr Tenths kNumbers = 620;  ///< left of a plot
constexpr Tenths kPlotWidth = 2'300;
constexpr Tenths kCellWidth = kNumbers + kPlotWidth + 280;
constexpr Tenths kTitleRoom = 420;  ///< title and verdict of a cell
constexpr Tenths kQueueHeight = 620;
constexpr Tenths kDropsHeight = 420;
constexpr Tenths kBetween = 200;
constexpr Tenths kTimes = 230;  ///< below a cell
constexpr Tenths kCellHeight = kTitleRoom + kQueueHeight + kBetween + kDropsHeight + kTimes;
constexpr Tenths kTextSize = 100;
constexpr Tenths kTimeRoom = 560;  ///< so far apart are two labels of the axis

std::uint64_t highest(std::vector<StormPoint> const& points) {
    std::uint64_t most = 0;
    for (StormPoint const& point : points)
        most = std::max(most, point.value);
    return most;
}

/// What all cells have in common.
struct Axes {
    TimeNs end_ns = 1;
    std::uint64_t depth = 1;  ///< most that a queue held
    std::uint64_t top = 1;    ///< of its axis
    std::uint64_t drops = 1;

    explicit Axes(std::span<StormCell const> cells) {
        for (StormCell const& cell : cells) {
            end_ns = std::max(end_ns, cell.numbers.end_ns);
            depth = std::max(depth, highest(cell.numbers.queue_depth));
            drops = std::max({drops, highest(cell.numbers.syn_drops), highest(cell.numbers.syn_retransmits),
                              highest(cell.numbers.ghosts)});
        }
        for (StormCell const& cell : cells) {
            if (is_near(cell.numbers.backlog))
                top = std::max<std::uint64_t>(top, cell.numbers.backlog);
        }
        top = std::max(top, depth);
    }
    /// A backlog that nobody came near would press all lines to the ground.
    [[nodiscard]] bool is_near(std::uint32_t backlog) const { return backlog > 0 && backlog <= depth + depth / 4; }
};

Panel queue_of(StormCell const& cell, Axes const& axes) {
    Panel panel{"", {{"", cell.numbers.queue_depth, Paint::blue, Dash::solid}}, {}, 0, 0, {}};
    panel.at_least = axes.top;
    if (axes.is_near(cell.numbers.backlog))
        panel.limit = cell.numbers.backlog;
    return panel;
}

Panel drops_of(StormCell const& cell, Axes const& axes) {
    Panel panel{"",
                {{"", cell.numbers.syn_retransmits, Paint::green, Dash::dashed},
                 {"", cell.numbers.ghosts, Paint::purple, Dash::dotted},
                 {"", cell.numbers.syn_drops, Paint::alarm, Dash::solid}},
                {},
                0,
                0,
                {}};
    panel.at_least = axes.drops;
    return panel;
}

/// The round times that have room for their words.
void draw_times(Svg& svg, Box const& plot, TimeNs end_ns) {
    Tenths free_from = plot.x - kTimeRoom;
    for (TimeNs const at_ns : round_times(end_ns)) {
        Tenths const x = x_at(plot, at_ns, end_ns);
        if (x < free_from)
            continue;
        svg.text({x, plot.y + plot.height + 140}, at_ns == 0 ? "0" : exact_time(at_ns),
                 {.size = kTextSize, .anchor = Anchor::middle, .paint = Paint::soft});
        free_from = x + kTimeRoom;
    }
}

void draw_cell(Svg& svg, StormCell const& cell, Axes const& axes, Place corner) {
    auto const group = svg.group({.title = cell.title, .description = cell.verdict});
    Tenths const left = corner.x + kNumbers;
    svg.text({left, corner.y + 150}, shortened_to(cell.title, 115, kPlotWidth + 200), {.size = 115, .bold = true});
    svg.text({left, corner.y + 290}, shortened_to(cell.verdict, kTextSize, kPlotWidth + 200),
             {.size = kTextSize, .paint = cell.ready ? Paint::soft : Paint::alarm});
    if (cell.numbers.queue_depth.empty() && cell.numbers.checked_in.empty())
        return;
    Box const queue{left, corner.y + kTitleRoom, kPlotWidth, kQueueHeight};
    Box const drops{left, queue.y + kQueueHeight + kBetween, kPlotWidth, kDropsHeight};
    draw_panel(svg, queue_of(cell, axes), queue, axes.end_ns);
    draw_panel(svg, drops_of(cell, axes), drops, axes.end_ns);
    draw_times(svg, drops, axes.end_ns);
}

Legend legend_of(Tenths width) {
    Legend legend(width);
    auto const line = [](Paint paint, Dash dash, Tenths thick) {
        return [=](Svg& svg, Place middle) {
            svg.line({middle.x - 130, middle.y}, {middle.x + 130, middle.y},
                     {.stroke = paint, .width = thick, .dash = dash});
        };
    };
    legend.add("waiting in root 0's queue", line(Paint::blue, Dash::solid, 16));
    legend.add("its backlog", line(Paint::alarm, Dash::dashed, 12));
    legend.add("SYNs dropped", line(Paint::alarm, Dash::solid, 16));
    legend.add("SYNs sent again", line(Paint::green, Dash::dashed, 16));
    legend.add("ghosts", line(Paint::purple, Dash::dotted, 16));
    return legend;
}

}  // namespace

std::string storm_grid(std::string_view title, std::string_view subtitle, std::span<StormCell const> cells,
                       std::size_t columns) {
    Axes const axes(cells);
    auto const across = static_cast<Tenths>(std::clamp<std::size_t>(columns, 1, kMostStormColumns));
    Tenths const rows = (static_cast<Tenths>(cells.size()) + across - 1) / across;
    // Wide enough for the legend to stay legible where there is but one column.
    Tenths const width = std::max<Tenths>(2 * kMargin + across * kCellWidth, 6'000);
    Heading const heading({title, subtitle, "", true}, width);
    Legend const legend = legend_of(width - 2 * kMargin);
    Tenths const height = heading.height() + rows * kCellHeight + legend.height() + 2 * kMargin;
    Svg svg({width, height}, title,
            fmt::format("Accept queue of root 0, and what a full one costs, in {} worlds, over {} each. {}",
                        cells.size(), about_time(axes.end_ns), subtitle));
    heading.draw(svg);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Tenths const at = static_cast<Tenths>(i);
        draw_cell(svg, cells[i], axes,
                  {kMargin + at % across * kCellWidth, heading.height() + at / across * kCellHeight});
    }
    legend.draw(svg, {kMargin, height - kMargin - legend.height()});
    return svg.finish();
}

}  // namespace ronde::viz
