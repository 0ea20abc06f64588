/// `ronde sweep`: a scenario with some of its keys varied, as a table, as CSV or JSON, and as a plot.
#include "report/sweep.hpp"

#include "cli/run_folder.hpp"
#include "cli/sim_options.hpp"
#include "cli/values.hpp"
#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

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
};

/// What a world cost here is no part of what is kept.
void keep_sweep(SweepOptions const& options, sim::WorldPlan const& base, std::vector<sim::Axis> const& axes,
                std::vector<sim::SweepRow> rows) {
    for (sim::SweepRow& row : rows)
        row.costs = {};
    RunFolder folder(options.out, "sweep-" + base.name);
    folder.put("scenario.toml", write_scenario(base), "what was varied; ronde sim scenario.toml plays it as it is");
    folder.put("results.json", sweep_json(axes, rows),
               "the report of --format json, with 0 for what a world cost here");
    folder.put("results.csv", sweep_csv(axes, rows), "the same as --format csv");
    if (auto const plot = sim::sweep_svg(base.name, axes, rows))
        folder.put("plot.svg", *plot, "time to the full table over the first varied number");
    else
        folder.leave_out("plot.svg", plot.error());
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
    switch (options.format) {
    case SweepFormat::text: deliver(sim::sweep_text(axes, *rows), options.report); break;
    case SweepFormat::csv: deliver(sim::sweep_csv(axes, *rows), options.report); break;
    case SweepFormat::json: deliver(sim::sweep_json(axes, *rows), options.report); break;
    }
    if (!options.out.empty()) {
        std::fflush(stdout);
        keep_sweep(options, base, axes, std::move(*rows));
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
    command->add_option("--plot", options->plot, "Draw time to the full table over the first varied number, as SVG")
        ->type_name("FILE")
        ->group(group);
    command->callback([options, &outcome] { outcome = sweep(*options); });
}

}  // namespace ronde::cli
