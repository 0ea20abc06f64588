/// `ronde explore`: every order of events of a small job, and the shortest story that breaks a property.
#include "explore/explore.hpp"

#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
#include "cli/explore_options.hpp"
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "sequence/sequence_svg.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace ronde::cli {
namespace {

enum class ExploreFormat : std::uint8_t { text, json };

struct ExploreFlags {
    ExploreOptions options;
    ExploreFormat format = ExploreFormat::text;
    PictureOutput picture;  ///< no file: none
};

/// States, how fast, how much of it is done, and when it would end if the rest is like what was seen.
std::string progress_line(explore::Progress const& progress) {
    std::uint64_t const elapsed_ms = static_cast<std::uint64_t>(progress.elapsed_ns / protocol::kMillisecondNs) + 1U;
    std::string line = fmt::format("{} states, {} K states/s, depth {}", progress.counts.states,
                                   progress.counts.states / elapsed_ms, progress.counts.depth);
    if (progress.searches > 1) {
        line += fmt::format(", {} of {} searches", progress.searches_done, progress.searches);
        if (progress.searches_done > 0) {
            std::uint64_t const left_ms =
                elapsed_ms * (progress.searches - progress.searches_done) / progress.searches_done;
            line += fmt::format(", about {} s left", left_ms / 1000U + 1U);
        }
    }
    return line;
}

/// Who said what to whom on the way to the broken property; nothing is written when all holds.
void draw_story(explore::Exploration const& exploration, PictureOutput const& picture) {
    if (picture.file.empty() || exploration.answer != explore::Answer::broken)
        return;
    auto const chronicle = viz::chronicle_of_exploration(exploration);
    if (!chronicle)
        throw LauncherError("--picture: " + chronicle.error());
    auto const scene = viz::sequence_scene(*chronicle, {});
    if (!scene)
        throw LauncherError("--picture: " + scene.error());
    deliver_svg(viz::sequence_svg(*scene), picture);
    fmt::print(stderr, "the story as a picture: {}\n", picture.file);
}

void explore_job(ExploreFlags const& options, Outcome& outcome) {
    explore::ExploreSettings const settings = options.options.chosen();
    static_cast<void>(options.picture.chosen());  // before the work, so that a wrong name is told at once
    explore::Exploration const exploration = [&] {
        StatusLine status;
        return explore::explore(settings, [&status](explore::Progress const& progress) {
            if (status.due())
                status.show(progress_line(progress));
        });
    }();
    deliver(options.format == ExploreFormat::json ? exploration_json(exploration) : exploration_text(exploration), "");
    draw_story(exploration, options.picture);
    switch (exploration.answer) {
    case explore::Answer::holds: outcome = Exit::ok; break;
    case explore::Answer::broken: outcome = Exit::failed; break;
    case explore::Answer::gave_up: outcome = Exit::usage; break;
    }
}

}  // namespace

void register_explore(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ExploreFlags>();
    CLI::App* const command = app.add_subcommand(
        "explore", "Try every order of events of a small job, and show the shortest story that breaks a property");
    command->footer("Example: ronde explore --ranks 3 --faults 1\n"
                    "Exit status: 0 all properties hold, 1 one is broken, 2 gave up or bad usage.");
    add_explore_options(*command, options->options);
    std::string const search = "Search";
    command
        ->add_option_function<std::string>(
            "--order",
            [options](std::string const& name) {
                options->options.settings.order = static_cast<explore::Order>(parse_format(name, {"bfs", "dfs"}));
            },
            "bfs for the shortest story, dfs to get far (bfs)")
        ->type_name("NAME")
        ->group(search);
    command->add_flag("--exact", options->options.settings.exact, "Compare whole states, not fingerprints")
        ->group(search);
    add_number(
        *command, "--limit-states", 1, 4'000'000'000U,
        [options](std::uint64_t n) { options->options.settings.limit_states = n; }, "Give up beyond")
        ->group(search);
    command
        ->add_option_function<std::string>(
            "--budget",
            [options](std::string const& text) {
                auto const budget = parse_duration(text);
                if (!budget)
                    throw CLI::ValidationError("--budget", budget.error());
                options->options.settings.budget_ns = *budget;
            },
            "Give up after this time (no limit)")
        ->type_name("TIME")
        ->group(search);
    command
        ->add_option_function<std::string>(
            "--format",
            [options](std::string const& name) {
                options->format = static_cast<ExploreFormat>(parse_format(name, {"text", "json"}));
            },
            "text or json (text)")
        ->type_name("NAME")
        ->group(search);
    command
        ->add_option("--picture", options->picture.file,
                     "Draw the story that breaks a property into FILE (.svg, .png or .pdf)")
        ->type_name("FILE");
    command->callback([options, &outcome] { explore_job(*options, outcome); });
}

}  // namespace ronde::cli
