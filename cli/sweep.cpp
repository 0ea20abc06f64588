/// `ronde sweep`: a scenario with some of its keys varied, as a table, as CSV or JSON, and as a plot.
#include "report/sweep.hpp"

#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
#include "cli/run_folder.hpp"
#include "cli/sim_options.hpp"
#include "cli/values.hpp"
#include "report/words.hpp"
#include "scenario/atomic_file.hpp"
#include "storm/storm_grid.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

namespace ronde::cli {
namespace {

enum class SweepFormat : std::uint8_t { text, csv, json };

struct SweepOptions {
    ScenarioChoice choice;
    std::vector<std::string> vary;
    std::uint32_t jobs = 1;
    SweepFormat format = SweepFormat::text;
    std::string report;  ///< a file for what would be printed
    std::string out;     ///< below it a folder of this run is left
    std::string plot;
    PictureOutput picture;  ///< no file: none
};

// --- many storms side by side ---------------------------------------------------------------------------------------

/// "ranks=4k, somaxconn=128": the last word of a key says enough.
std::string cell_title(std::vector<sim::Axis> const& axes, sim::SweepRow const& row) {
    std::string title;
    for (std::size_t a = 0; a < axes.size(); ++a)
        title +=
            fmt::format("{}{}={}", a == 0 ? "" : ", ", axes[a].key.substr(axes[a].key.rfind('.') + 1), row.values[a]);
    return title;
}

viz::StormCell cell_of(sim::WorldPlan const& base, std::vector<sim::Axis> const& axes, sim::SweepRow const& row) {
    viz::StormCell cell{cell_title(axes, row), row.problem, false, {}};
    auto const plan = plan_with(base, axes, row.values);
    if (!row.problem.empty() || !plan)
        return cell;
    viz::Chronicle const chronicle = viz::chronicle_of_plan(*plan);
    cell.ready = chronicle.ready;
    cell.verdict = row.outcome && row.outcome->all_ready()
                       ? fmt::format("full table after {}", sim::about(row.outcome->last_table_ns))
                       : chronicle.verdict;
    cell.numbers = storm_numbers(chronicle);
    return cell;
}

/// Each world is played once more, by as many threads as the sweep had, and watched.
std::vector<viz::StormCell> cells_of(sim::WorldPlan const& base, std::vector<sim::Axis> const& axes,
                                     std::vector<sim::SweepRow> const& rows, std::uint32_t jobs) {
    std::vector<viz::StormCell> cells(rows.size());
    std::atomic<std::size_t> next{0};
    auto const work = [&] {
        for (std::size_t i = next++; i < rows.size(); i = next++)
            cells[i] = cell_of(base, axes, rows[i]);
    };
    std::vector<std::jthread> threads;
    for (std::uint32_t j = 1; j < std::min<std::size_t>(jobs, rows.size()); ++j)
        threads.emplace_back(work);
    work();
    threads.clear();  // joins
    return cells;
}

std::string too_many_cells(std::size_t count) {
    return count <= viz::kMostStormCells
               ? std::string()
               : fmt::format("{} worlds do not fit into one picture, {} do; vary less at once", count,
                             viz::kMostStormCells);
}

/// The last axis runs from left to right, as far as there is room for it.
std::string storms_svg(sim::WorldPlan const& base, std::vector<sim::Axis> const& axes,
                       std::vector<sim::SweepRow> const& rows, std::uint32_t jobs) {
    std::vector<viz::StormCell> const cells = cells_of(base, axes, rows, jobs);
    std::size_t const last = axes.back().values.size();
    std::size_t const columns = last <= viz::kMostStormColumns ? last : 4;
    return viz::storm_grid(
        fmt::format("{}: {} worlds, one storm each", base.name, rows.size()),
        "one axis of time; one scale for what waits in the queue, one for what a full queue costs, since the beginning",
        cells, columns);
}

// --- what is left of it ---------------------------------------------------------------------------------------------

/// What a world cost here is no part of what is kept.
void keep_sweep(RunFolder& folder, std::uint32_t jobs, sim::WorldPlan const& base, std::vector<sim::Axis> const& axes,
                std::vector<sim::SweepRow> rows) {
    for (sim::SweepRow& row : rows)
        row.costs = {};
    folder.without_page();
    folder.put("scenario.toml", write_scenario(base), "what was varied; ronde sim scenario.toml plays it as it is");
    folder.put("results.json", sweep_json(axes, rows),
               "the report of --format json, with 0 for what a world cost here");
    folder.put("results.csv", sweep_csv(axes, rows), "the same as --format csv");
    if (auto const plot = sim::sweep_svg(base.name, axes, rows))
        folder.put("plot.svg", *plot, "time to the full table over the first varied number");
    else
        folder.leave_out("plot.svg", plot.error());
    if (auto const why = too_many_cells(rows.size()); !why.empty())
        folder.leave_out("storms.svg", why);
    else
        folder.put("storms.svg", storms_svg(base, axes, rows, jobs), "the storm of each world, side by side");
    folder.finish(fmt::format("{}: {} worlds", base.name, rows.size()), command_line());
}

Exit sweep(SweepOptions const& options) {
    if (options.choice.scenario.empty())
        throw UsageError("SCENARIO is missing: a name of `ronde sim --list`, or a file such as ./mine.toml");
    if (options.vary.empty())
        throw UsageError("--vary KEY=VALUE,VALUE is missing, such as --vary ranks=1k,8k,98k");
    std::vector<sim::Axis> axes;
    for (std::string const& text : options.vary) {
        auto axis = sim::axis_from(text);
        if (!axis)
            throw UsageError("--vary " + axis.error());
        axes.push_back(std::move(*axis));
    }
    sim::WorldPlan const base = options.choice.plan();
    static_cast<void>(options.picture.chosen());  // before the work, so that a wrong name is told at once

    auto const folder = folder_for(options.out, "sweep-" + base.name);
    auto rows = [&] {
        StatusLine status;
        return sim::run_sweep(base, axes, options.jobs, [&status](std::size_t done, std::size_t of) {
            if (status.due())
                status.show(fmt::format("{} of {} worlds", done, of));
        });
    }();
    if (!rows)
        throw UsageError("--vary " + rows.error());
    if (!options.plot.empty()) {
        auto const svg = sim::sweep_svg(base.name, axes, *rows);
        if (!svg)
            throw UsageError(fmt::format("--plot {}: {}", options.plot, svg.error()));
        if (auto const why = sim::write_file(options.plot, *svg); !why.empty())
            throw LauncherError("--plot " + why);
    }
    if (!options.picture.file.empty()) {
        if (auto const why = too_many_cells(rows->size()); !why.empty())
            throw UsageError("--picture: " + why);
        deliver_svg(storms_svg(base, axes, *rows, options.jobs), options.picture);
    }
    switch (options.format) {
    case SweepFormat::text: deliver(sim::sweep_text(axes, *rows), options.report); break;
    case SweepFormat::csv: deliver(sim::sweep_csv(axes, *rows), options.report); break;
    case SweepFormat::json: deliver(sim::sweep_json(axes, *rows), options.report); break;
    }
    if (folder) {
        std::fflush(stdout);
        keep_sweep(*folder, options.jobs, base, axes, std::move(*rows));
    }
    // A row that failed is an answer; only a sweep that could not be made is a failure.
    return Exit::ok;
}

}  // namespace

void register_sweep(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<SweepOptions>();
    CLI::App* const command =
        app.add_subcommand("sweep", "Play a scenario with every combination of varied keys; table, CSV, plot");
    command->footer(
        "Example: ronde sweep storm-98k --vary ranks=1k,8k,98k --vary roots=1,16 --jobs 2 --plot storm.svg");
    add_scenario_options(*command, options->choice);
    std::string const group = "Sweep";
    command->add_option("--vary", options->vary, "A key and its values; may be given again: all combinations are run")
        ->type_name("KEY=V,V,...")
        ->expected(1)
        ->take_all()
        ->group(group);
    command
        ->add_option_function<std::string>(
            "--jobs",
            [options](std::string const& text) {
                auto const jobs = parse_count(text, 1, 1'024);
                if (!jobs)
                    throw CLI::ValidationError("--jobs", jobs.error());
                options->jobs = static_cast<std::uint32_t>(*jobs);
            },
            "Worlds that run at once (1); results do not depend on it")
        ->type_name("J")
        ->group(group);
    command
        ->add_option_function<std::string>(
            "--format",
            [options](std::string const& name) {
                options->format = static_cast<SweepFormat>(parse_format(name, {"text", "csv", "json"}));
            },
            "text, csv or json (text)")
        ->type_name("NAME")
        ->group(group);
    command->add_option("-o", options->report, "Put the result into FILE, in one step")
        ->type_name("FILE")
        ->group(group);
    add_folder_option(*command, options->out);
    command
        ->add_option("--picture", options->picture.file,
                     "Draw the storm of each world side by side into FILE (.svg, .png or .pdf); up to 64 worlds")
        ->type_name("FILE")
        ->group(group);
    command->add_option("--plot", options->plot, "Draw time to the full table over the first varied number, as SVG")
        ->type_name("FILE")
        ->group(group);
    command->callback([options, &outcome] { outcome = sweep(*options); });
}

}  // namespace ronde::cli
