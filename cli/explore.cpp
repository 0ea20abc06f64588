/// `ronde explore`: every order of events of a small job, and the shortest story that breaks a property.
#include "explore/explore.hpp"

#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <sstream>

namespace ronde::cli {
namespace {

enum class ExploreFormat : std::uint8_t { text, json };

struct ExploreOptions {
    explore::ExploreSettings settings;
    std::optional<protocol::Gather> gather;
    std::vector<std::string> kinds;
    std::string given;
    std::string same_device;
    ExploreFormat format = ExploreFormat::text;
};

std::vector<std::string> words_of(std::string const& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(word);
    return words;
}

std::uint32_t kinds_of(std::string const& text) {
    std::uint32_t kinds = 0;
    for (std::string const& word : words_of(text)) {
        std::uint32_t kind = 0;
        while (kind < explore::kFaultKinds && name_of(static_cast<explore::FaultKind>(kind)) != word)
            ++kind;
        if (kind == explore::kFaultKinds)
            throw UsageError(fmt::format(
                "--faults-of: '{}' is no kind of fault; expected crash, crash-reset, drop, reset, stranger or timeout",
                word));
        kinds |= 1U << kind;
    }
    return kinds;
}

explore::ExploreSettings settings_of(ExploreOptions const& options) {
    explore::ExploreSettings settings = options.settings;
    if (options.gather)
        settings.policies.gather = *options.gather;
    if (!options.same_device.empty()) {
        auto const words = words_of(options.same_device);
        auto const first = words.size() == 2 ? parse_count(words[0], 0, explore::kMostRanks) : Parsed<std::uint64_t>(0);
        auto const second =
            words.size() == 2 ? parse_count(words[1], 0, explore::kMostRanks) : Parsed<std::uint64_t>(0);
        if (words.size() != 2 || !first || !second)
            throw UsageError(fmt::format("--same-device: '{}' is no pair of ranks such as 0,2", options.same_device));
        settings.same_device = {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second)};
    }
    if (std::string const why = contradiction_in(settings); !why.empty())
        throw UsageError(why);
    for (std::string const& word : words_of(options.given)) {
        auto const fault = explore::fault_from(word, settings);
        if (!fault)
            throw UsageError("--given: " + fault.error());
        settings.given.push_back(*fault);
    }
    if (std::string const why = contradiction_in(settings); !why.empty())
        throw UsageError(why);
    return settings;
}

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

void explore_job(ExploreOptions const& options, Outcome& outcome) {
    explore::ExploreSettings const settings = settings_of(options);
    explore::Exploration const exploration = [&] {
        StatusLine status;
        return explore::explore(settings, [&status](explore::Progress const& progress) {
            if (status.due())
                status.show(progress_line(progress));
        });
    }();
    deliver(options.format == ExploreFormat::json ? exploration_json(exploration) : exploration_text(exploration), "");
    switch (exploration.answer) {
    case explore::Answer::holds: outcome = Exit::ok; break;
    case explore::Answer::broken: outcome = Exit::failed; break;
    case explore::Answer::gave_up: outcome = Exit::usage; break;
    }
}

}  // namespace

void register_explore(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ExploreOptions>();
    CLI::App* const command = app.add_subcommand(
        "explore", "Try every order of events of a small job, and show the shortest story that breaks a property");
    command->footer("Example: ronde explore --ranks 3 --faults 1\n"
                    "Exit status: 0 all properties hold, 1 one is broken, 2 gave up or bad usage.");
    auto const number = [command](std::string const& flag, std::uint64_t least, std::uint64_t most, auto set,
                                  std::string const& what) {
        return command
            ->add_option_function<std::string>(
                flag,
                [flag, least, most, set](std::string const& text) {
                    auto const value = parse_count(text, least, most);
                    if (!value)
                        throw CLI::ValidationError(flag, value.error());
                    set(*value);
                },
                what)
            ->type_name("N");
    };
    std::string const world = "World";
    number(
        "--ranks", 1, explore::kMostRanks,
        [options](std::uint64_t n) { options->settings.nranks = static_cast<std::uint32_t>(n); }, "Ranks (3)")
        ->group(world);
    number(
        "--roots", 1, explore::kMostRoots,
        [options](std::uint64_t n) { options->settings.nroots = static_cast<std::uint32_t>(n); }, "Roots (1)")
        ->group(world);
    command
        ->add_option_function<std::string>(
            "--profile",
            [options](std::string const& name) {
                auto const profile = parse_profile(name);
                if (!profile)
                    throw CLI::ValidationError("--profile", profile.error());
                options->settings.policies = policies_of(*profile);
            },
            "article, nccl or ronde (ronde)")
        ->type_name("NAME")
        ->group(world);
    command
        ->add_option_function<std::string>(
            "--gather",
            [options](std::string const& name) {
                auto const gather = parse_gather(name);
                if (!gather)
                    throw CLI::ValidationError("--gather", gather.error());
                options->gather = *gather;
            },
            "How the table gets to everyone (automatic)")
        ->type_name("NAME")
        ->group(world);
    number(
        "--twin", 0, explore::kMostRanks,
        [options](std::uint64_t n) { options->settings.twin = static_cast<std::uint32_t>(n); },
        "A second process claims this rank")
        ->group(world);
    command->add_option("--same-device", options->same_device, "Two ranks that claim one device")
        ->type_name("A,B")
        ->group(world);
    std::string const faults = "Faults";
    number(
        "--faults", 0, explore::kMostFaults,
        [options](std::uint64_t n) { options->settings.faults = static_cast<std::uint32_t>(n); },
        "How many things may go wrong (0)")
        ->group(faults);
    command
        ->add_option_function<std::string>(
            "--faults-of", [options](std::string const& text) { options->settings.kinds = kinds_of(text); },
            "crash, crash-reset, drop, reset, stranger, timeout (all)")
        ->type_name("KIND,...")
        ->group(faults);
    command->add_option("--given", options->given, "Exactly these may go wrong, such as crash:2,stranger:root0=claim")
        ->type_name("FAULT,...")
        ->group(faults);
    std::string const search = "Search";
    command
        ->add_option_function<std::string>(
            "--order",
            [options](std::string const& name) {
                options->settings.order = static_cast<explore::Order>(parse_format(name, {"bfs", "dfs"}));
            },
            "bfs for the shortest story, dfs to get far (bfs)")
        ->type_name("NAME")
        ->group(search);
    command->add_flag("--exact", options->settings.exact, "Compare whole states, not fingerprints")->group(search);
    command
        ->add_flag_callback(
            "--no-reduction", [options] { options->settings.reduction = false; },
            "All moves in every state, one search for all faults")
        ->group(search);
    number(
        "--limit-states", 1, 4'000'000'000U, [options](std::uint64_t n) { options->settings.limit_states = n; },
        "Give up beyond")
        ->group(search);
    command
        ->add_option_function<std::string>(
            "--budget",
            [options](std::string const& text) {
                auto const budget = parse_duration(text);
                if (!budget)
                    throw CLI::ValidationError("--budget", budget.error());
                options->settings.budget_ns = *budget;
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
    command->callback([options, &outcome] { explore_job(*options, outcome); });
}

}  // namespace ronde::cli
