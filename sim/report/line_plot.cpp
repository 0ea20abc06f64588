#include "report/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace ronde::sim {
namespace {

// All lengths in tenths of a pixel.
constexpr std::int64_t kWidth = 10'500;
constexpr std::int64_t kHeight = 5'400;
constexpr std::int64_t kLeft = 900;
constexpr std::int64_t kRight = 6'700;
constexpr std::int64_t kTop = 600;
constexpr std::int64_t kBottom = 4'700;
constexpr std::int64_t kLabelGap = 160;

/// The palette of Okabe and Ito without its yellow, which is too pale for a line on white.
constexpr std::array<std::string_view, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#000000", "#e69f00", "#56b4e9"};
constexpr std::array<std::string_view, 4> kDashes{"", "7 3", "2 3", "9 3 2 3"};

std::string px(std::int64_t tenths) { return fmt::format("{}.{}", tenths / 10, tenths % 10); }

std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += c; break;
        }
    }
    return result;
}

struct Named {
    std::uint64_t value;
    std::string_view text;
};

/// Ticks of a count are powers of ten; those of a time are powers of ten of a second.
std::string tick_text(std::uint64_t value, PlotUnit unit) {
    constexpr std::array<Named, 4> kCounts{{{1'000'000'000, " G"}, {1'000'000, " M"}, {1'000, " k"}, {1, ""}}};
    constexpr std::array<Named, 4> kTimes{{{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " us"}, {1, " ns"}}};
    for (Named const& scale : unit == PlotUnit::count ? kCounts : kTimes) {
        if (value >= scale.value)
            return fmt::format("{}{}", value / scale.value, scale.text);
    }
    return "0";
}

/// One axis: from the power of ten below the least value to the one above the most.
class Scale {
public:
    Scale(std::uint64_t least, std::uint64_t most, std::int64_t from, std::int64_t to) : from_(from), to_(to) {
        while (least_ <= least / 10)
            least_ *= 10;
        most_ = least_ * 10;
        while (most_ < most && most_ <= kMost / 10)
            most_ *= 10;
    }
    [[nodiscard]] std::int64_t at(std::uint64_t value) const {
        std::int64_t const low = log2_fixed(least_);
        std::int64_t const high = log2_fixed(most_);
        return from_ + (to_ - from_) * (log2_fixed(value) - low) / (high - low);
    }
    [[nodiscard]] std::vector<std::uint64_t> ticks() const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t tick = least_; tick < most_; tick *= 10)
            all.push_back(tick);
        all.push_back(most_);
        return all;
    }

private:
    static constexpr std::uint64_t kMost = 1'000'000'000'000'000'000U;
    std::int64_t from_;
    std::int64_t to_;
    std::uint64_t least_ = 1;
    std::uint64_t most_ = 10;
};

bool drawable(PlotPoint const& point) { return point.x > 0 && point.y > 0; }

std::string frame(LinePlot const& plot, Scale const& x, Scale const& y) {
    std::string svg;
    for (std::uint64_t const tick : x.ticks()) {
        auto const at = px(x.at(tick));
        svg += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" class=\"grid\"/>\n", at, px(kTop),
                           px(kBottom));
        svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", at, px(kBottom + 180),
                           tick_text(tick, plot.x_unit));
    }
    for (std::uint64_t const tick : y.ticks()) {
        auto const at = y.at(tick);
        svg += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" class=\"grid\"/>\n", px(kLeft), px(at),
                           px(kRight));
        svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", px(kLeft - 80), px(at + 40),
                           tick_text(tick, plot.y_unit));
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", px((kLeft + kRight) / 2),
                       px(kBottom + 420), escaped(plot.x_label));
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", px(kLeft), px(kTop - 90), escaped(plot.y_label));
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n", px(kLeft), px(kTop - 310),
                       escaped(plot.title));
    return svg;
}

std::string marker(std::size_t kind, std::int64_t x, std::int64_t y, std::string_view colour) {
    constexpr std::int64_t kSize = 40;
    switch (kind % 3) {
    case 0: return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", px(x), px(y), px(kSize), colour);
    case 1:
        return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", px(x - kSize),
                           px(y - kSize), px(2 * kSize), px(2 * kSize), colour);
    default:
        return fmt::format("<path d=\"M{} {}L{} {}L{} {}z\" fill=\"{}\"/>\n", px(x), px(y - kSize - 10),
                           px(x + kSize + 10), px(y + kSize), px(x - kSize - 10), px(y + kSize), colour);
    }
}

}  // namespace

std::int64_t log2_fixed(std::uint64_t value) {
    auto const whole = static_cast<int>(std::bit_width(value)) - 1;
    // The mantissa in 1.31; squaring it shifts its logarithm's next bit in front of the point.
    std::uint64_t mantissa = whole >= 31 ? value >> (whole - 31) : value << (31 - whole);
    std::int64_t result = whole;
    for (int bit = 0; bit < 16; ++bit) {
        mantissa = mantissa * mantissa >> 31;
        bool const one = mantissa >> 32 != 0;
        if (one)
            mantissa >>= 1;
        result = result * 2 + (one ? 1 : 0);
    }
    return result;
}

std::string plot_svg(LinePlot const& plot) {
    std::vector<PlotPoint> all;
    for (PlotLine const& line : plot.lines)
        std::copy_if(line.points.begin(), line.points.end(), std::back_inserter(all), drawable);
    if (all.empty())
        all.push_back({1, 1});
    auto const by_x = [](PlotPoint const& a, PlotPoint const& b) { return a.x < b.x; };
    auto const by_y = [](PlotPoint const& a, PlotPoint const& b) { return a.y < b.y; };
    auto const [x_least, x_most] = std::minmax_element(all.begin(), all.end(), by_x);
    auto const [y_least, y_most] = std::minmax_element(all.begin(), all.end(), by_y);
    Scale const x(x_least->x, x_most->x, kLeft, kRight);
    Scale const y(y_least->y, y_most->y, kBottom, kTop);

    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
                    "font-size=\"12\">\n"
                    "<style>.grid{{stroke:#ddd}}.title{{font-size:15px;font-weight:bold}}</style>\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                    kWidth / 10, kHeight / 10);
    svg += frame(plot, x, y);

    struct Label {
        std::int64_t y;
        std::size_t line;
    };
    std::vector<Label> labels;
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        auto points = plot.lines[i].points;
        std::erase_if(points, [](PlotPoint const& point) { return !drawable(point); });
        if (points.empty())
            continue;
        std::stable_sort(points.begin(), points.end(), by_x);
        std::string_view const colour = kColours[i % kColours.size()];
        std::string path, marks;
        for (PlotPoint const& point : points) {
            path += fmt::format("{}{} {}", path.empty() ? "M" : "L", px(x.at(point.x)), px(y.at(point.y)));
            marks += marker(i, x.at(point.x), y.at(point.y), colour);
        }
        std::string_view const dash = kDashes[i / kColours.size() % kDashes.size()];
        svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, colour,
                           dash.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dash));
        svg += marks;
        labels.push_back({y.at(points.back().y), i});
    }
    // Names stand beside their lines' ends, moved down where they would cover one another.
    std::stable_sort(labels.begin(), labels.end(), [](Label const& a, Label const& b) { return a.y < b.y; });
    std::int64_t lowest = kTop - kLabelGap;
    for (Label const& label : labels) {
        lowest = std::max(lowest + kLabelGap, label.y);
        std::string_view const colour = kColours[label.line % kColours.size()];
        svg += marker(label.line, kRight + 120, lowest, colour);
        svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", px(kRight + 220), px(lowest + 40),
                           escaped(plot.lines[label.line].label));
    }
    return svg + "</svg>\n";
}

}  // namespace ronde::sim
