#include "report/sweep.hpp"

#include "scenario/scenario.hpp"
#include "world/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace ronde::sim {
namespace {

/// The values of combination `row`, the last axis running fastest.
std::vector<std::string> combination(std::span<Axis const> axes, std::size_t row) {
    std::vector<std::string> values(axes.size());
    for (std::size_t a = axes.size(); a-- > 0;) {
        values[a] = axes[a].values[row % axes[a].values.size()];
        row /= axes[a].values.size();
    }
    return values;
}

void run_row(WorldPlan const& plan, SweepRow& row) {
    // Wall time is what a run costs here; nothing of the outcome depends on it.
    auto const start = std::chrono::steady_clock::now();
    row.outcome = World(plan).run();
    row.costs.wall_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

/// A profile sets all policies anew, so it comes before any policy that is varied with it.
Read<WorldPlan> plan_with(WorldPlan base, std::span<Axis const> axes, std::vector<std::string> const& values) {
    for (bool const profiles : {true, false}) {
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if ((axes[a].key == "profile") != profiles)
                continue;
            if (auto why = set_key(base, axes[a].key + "=" + values[a]); !why.empty())
                return tl::unexpected(std::move(why));
        }
    }
    return base;
}

Read<Axis> axis_from(std::string_view text) {
    auto const equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return tl::unexpected(fmt::format("'{}': expected KEY=VALUE,VALUE, such as ranks=1k,8k,98k", text));
    Axis axis{std::string(text.substr(0, equals)), {}};
    text.remove_prefix(equals + 1);
    for (;;) {
        auto const comma = text.find(',');
        axis.values.emplace_back(text.substr(0, comma));
        if (axis.values.back().empty())
            return tl::unexpected(fmt::format("{}: a value is empty; expected KEY=VALUE,VALUE", axis.key));
        if (comma == std::string_view::npos)
            return axis;
        text.remove_prefix(comma + 1);
    }
}

Read<std::vector<SweepRow>> run_sweep(WorldPlan const& base, std::span<Axis const> axes, std::uint32_t jobs,
                                      std::function<void(std::size_t, std::size_t)> const& done) {
    std::size_t count = 1;
    for (Axis const& axis : axes) {
        count *= axis.values.size();
        if (count > kMostSweepRows)
            return tl::unexpected(fmt::format("more than {} combinations; vary less at once", kMostSweepRows));
    }
    std::vector<SweepRow> rows(count);
    std::vector<WorldPlan> plans(count);
    for (std::size_t i = 0; i < count; ++i) {
        rows[i].values = combination(axes, i);
        auto plan = plan_with(base, axes, rows[i].values);
        if (!plan)
            return tl::unexpected(plan.error());
        plans[i] = std::move(*plan);
        rows[i].problem = contradiction_in(plans[i]);
    }

    std::atomic<std::size_t> next{0};
    std::mutex reporting;
    std::size_t finished = 0;
    auto const work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            if (rows[i].problem.empty())
                run_row(plans[i], rows[i]);
            std::lock_guard const lock(reporting);
            ++finished;
            if (done)
                done(finished, count);
        }
    };
    std::vector<std::jthread> threads;
    for (std::uint32_t j = 1; j < std::min<std::size_t>(jobs, count); ++j)
        threads.emplace_back(work);
    work();
    threads.clear();  // joins
    return rows;
}

}  // namespace ronde::sim
