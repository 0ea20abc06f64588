/// A sweep as a table, as CSV, as JSON and as a plot.
#include "report/causes.hpp"
#include "report/line_plot.hpp"
#include "report/sweep.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ronde::sim {
namespace {

/// "failed: 8184 ended with an error": the shortest that says how a world ended.
std::string verdict_of(Outcome const& outcome) {
    if (!outcome.broken.empty())
        return "BROKEN: " + outcome.broken;
    if (outcome.all_ready())
        return "ready";
    auto const causes = causes_of(outcome);
    return fmt::format("{} of {} not ready: {}", outcome.nranks - outcome.count(End::ready), outcome.nranks,
                       causes.empty() ? std::string("no cause known") : causes.front().message);
}

/// Columns as wide as their widest cell, the last one as it is.
std::string table_text(std::vector<std::vector<std::string>> const& cells) {
    std::vector<std::size_t> widths(cells.front().size(), 0);
    for (auto const& row : cells) {
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (auto const& row : cells) {
        for (std::size_t c = 0; c + 1 < row.size(); ++c)
            text += fmt::format("{:>{}}  ", row[c], widths[c]);
        text += row.back() + "\n";
    }
    return text;
}

std::string csv_quoted(std::string_view text) {
    if (text.find_first_of(",\"\n") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (char const c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

/// The values of an axis as numbers, or nothing when one of them is none.
std::optional<std::vector<std::uint64_t>> numbers_of(Axis const& axis, PlotUnit& unit) {
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> times;
    for (std::string const& value : axis.values) {
        if (auto const count = count_from(value, 1, std::uint64_t{1} << 60))
            counts.push_back(*count);
        if (auto const time = time_from(value, 1, kLongestNs, false))
            times.push_back(static_cast<std::uint64_t>(*time));
    }
    unit = counts.size() == axis.values.size() ? PlotUnit::count : PlotUnit::nanoseconds;
    auto& found = unit == PlotUnit::count ? counts : times;
    if (found.size() != axis.values.size())
        return std::nullopt;
    return found;
}

}  // namespace

std::string sweep_text(std::span<Axis const> axes, std::span<SweepRow const> rows) {
    std::vector<std::vector<std::string>> cells(1);
    for (Axis const& axis : axes)
        cells[0].push_back(axis.key);
    for (char const* const head : {"full table", "all ready", "simulated", "messages", "SYN drops", "wall", "verdict"})
        cells[0].emplace_back(head);
    for (SweepRow const& row : rows) {
        auto line = row.values;
        if (!row.outcome) {
            line.resize(cells[0].size() - 1, "-");
            line.push_back("not run: " + row.problem);
            cells.push_back(std::move(line));
            continue;
        }
        Outcome const& o = *row.outcome;
        line.push_back(o.last_table_ns == kNever ? "-" : about(o.last_table_ns));
        line.push_back(o.last_ready_ns == kNever ? "-" : about(o.last_ready_ns));
        line.push_back(about(o.simulated_ns));
        line.push_back(about_count(o.frames));
        line.push_back(about_count(o.storm.syn_drops));
        line.push_back(about(row.costs.wall_ns));
        line.push_back(verdict_of(o));
        cells.push_back(std::move(line));
    }
    return table_text(cells);
}

std::string sweep_csv(std::span<Axis const> axes, std::span<SweepRow const> rows) {
    std::string text;
    for (Axis const& axis : axes)
        text += "vary:" + csv_quoted(axis.key) + ",";
    std::string const head = outcome_csv_head();
    auto const columns = static_cast<std::size_t>(std::count(head.begin(), head.end(), ','));
    text += head.substr(0, head.size() - 1) + ",problem\n";
    for (SweepRow const& row : rows) {
        for (std::string const& value : row.values)
            text += csv_quoted(value) + ",";
        std::string cells(columns, ',');
        if (row.outcome) {
            cells = outcome_csv_row(*row.outcome, row.costs);
            cells.pop_back();
        }
        text += cells + "," + csv_quoted(row.problem) + "\n";
    }
    return text;
}

std::string sweep_json(std::span<Axis const> axes, std::span<SweepRow const> rows) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (SweepRow const& row : rows) {
        Json values = Json::object();
        for (std::size_t a = 0; a < axes.size(); ++a)
            values[axes[a].key] = row.values[a];
        Json one{{"values", std::move(values)}, {"problem", row.problem.empty() ? Json(nullptr) : Json(row.problem)}};
        one["outcome"] = row.outcome ? Json::parse(outcome_json(*row.outcome, row.costs)) : Json(nullptr);
        list.push_back(std::move(one));
    }
    return list.dump(2) + "\n";
}

Read<std::string> sweep_svg(std::string_view title, std::span<Axis const> axes, std::span<SweepRow const> rows) {
    PlotUnit unit = PlotUnit::count;
    std::size_t across = 0;
    std::optional<std::vector<std::uint64_t>> numbers;
    for (; across < axes.size() && !numbers; ++across)
        numbers = numbers_of(axes[across], unit);
    if (!numbers)
        return tl::unexpected(std::string("no varied key has numbers or durations for the axis of a plot"));
    --across;

    LinePlot plot;
    plot.title = title;
    plot.x_label = axes[across].key;
    plot.y_label = "time to the full table";
    plot.x_unit = unit;
    std::map<std::string, std::size_t> line_of;
    bool any = false;
    for (SweepRow const& row : rows) {
        std::string label;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (a != across)
                label += fmt::format("{}{} {}", label.empty() ? "" : ", ", axes[a].key, row.values[a]);
        }
        // Lines in the order in which their first row comes.
        auto const [at, fresh] = line_of.try_emplace(label, plot.lines.size());
        if (fresh)
            plot.lines.push_back({label.empty() ? std::string(title) : label, {}});
        if (!row.outcome || row.outcome->last_table_ns == kNever)
            continue;
        auto const& values = axes[across].values;
        auto const index = std::find(values.begin(), values.end(), row.values[across]) - values.begin();
        plot.lines[at->second].points.push_back(
            {(*numbers)[static_cast<std::size_t>(index)], static_cast<std::uint64_t>(row.outcome->last_table_ns)});
        any = true;
    }
    if (!any)
        return tl::unexpected(std::string("nothing to plot: no combination had its full table"));
    return plot_svg(plot);
}

}  // namespace ronde::sim
