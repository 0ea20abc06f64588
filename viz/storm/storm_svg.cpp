#include "storm/storm_svg.hpp"

#include "report/line_plot.hpp"
#include "storm/panel.hpp"
#include "svg/heading.hpp"
#include "svg/text_size.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

using Anchor = TextStyle::Anchor;

constexpr Tenths kWidth = 10'200;
constexpr Tenths kMargin = Heading::kMargin;
constexpr Tenths kLeft = 950;
constexpr Tenths kPlotWidth = 7'400;
constexpr Tenths kPanelHeight = 1'150;
constexpr Tenths kPanelGap = 420;
constexpr Tenths kRow = 190;
constexpr Tenths kTextSize = 105;
constexpr Tenths kTitleSize = 115;

std::vector<Panel> panels_of(StormNumbers const& numbers) {
    std::vector<Panel> panels;
    if (numbers.queue_depth.empty() && numbers.checked_in.empty())
        return panels;
    Panel queue{"connections in the accept queue of root 0", {{"waiting", numbers.queue_depth}}, {}, 0, 0, {}};
    if (numbers.backlog > 0) {
        queue.limit = numbers.backlog;
        queue.limit_label = fmt::format("backlog {}", in_groups(numbers.backlog));
    }
    panels.push_back(std::move(queue));
    panels.push_back({fmt::format("accepts per second (in each {})", exact_time(numbers.rate_interval_ns)),
                      {},
                      numbers.accepts_per_second,
                      numbers.rate_interval_ns,
                      0,
                      {}});
    auto const happened = [](std::vector<StormPoint> const& points) {
        return !points.empty() && points.back().value > 0;
    };
    Panel trouble{"what a full queue costs, since the beginning", {}, {}, 0, 0, {}};
    if (happened(numbers.syn_drops))
        trouble.lines.push_back({"SYNs dropped", numbers.syn_drops, Paint::alarm, Dash::solid});
    if (happened(numbers.syn_retransmits))
        trouble.lines.push_back({"SYNs sent again", numbers.syn_retransmits, Paint::blue, Dash::dashed});
    if (happened(numbers.ghosts))
        trouble.lines.push_back({"ghosts", numbers.ghosts, Paint::purple, Dash::dotted});
    if (happened(numbers.data_retransmits))
        trouble.lines.push_back({"data sent again", numbers.data_retransmits, Paint::orange, Dash::dashed});
    if (!trouble.lines.empty())
        panels.push_back(std::move(trouble));
    panels.push_back({"check-ins at root 0", {{"checked in", numbers.checked_in, Paint::green}}, {}, 0, 0, {}});
    return panels;
}

/// Bars with their numbers: how many connections took how many SYNs.
class RetriesTable {
public:
    explicit RetriesTable(std::vector<std::uint64_t> const& counts) : counts_(counts) {}

    [[nodiscard]] Tenths height() const {
        return counts_.empty() ? 0 : kPanelGap + static_cast<Tenths>(counts_.size()) * kRow;
    }
    void draw(Svg& svg, Tenths y) const {
        if (counts_.empty())
            return;
        auto const group = svg.group({.title = "connections by SYNs sent again"});
        svg.text({kMargin, y += kPanelGap * 2 / 3}, "connections by the SYNs that were sent again for them",
                 {.size = kTitleSize, .bold = true});
        y += kPanelGap / 3;
        std::uint64_t const most = std::max<std::uint64_t>(1, *std::max_element(counts_.begin(), counts_.end()));
        for (std::size_t retries = 0; retries < counts_.size(); ++retries, y += kRow) {
            svg.text({kLeft + 1'250, y + kRow / 2 + kTextSize / 3},
                     retries == 0 ? "none" : fmt::format("{} again", retries),
                     {.size = kTextSize, .anchor = Anchor::end, .paint = Paint::soft});
            std::uint64_t const count = counts_[retries];
            Tenths const length =
                std::max<Tenths>(count > 0 ? 10 : 0, static_cast<Tenths>(count * (kPlotWidth - 1'400) / most));
            svg.box({kLeft + 1'350, y + 25, length, kRow - 50}, {.fill = retries == 0 ? Paint::blue : Paint::orange});
            svg.text({kLeft + 1'400 + length, y + kRow / 2 + kTextSize / 3}, in_groups(count), {.size = kTextSize});
        }
    }

private:
    std::vector<std::uint64_t> const& counts_;
};

/// How long ranks stayed in each phase: from the first to the last, with the median and the 99th percentile.
class PhaseRanges {
public:
    explicit PhaseRanges(std::vector<PhaseQuantiles> const& phases) : phases_(phases) {
        for (PhaseQuantiles const& phase : phases_) {
            least_ns_ = std::min(least_ns_, std::max<TimeNs>(kLeast, phase.least_ns));
            most_ns_ = std::max(most_ns_, phase.most_ns);
        }
        while (from_ns_ <= least_ns_ / 10)
            from_ns_ *= 10;
        to_ns_ = from_ns_ * 10;
        while (to_ns_ < most_ns_)
            to_ns_ *= 10;
    }

    [[nodiscard]] Tenths height() const {
        return phases_.empty() ? 0 : kPanelGap * 2 + static_cast<Tenths>(phases_.size()) * kRow;
    }
    void draw(Svg& svg, Tenths y) const {
        if (phases_.empty())
            return;
        auto const group = svg.group({.title = "time in each phase"});
        svg.text({kMargin, y += kPanelGap * 2 / 3},
                 "time in each phase: all ranks between first and last; median (mark) and 99 % (bar)",
                 {.size = kTitleSize, .bold = true});
        y += kPanelGap / 3;
        Tenths const bottom = y + static_cast<Tenths>(phases_.size()) * kRow;
        for (TimeNs tick = from_ns_; tick <= to_ns_; tick *= 10) {
            svg.line({x(tick), y}, {x(tick), bottom}, {.stroke = Paint::faint, .width = 6});
            svg.text({x(tick), bottom + 130}, exact_time(tick),
                     {.size = kTextSize, .anchor = Anchor::middle, .paint = Paint::soft});
        }
        for (PhaseQuantiles const& phase : phases_) {
            draw_row(svg, phase, y + kRow / 2);
            y += kRow;
        }
    }

private:
    static constexpr TimeNs kLeast = 1'000;  ///< shorter times stand at the left edge
    static constexpr Tenths kPlotLeft = kLeft + 2'100;

    [[nodiscard]] Tenths x(TimeNs time_ns) const {
        auto const log = [](TimeNs value) { return sim::log2_fixed(static_cast<std::uint64_t>(value)); };
        TimeNs const inside = std::max(time_ns, from_ns_);
        return kPlotLeft + (kWidth - 1'500 - kPlotLeft) * (log(inside) - log(from_ns_)) / (log(to_ns_) - log(from_ns_));
    }

    void draw_row(Svg& svg, PhaseQuantiles const& phase, Tenths y) const {
        PhaseLook const look = look_of(phase.phase);
        std::string name(protocol::name_of(phase.phase));
        std::replace(name.begin(), name.end(), '_', ' ');
        if (phase.rank_class != "all ranks")
            name += ", " + phase.rank_class;
        svg.text({kPlotLeft - 120, y + kTextSize / 3}, shortened_to(name, kTextSize, kPlotLeft - kMargin - 120),
                 {.size = kTextSize, .anchor = Anchor::end});
        std::string const title =
            fmt::format("{} ranks: p0 {}, p50 {}, p99 {}, p100 {}", in_groups(phase.ranks), about_time(phase.least_ns),
                        about_time(phase.median_ns), about_time(phase.p99_ns), about_time(phase.most_ns));
        svg.line({x(phase.least_ns), y}, {x(phase.most_ns), y}, {.stroke = Paint::soft, .width = 24, .title = title});
        svg.line({x(phase.p99_ns), y - 60}, {x(phase.p99_ns), y + 60}, {.stroke = Paint::ink, .width = 20});
        svg.phase_mark({x(phase.median_ns), y}, 120, look, Paint::ink, title);
        svg.text({kWidth - 1'400, y + kTextSize / 3}, about_time(phase.most_ns),
                 {.size = kTextSize, .paint = Paint::soft});
    }

    std::vector<PhaseQuantiles> const& phases_;
    TimeNs least_ns_ = kNever;
    TimeNs most_ns_ = kLeast;
    TimeNs from_ns_ = kLeast;
    TimeNs to_ns_ = kLeast * 10;
};

/// Panels under each other and the axis of time below the last one, from `y` on.
class Plots {
public:
    explicit Plots(StormNumbers const& numbers) : panels_(panels_of(numbers)), end_ns_(numbers.end_ns) {}

    [[nodiscard]] Tenths height() const {
        return panels_.empty() ? 0 : static_cast<Tenths>(panels_.size()) * (kPanelHeight + kPanelGap) + kPanelGap;
    }
    void draw(Svg& svg, Tenths y) const {
        if (panels_.empty())
            return;
        for (Panel const& panel : panels_) {
            draw_panel(svg, panel, {kLeft, y + kPanelGap, kPlotWidth, kPanelHeight}, end_ns_);
            y += kPanelHeight + kPanelGap;
        }
        Box const last{kLeft, y - kPanelHeight, kPlotWidth, kPanelHeight};
        for (TimeNs const at_ns : round_times(end_ns_)) {
            svg.text({x_at(last, at_ns, end_ns_), y + 150}, at_ns == 0 ? "0" : exact_time(at_ns),
                     {.size = kTextSize, .anchor = Anchor::middle, .paint = Paint::soft});
        }
    }

private:
    std::vector<Panel> panels_;
    TimeNs end_ns_;
};

std::string description_of(Chronicle const& chronicle, StormNumbers const& numbers) {
    return fmt::format("The accept queue of root 0 and what the {} ranks paid for it, over {}. {}",
                       in_groups(chronicle.nranks), about_time(numbers.end_ns), chronicle.verdict);
}

}  // namespace

std::string storm_svg(Chronicle const& chronicle, StormNumbers const& numbers) {
    Heading const heading({chronicle.title, chronicle.subtitle, chronicle.verdict, chronicle.ready}, kWidth);
    Plots const plots(numbers);
    RetriesTable const retries(numbers.calls_after_retries);
    PhaseRanges const phases(numbers.phases);

    Tenths const height = heading.height() + plots.height() + retries.height() + phases.height() + 3 * kMargin;
    Svg svg({kWidth, height}, chronicle.title, description_of(chronicle, numbers));
    heading.draw(svg);
    Tenths y = heading.height();
    plots.draw(svg, y);
    y += plots.height();
    retries.draw(svg, y);
    phases.draw(svg, y + retries.height());
    std::string note = chronicle.source;
    if (!chronicle.rerun.empty())
        note += (note.empty() ? "" : "; ") + chronicle.rerun;
    svg.text({kMargin, height - kMargin}, shortened_to(note, 95, kWidth - 2 * kMargin),
             {.size = 95, .paint = Paint::soft});
    return svg.finish();
}

std::string storm_part(Chronicle const& chronicle, StormNumbers const& numbers, Embedding where) {
    Plots const plots(numbers);
    RetriesTable const retries(numbers.calls_after_retries);
    Tenths const height = plots.height() + retries.height();
    if (height == 0)
        return {};
    Svg svg({kWidth, height + kMargin}, "The storm at the door of root 0", description_of(chronicle, numbers), where);
    plots.draw(svg, 0);
    retries.draw(svg, plots.height());
    return svg.finish();
}

std::string phases_part(StormNumbers const& numbers, Embedding where) {
    PhaseRanges const phases(numbers.phases);
    if (phases.height() == 0)
        return {};
    Svg svg(
        {kWidth, phases.height()}, "How long ranks stayed in each phase",
        "For each phase a line from the first rank to the last, a mark at the median, a bar at 99 %. The table below "
        "has the numbers.",
        where);
    phases.draw(svg, 0);
    return svg.finish();
}

}  // namespace ronde::viz
