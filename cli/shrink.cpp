/// `ronde shrink`: a failure made small.
#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
#include "cli/failure_picture.hpp"
#include "cli/kept_scripts.hpp"
#include "cli/sim_options.hpp"
#include "cli/values.hpp"
#include "scenario/atomic_file.hpp"
#include "sequence/sequence_svg.hpp"
#include "shrink/report.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace ronde::cli {
namespace {

struct ShrinkCommand {
    std::string script;
    std::string small;  ///< where the small script goes
    std::string out;    ///< below it a folder of this run is left
    PictureWish pictures;
    PictureOutput picture;  ///< no file: beside the small script
    bool json = false;
    std::string property;
    props::ShrinkOptions options;
    std::uint32_t continuations = 16;
};

/// "failures/s1-1-42.toml" -> "failures/s1-1-42.small.toml"
std::string small_path_of(std::string const& path) {
    return std::filesystem::path(path).replace_extension(".small.toml").string();
}

/// "s1-1-42.small" -> "S1142Small"
std::string identifier_of(std::string const& name) {
    std::string identifier = "Failure";
    bool upper = true;
    for (char const c : name) {
        bool const letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (letter)
            identifier += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = !letter;
    }
    return identifier;
}

props::PropertyId property_in(ShrinkCommand const& command, props::Judged const& judged) {
    if (command.property.empty()) {
        if (judged.violations.empty())
            throw UsageError(
                fmt::format("{}: no property is violated; there is nothing to make small", command.script));
        return judged.violations.front().property;
    }
    auto const property = props::property_named(command.property);
    if (!property)
        throw UsageError(fmt::format("--property: '{}' is none; expected such as S1 (docs/properties.md lists them)",
                                     command.property));
    if (!judged.violation_of(*property))
        throw UsageError(fmt::format("{}: {} is not violated", command.script, name_of(*property)));
    return *property;
}

std::string critical_text(props::CriticalStep const& critical) {
    if (critical.choices == 0)
        return fmt::format("critical      the plan alone decides: {} runs with other choices violate it, too\n",
                           critical.continuations);
    return fmt::format(
        "critical      step {}, choice {}: {} continuations with other choices from there on all violate it\n",
        critical.step, critical.choices, critical.continuations);
}

/// What came of it, and how large it was and is in words.
struct Small {
    props::ShrinkReport report;
    std::string before;
    std::string after;
};

std::string text_of(Small const& small) {
    props::ShrinkReport const& report = small.report;
    props::Shrunk const& shrunk = report.shrunk;
    std::string text =
        fmt::format("{}\nbefore        {}\nafter         {}\n", to_text(shrunk.violation), small.before, small.after);
    text += fmt::format("cost          {} worlds, {} changes kept{}\n", shrunk.runs, shrunk.steps,
                        shrunk.finished ? "; no single change makes it smaller" : "; stopped, there was no more time");
    text += comparison_text(report.after, report.known);
    if (report.critical)
        text += critical_text(*report.critical);
    return text + fmt::format("\n{}\nas a test:    {}\nrun it again: ronde check {}\n",
                              write_scenario(shrunk.script.plan), report.test, report.small);
}

Small made_small(ShrinkCommand const& command) {
    auto script = props::load_script(command.script);
    if (!script)
        throw UsageError(script.error());
    props::PropertyId const property = property_in(command, props::judge(*script));
    Small small;
    props::ShrinkReport& report = small.report;
    report.script = command.script;
    report.small = command.small.empty() ? small_path_of(command.script) : command.small;
    small.before = size_text(*script);
    report.before = size_of(*script, property);
    report.shrunk = props::shrink(std::move(*script), property, command.options);
    small.after = size_text(report.shrunk.script);
    report.after = size_of(report.shrunk.script, property);
    report.known = known_minimum(report.shrunk.script, property);
    report.shrunk.script.plan.name = std::filesystem::path(report.small).stem().string();
    bool const one_run = property < props::PropertyId::d1 && property != props::PropertyId::s5;
    if (command.continuations > 0 && one_run)
        report.critical = props::critical_step(report.shrunk.script, property, command.continuations);
    return small;
}

void save(props::ShrinkReport& report) {
    props::Shrunk const& shrunk = report.shrunk;
    std::string const why =
        save_script(shrunk.script,
                    {fmt::format("violates {}", to_text(shrunk.violation)), fmt::format("made of {}", report.script)},
                    report.small);
    if (!why.empty())
        throw LauncherError(why);
    report.test = std::filesystem::path(report.small).replace_extension("").string() + "_test.cpp";
    std::string const text = test_file(shrunk.script, shrunk.violation, identifier_of(shrunk.script.plan.name));
    if (auto const failed = sim::write_file(report.test, text); !failed.empty())
        throw LauncherError(failed);
}

/// Who said what to whom, in the file that was asked for.
void draw_where_asked(PictureOutput const& picture, std::string const& script) {
    auto const chronicle = viz::chronicle_of_scenario(script.find('/') == std::string::npos ? "./" + script : script);
    if (!chronicle)
        throw LauncherError("--picture: " + chronicle.error());
    auto const scene = viz::sequence_scene(*chronicle, {});
    if (!scene)
        throw LauncherError("--picture: " + scene.error());
    deliver_svg(viz::sequence_svg(*scene), picture);
    tell_picture(picture.file);
}

/// The path of the picture; empty: there is none.
std::string draw(ShrinkCommand const& command, std::vector<BrokenScript> const& scripts) {
    if (!command.picture.file.empty()) {
        draw_where_asked(command.picture, scripts.front().path);
        return command.picture.file;
    }
    if (!command.pictures.granted())
        return {};
    std::vector<std::string> const pictures = draw_scripts(scripts);
    return pictures.empty() ? std::string() : pictures.front();
}

void keep_small(RunFolder& folder, props::ShrinkReport const& report, std::vector<BrokenScript> const& scripts) {
    folder.put("results.json", shrink_json(report), "the report of --format json");
    keep_scripts(folder, scripts);
    folder.finish(to_text(report.shrunk.violation),
                  "ronde check failures/" + std::filesystem::path(report.small).filename().string());
}

Exit run_shrink(ShrinkCommand const& command) {
    static_cast<void>(command.picture.chosen());  // before the work, so that a wrong name is told at once
    auto const folder = folder_for(command.out, "shrink-" + std::filesystem::path(command.script).stem().string());
    Small small = made_small(command);
    props::ShrinkReport& report = small.report;
    save(report);
    if (!command.json)
        deliver(text_of(small), "");
    std::fflush(stdout);
    std::vector<BrokenScript> const scripts{{report.small, to_text(report.shrunk.violation)}};
    report.picture = draw(command, scripts);
    Keeping keeping;
    keeping.attempt([&] {
        if (folder)
            keep_small(*folder, report, scripts);
    });
    if (command.json)
        deliver(shrink_json(report), "");
    keeping.tell();
    return Exit::ok;
}

}  // namespace

void register_shrink(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ShrinkCommand>();
    CLI::App* const command =
        app.add_subcommand("shrink", "Make a failure of `ronde check` small: fewer ranks, faults and choices");
    command->footer("Example: ronde shrink failures/s1-1-42.toml");
    command->add_option("SCRIPT", options->script, "A scenario that violates a property; its tape lies beside it")
        ->type_name("FILE")
        ->required();
    command->add_option("-o", options->small, "Where the small one goes (SCRIPT with .small.toml)")->type_name("FILE");
    add_folder_option(*command, options->out);
    add_picture_wish(*command, options->pictures);
    command
        ->add_option("--picture", options->picture.file,
                     "Draw who said what to whom into FILE: .svg, .png or .pdf (beside the small one, as .svg)")
        ->type_name("FILE");
    add_json_option(*command, options->json);
    command->add_option("--property", options->property, "Which property is to stay violated (the first one)")
        ->type_name("ID");
    command
        ->add_option_function<std::string>(
            "--budget",
            [options](std::string const& text) {
                auto const budget_ns = parse_duration(text);
                if (!budget_ns)
                    throw CLI::ValidationError("--budget", budget_ns.error());
                options->options.budget_ns = *budget_ns;
            },
            "Stop after so much time (60s)")
        ->type_name("TIME");
    command
        ->add_option_function<std::string>(
            "--continuations",
            [options](std::string const& text) {
                auto const count = parse_count(text, 0, 10'000);
                if (!count)
                    throw CLI::ValidationError("--continuations", count.error());
                options->continuations = static_cast<std::uint32_t>(*count);
            },
            "Runs with other choices behind each prefix, to find the critical step (16); 0: do not look for it")
        ->type_name("N");
    command->callback([options, &outcome] { outcome = run_shrink(*options); });
}

}  // namespace ronde::cli
