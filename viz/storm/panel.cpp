#include "storm/panel.hpp"

#include "timeline/time_text.hpp"

#include <algorithm>

namespace ronde::viz {
namespace {

constexpr Tenths kTextSize = 100;
constexpr Tenths kLabelDistance = 130;

/// From 0 to the first round step that is not below all values.
struct Height {
    std::uint64_t most = 1;
    std::uint64_t step = 1;

    explicit Height(std::uint64_t value) {
        constexpr std::uint64_t kSteps = 3;
        step = static_cast<std::uint64_t>(
            round_step(static_cast<std::int64_t>(std::max<std::uint64_t>(1, value / kSteps))));
        most = std::max<std::uint64_t>(1, (value + step - 1) / step) * step;
    }
    [[nodiscard]] Tenths y(Box const& box, std::uint64_t value) const {
        return box.y + box.height - static_cast<Tenths>(value * static_cast<std::uint64_t>(box.height) / most);
    }
};

std::uint64_t highest(Panel const& panel) {
    std::uint64_t most = std::max(panel.limit, panel.at_least);
    for (PanelLine const& line : panel.lines) {
        for (StormPoint const& point : line.points)
            most = std::max(most, point.value);
    }
    for (StormPoint const& bar : panel.bars)
        most = std::max(most, bar.value);
    return most;
}

/// A line of steps. Of many values within one px the highest and the lowest are drawn: what is seen is the same.
Path step_path(PanelLine const& line, Box const& box, Height const& height, TimeNs end_ns) {
    constexpr Tenths kColumn = 10;
    Path path;
    Tenths y = height.y(box, 0);
    for (std::size_t i = 0; i < line.points.size();) {
        Tenths const x = x_at(box, line.points[i].at_ns, end_ns);
        Tenths lowest = height.y(box, line.points[i].value);
        Tenths most = lowest;
        Tenths last = lowest;
        for (++i; i < line.points.size() && x_at(box, line.points[i].at_ns, end_ns) < x + kColumn; ++i) {
            last = height.y(box, line.points[i].value);
            lowest = std::max(lowest, last);
            most = std::min(most, last);
        }
        if (path.empty())
            path.move({x, y});
        else
            path.line({x, y});
        for (Tenths const turn : {most, lowest, last}) {
            if (turn != y)
                path.line({x, turn});
            y = turn;
        }
    }
    if (!path.empty())
        path.line({box.x + box.width, y});
    return path;
}

void draw_axis(Svg& svg, Box const& box, Height const& height, TimeNs end_ns) {
    for (TimeNs const at_ns : round_times(end_ns)) {
        Tenths const x = x_at(box, at_ns, end_ns);
        svg.line({x, box.y}, {x, box.y + box.height}, {.stroke = Paint::faint, .width = 6});
    }
    for (std::uint64_t value = 0; value <= height.most; value += height.step) {
        Tenths const y = height.y(box, value);
        svg.line({box.x, y}, {box.x + box.width, y},
                 {.stroke = value == 0 ? Paint::soft : Paint::faint, .width = value == 0 ? 8 : 6});
        svg.text({box.x - 70, y + kTextSize / 3}, in_groups(value),
                 {.size = kTextSize, .anchor = TextStyle::Anchor::end, .paint = Paint::soft});
    }
}

/// Names at the right end of their lines, moved down where they would cover one another, and up again at the bottom.
void draw_labels(Svg& svg, Panel const& panel, Box const& box, Height const& height) {
    struct Label {
        Tenths y;
        PanelLine const* line;
    };
    std::vector<Label> labels;
    for (PanelLine const& line : panel.lines) {
        if (!line.points.empty() && !line.label.empty())
            labels.push_back({height.y(box, line.points.back().value), &line});
    }
    std::stable_sort(labels.begin(), labels.end(), [](Label const& a, Label const& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i)
        labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLabelDistance);
    Tenths lowest = box.y + box.height;
    for (std::size_t i = labels.size(); i-- > 0; lowest -= kLabelDistance)
        labels[i].y = lowest = std::min(labels[i].y, lowest);
    for (Label const& label : labels) {
        Tenths const x = box.x + box.width;
        svg.line({x + 60, label.y}, {x + 260, label.y},
                 {.stroke = label.line->paint, .width = 20, .dash = label.line->dash});
        svg.text({x + 310, label.y + kTextSize / 3}, label.line->label, {.size = kTextSize});
    }
}

}  // namespace

std::vector<TimeNs> round_times(TimeNs end_ns) {
    constexpr TimeNs kTicks = 8;
    TimeNs const step_ns = round_step(std::max<TimeNs>(1, end_ns / kTicks));
    std::vector<TimeNs> times;
    for (TimeNs at_ns = 0; at_ns <= end_ns; at_ns += step_ns)
        times.push_back(at_ns);
    return times;
}

Tenths x_at(Box const& box, TimeNs at_ns, TimeNs end_ns) {
    return box.x + std::clamp<TimeNs>(at_ns, 0, end_ns) * box.width / end_ns;
}

void draw_panel(Svg& svg, Panel const& panel, Box const& box, TimeNs end_ns) {
    auto const group = svg.group({.title = panel.title});
    Height const height(highest(panel));
    svg.text({box.x, box.y - 70}, panel.title, {.size = 115, .bold = true});
    draw_axis(svg, box, height, end_ns);
    for (StormPoint const& bar : panel.bars) {
        Tenths const left = x_at(box, bar.at_ns, end_ns);
        Tenths const right = x_at(box, bar.at_ns + panel.bar_ns, end_ns);
        Tenths const y = height.y(box, bar.value);
        if (bar.value > 0 && right > left)
            svg.box({left, y, std::max<Tenths>(5, right - left - 10), box.y + box.height - y}, {.fill = Paint::blue});
    }
    for (PanelLine const& line : panel.lines)
        svg.path(step_path(line, box, height, end_ns), {.stroke = line.paint, .width = 16, .dash = line.dash});
    if (panel.limit > 0) {
        Tenths const y = height.y(box, panel.limit);
        svg.line({box.x, y}, {box.x + box.width, y}, {.stroke = Paint::alarm, .width = 12, .dash = Dash::dashed});
        svg.text({box.x + box.width - 40, y - 40}, panel.limit_label,
                 {.size = kTextSize, .anchor = TextStyle::Anchor::end, .paint = Paint::alarm, .halo = true});
    }
    draw_labels(svg, panel, box, height);
}

}  // namespace ronde::viz
