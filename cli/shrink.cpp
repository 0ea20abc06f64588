/// `ronde shrink`: a failure made small.
#include "chronicle/sources.hpp"
#include "cli/draw_output.hpp"
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
    std::string out;
    std::string property;
    props::ShrinkOptions options;
    std::uint32_t continuations = 16;
    PictureOutput picture;  ///< no file: beside the small script
    bool json = false;
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

/// Who said what to whom in the small script, which lies at `path`. Empty: it has too many processes for a picture.
std::string draw_failure(PictureOutput picture, std::string const& path) {
    bool const asked = !picture.file.empty();
    if (!asked)
        picture.file = std::filesystem::path(path).replace_extension(".svg").string();
    auto const chronicle = viz::chronicle_of_scenario(path.find('/') == std::string::npos ? "./" + path : path);
    if (!chronicle)
        throw LauncherError("--picture: " + chronicle.error());
    auto const scene = viz::sequence_scene(*chronicle, {});
    if (!scene && !asked)
        return {};
    if (!scene)
        throw LauncherError("--picture: " + scene.error());
    deliver_svg(viz::sequence_svg(*scene), picture);
    return picture.file;
}

Exit run_shrink(ShrinkCommand const& command) {
    static_cast<void>(command.picture.chosen());  // before the work, so that a wrong name is told at once
    auto script = props::load_script(command.script);
    if (!script)
        throw UsageError(script.error());
    props::PropertyId const property = property_in(command, props::judge(*script));
    std::string const before = size_text(*script);
    props::FailureSize const before_size = size_of(*script, property);
    props::Shrunk shrunk = props::shrink(std::move(*script), property, command.options);
    std::string const path = command.out.empty() ? small_path_of(command.script) : command.out;
    shrunk.script.plan.name = std::filesystem::path(path).stem().string();
    std::string const why = save_script(
        shrunk.script,
        {fmt::format("violates {}", to_text(shrunk.violation)), fmt::format("made of {}", command.script)}, path);
    if (!why.empty())
        throw LauncherError(why);
    std::string const test = std::filesystem::path(path).replace_extension("").string() + "_test.cpp";
    std::string const text = test_file(shrunk.script, shrunk.violation, identifier_of(shrunk.script.plan.name));
    if (auto const failed = sim::write_file(test, text); !failed.empty())
        throw LauncherError(failed);
    bool const one_run = property < props::PropertyId::d1 && property != props::PropertyId::s5;
    props::ShrinkReport report;
    report.script = command.script;
    report.small = path;
    report.test = test;
    report.shrunk = shrunk;
    report.before = before_size;
    report.after = size_of(shrunk.script, property);
    report.known = known_minimum(shrunk.script, property);
    report.picture = draw_failure(command.picture, path);
    if (command.continuations > 0 && one_run)
        report.critical = props::critical_step(shrunk.script, property, command.continuations);
    if (command.json) {
        fmt::print("{}", shrink_json(report));
        return Exit::ok;
    }
    fmt::print("{}\n", to_text(shrunk.violation));
    fmt::print("before        {}\nafter         {}\n", before, size_text(shrunk.script));
    fmt::print("cost          {} worlds, {} changes kept{}\n", shrunk.runs, shrunk.steps,
               shrunk.finished ? "; no single change makes it smaller" : "; stopped, there was no more time");
    fmt::print("{}", comparison_text(report.after, report.known));
    if (report.critical)
        fmt::print("{}", critical_text(*report.critical));
    fmt::print("\n{}\n", write_scenario(shrunk.script.plan));
    if (!report.picture.empty())
        fmt::print("as a picture: {}\n", report.picture);
    fmt::print("as a test:    {}\nrun it again: ronde check {}\n", test, path);
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
    command->add_option("--out", options->out, "Where the small one goes (SCRIPT with .small.toml)")->type_name("FILE");
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
    command
        ->add_option("--picture", options->picture.file,
                     "Draw who said what to whom into FILE: .svg, .png or .pdf (beside the small one, as .svg)")
        ->type_name("FILE");
    command
        ->add_option_function<std::string>(
            "--format",
            [options](std::string const& name) {
                options->json = parse_format(name, {"text", "json"}) == 1;
            },
            "text or json (text)")
        ->type_name("NAME");
    command->callback([options, &outcome] { outcome = run_shrink(*options); });
}

}  // namespace ronde::cli
