/// `ronde explore`: every order of events of a small job, and the shortest story that breaks a property.
#include "explore/explore.hpp"

#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
#include "cli/explore_options.hpp"
#include "cli/failure_picture.hpp"
#include "cli/run_folder.hpp"
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "engine/digest.hpp"
#include "report/trace.hpp"
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
    PictureOutput picture;  ///< no file: where pictures of failures go
    PictureWish pictures;
    std::string out;  ///< below it a folder of this run is left
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

/// Who said what to whom on the way to the broken property.
std::string story_svg(explore::Exploration const& exploration) {
    auto const chronicle = viz::chronicle_of_exploration(exploration);
    if (!chronicle)
        throw LauncherError(chronicle.error());
    auto const scene = viz::sequence_scene(*chronicle, {});
    if (!scene)
        throw LauncherError(scene.error());
    return viz::sequence_svg(*scene);
}

/// The same exploration gives the same picture, so one of that name may be replaced.
std::string name_of_story(explore::Exploration const& exploration) {
    sim::RunningDigest digest;
    sim::absorb_line(digest, rerun_line(exploration));
    return fmt::format("explore-{}-{}-{}", exploration.settings.nranks, name_of(exploration.found->broken.property),
                       to_text(digest.value()).substr(0, 8));
}

/// Where --picture says. Returns the path, or nothing when it could not be drawn.
std::string draw_where_told(explore::Exploration const& exploration, PictureOutput const& picture) {
    try {
        deliver_svg(story_svg(exploration), picture);
    } catch (std::exception const& error) {
        tell_no_picture(error.what());
        return {};
    }
    tell_picture(picture.file);
    return picture.file;
}

/// The picture of what was found, if anything was. Returns its path.
std::string draw_story(explore::Exploration const& exploration, ExploreFlags const& flags) {
    if (exploration.answer != explore::Answer::broken)
        return {};
    if (!flags.picture.file.empty())
        return draw_where_told(exploration, flags.picture);
    if (!flags.pictures.granted() || !flags.out.empty())
        return {};
    return leave_picture(
        [&] {
            return Picture{"story.svg", story_svg(exploration), {}};
        },
        [&] { return temporary_stem(name_of_story(exploration)); });
}

/// Fills the folder of this run. Returns the path of the picture in it, if there is one.
std::string keep_exploration(explore::Exploration const& exploration, RunFolder& folder) {
    explore::Exploration costless = exploration;
    costless.elapsed_ns = 0;
    costless.cpu_ns = 0;
    folder.put("results.json", without_costs(exploration_json(costless), {"elapsed_ns", "cpu_ns", "states_per_s"}),
               "the report of --format json, without what the run cost here");
    if (!exploration.found) {
        std::string const all = exploration.answer == explore::Answer::holds ? "all properties hold" : "gave up";
        folder.finish(fmt::format("{}: {} states", all, exploration.counts.states), command_line());
        return {};
    }
    explore::Broken const& broken = exploration.found->broken;
    std::string const headline = fmt::format("{}: {}", name_of(broken.property), broken.why);
    std::string story = headline + "\n\n";
    for (std::string const& line : exploration.story)
        story += line + "\n";
    folder.put("story.txt", story + "\nagain: " + rerun_line(exploration) + "\n",
               "the shortest way to the broken property, step by step");
    folder.put("sequence.svg", story_svg(exploration), "the same as a picture");
    folder.finish(headline, rerun_line(exploration));
    return folder.place("sequence.svg");
}

void explore_job(ExploreFlags const& options, Outcome& outcome) {
    explore::ExploreSettings const settings = options.options.chosen();
    static_cast<void>(options.picture.chosen());  // before the work, so that a wrong name is told at once
    auto const folder = folder_for(options.out, fmt::format("explore-{}", settings.nranks));
    explore::Exploration const exploration = [&] {
        StatusLine status;
        return explore::explore(settings, [&status](explore::Progress const& progress) {
            if (status.due())
                status.show(progress_line(progress));
        });
    }();
    if (options.format == ExploreFormat::text) {
        deliver(exploration_text(exploration), "");
        std::fflush(stdout);
    }
    std::string picture = draw_story(exploration, options);
    Keeping keeping;
    keeping.attempt([&] {
        std::string const kept = folder == nullptr ? "" : keep_exploration(exploration, *folder);
        if (picture.empty() && !kept.empty() && options.pictures.granted())
            tell_picture(picture = kept);
    });
    if (options.format == ExploreFormat::json)
        deliver(with_picture(exploration_json(exploration), picture), "");
    keeping.tell();
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
        *command, "--jobs", 1, 1'024,
        [options](std::uint64_t n) { options->options.settings.jobs = static_cast<std::uint32_t>(n); },
        "Searches at once, one for each set of faults; results do not depend on it (1)")
        ->type_name("J")
        ->group(search);
    add_number(
        *command, "--limit-states", 1, 4'000'000'000U,
        [options](std::uint64_t n) {
            options->options.settings.limit_states = n;
            options->options.settings.limit_all_states = n;
        },
        "Give up beyond, in all searches (200 million in one, 10 thousand million in all)")
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
    add_picture_wish(*command, options->pictures);
    add_folder_option(*command, options->out);
    command->callback([options, &outcome] { explore_job(*options, outcome); });
}

}  // namespace ronde::cli
