#include "cli/explore_options.hpp"

#include "cli/usage.hpp"
#include "cli/values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sstream>

namespace ronde::cli {
namespace {

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
            throw UsageError(fmt::format("--faults-of: '{}' is no kind of fault; expected crash, crash-reset, drop, "
                                         "reset, stranger, timeout or haste",
                                         word));
        kinds |= 1U << kind;
    }
    return kinds;
}

protocol::Turns turns_named(std::string const& name) {
    using protocol::Turns;
    std::string names;
    for (Turns const turns : {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive}) {
        if (name_of(turns) == name)
            return turns;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(turns));
    }
    throw CLI::ValidationError("--turns", fmt::format("'{}' is none; expected one of {}", name, names));
}

explore::Reduction reduction_named(std::string const& name) {
    using explore::Reduction;
    for (Reduction const reduction : {Reduction::none, Reduction::processes, Reduction::parts, Reduction::links}) {
        if (name_of(reduction) == name)
            return reduction;
    }
    throw CLI::ValidationError("--reduction",
                               fmt::format("'{}' is none; expected one of none, processes, parts, links", name));
}

explore::Symmetry symmetry_named(std::string const& name) {
    using explore::Symmetry;
    for (Symmetry const symmetry : {Symmetry::none, Symmetry::rotations}) {
        if (name_of(symmetry) == name)
            return symmetry;
    }
    throw CLI::ValidationError("--symmetry", fmt::format("'{}' is none; expected one of none, rotations", name));
}

/// "1=3": rank 1 was told that there are 3 ranks.
std::pair<protocol::RankId, std::uint32_t> told_in(std::string const& text) {
    std::size_t const equals = text.find('=');
    bool const halves = equals != std::string::npos;
    auto const rank = parse_count(text.substr(0, equals), 0, explore::kMostRanks);
    auto const nranks = parse_count(halves ? text.substr(equals + 1) : "", 1, explore::kMostRanks);
    if (!halves || !rank || !nranks)
        throw UsageError(fmt::format("--told: '{}' is no rank and number of ranks such as 1=3, both at most {}", text,
                                     explore::kMostRanks));
    return {static_cast<std::uint32_t>(*rank), static_cast<std::uint32_t>(*nranks)};
}

}  // namespace

explore::ExploreSettings ExploreOptions::chosen() const {
    explore::ExploreSettings changed = settings;
    if (gather)
        changed.policies.gather = *gather;
    if (turns)
        changed.policies.turns = *turns;
    if (!same_device.empty()) {
        auto const words = words_of(same_device);
        auto const first = words.size() == 2 ? parse_count(words[0], 0, explore::kMostRanks) : Parsed<std::uint64_t>(0);
        auto const second =
            words.size() == 2 ? parse_count(words[1], 0, explore::kMostRanks) : Parsed<std::uint64_t>(0);
        if (words.size() != 2 || !first || !second)
            throw UsageError(fmt::format("--same-device: '{}' is no pair of ranks such as 0,2", same_device));
        changed.same_device = {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second)};
    }
    if (!told.empty())
        changed.told = told_in(told);
    if (std::string const why = contradiction_in(changed); !why.empty())
        throw UsageError(why);
    for (std::string const& word : words_of(given)) {
        auto const fault = explore::fault_from(word, changed);
        if (!fault)
            throw UsageError("--given: " + fault.error());
        changed.given.push_back(*fault);
    }
    if (std::string const why = contradiction_in(changed); !why.empty())
        throw UsageError(why);
    return changed;
}

CLI::Option* add_number(CLI::App& command, std::string const& flag, std::uint64_t least, std::uint64_t most,
                        std::function<void(std::uint64_t)> set, std::string const& help) {
    return command
        .add_option_function<std::string>(
            flag,
            [flag, least, most, set = std::move(set)](std::string const& text) {
                auto const value = parse_count(text, least, most);
                if (!value)
                    throw CLI::ValidationError(flag, value.error());
                set(*value);
            },
            help)
        ->type_name("N");
}

void add_protocol_options(CLI::App& command, protocol::Policies& policies, std::optional<protocol::Gather>& gather,
                          std::string const& group) {
    command
        .add_option_function<std::string>(
            "--profile",
            [&policies](std::string const& name) {
                auto const profile = parse_profile(name);
                if (!profile)
                    throw CLI::ValidationError("--profile", profile.error());
                policies = policies_of(*profile);
            },
            "article, nccl or ronde (ronde)")
        ->type_name("NAME")
        ->group(group);
    command
        .add_option_function<std::string>(
            "--gather",
            [&gather](std::string const& name) {
                auto const chosen = parse_gather(name);
                if (!chosen)
                    throw CLI::ValidationError("--gather", chosen.error());
                gather = *chosen;
            },
            "How the table gets to everyone (automatic)")
        ->type_name("NAME")
        ->group(group);
}

void add_explore_options(CLI::App& command, ExploreOptions& options) {
    std::string const world = "World";
    add_number(
        command, "--ranks", 1, explore::kMostRanks,
        [&options](std::uint64_t n) { options.settings.nranks = static_cast<std::uint32_t>(n); }, "Ranks (3)")
        ->group(world);
    add_number(
        command, "--roots", 1, explore::kMostRoots,
        [&options](std::uint64_t n) { options.settings.nroots = static_cast<std::uint32_t>(n); }, "Roots (1)")
        ->group(world);
    add_protocol_options(command, options.settings.policies, options.gather, world);
    command
        .add_option_function<std::string>(
            "--turns", [&options](std::string const& name) { options.turns = turns_named(name); },
            "How a round of a ring gather proceeds (as the profile says)")
        ->type_name("NAME")
        ->group(world);
    command
        .add_flag("--narrow", options.settings.narrow,
                  "No buffer holds a slice: who waits until it is sent waits until it is read")
        ->group(world);
    add_number(
        command, "--twin", 0, explore::kMostRanks,
        [&options](std::uint64_t n) { options.settings.twin = static_cast<std::uint32_t>(n); },
        "A second process claims this rank")
        ->group(world);
    command
        .add_flag("--twin-late", options.settings.twin_late,
                  "... and begins when the rank has its successor, and its predecessor has the rank")
        ->group(world);
    command.add_option("--same-device", options.same_device, "Two ranks that claim one device")
        ->type_name("A,B")
        ->group(world);
    command.add_option("--told", options.told, "Rank R was told that there are M ranks, and the root was told nothing")
        ->type_name("R=M")
        ->group(world);
    std::string const faults = "Faults";
    add_number(
        command, "--faults", 0, explore::kMostFaults,
        [&options](std::uint64_t n) { options.settings.faults = static_cast<std::uint32_t>(n); },
        "How many things may go wrong (0)")
        ->group(faults);
    command
        .add_option_function<std::string>(
            "--faults-of", [&options](std::string const& text) { options.settings.kinds = kinds_of(text); },
            "crash, crash-reset, drop, reset, stranger, timeout, haste (all)")
        ->type_name("KIND,...")
        ->group(faults);
    command.add_option("--given", options.given, "Exactly these may go wrong, such as crash:2,stranger:root0=claim")
        ->type_name("FAULT,...")
        ->group(faults);
    std::string const search = "Search";
    command
        .add_option_function<std::string>(
            "--property",
            [&options](std::string const& name) {
                options.settings.only = explore::property_named(name);
                if (!options.settings.only)
                    throw CLI::ValidationError(
                        "--property",
                        fmt::format("'{}' is none that the explorer looks at; expected such as L2", name));
            },
            "Look for this one only, such as L2 (all)")
        ->type_name("ID")
        ->group(search);
    command
        .add_option_function<std::string>(
            "--reduction", [&options](std::string const& name) { options.settings.reduction = reduction_named(name); },
            "Which orders are left out: none, processes, parts or links (processes; beyond 4 ranks parts)")
        ->type_name("NAME")
        ->group(search);
    command
        .add_option_function<std::string>(
            "--symmetry", [&options](std::string const& name) { options.settings.symmetry = symmetry_named(name); },
            "Which states stand for others: none, or rotations of a job without faults (rotations beyond 4 ranks)")
        ->type_name("NAME")
        ->group(search);
    command
        .add_flag_callback(
            "--no-reduction",
            [&options] {
                options.settings.reduction = explore::Reduction::none;
                options.settings.symmetry = explore::Symmetry::none;
            },
            "All moves in every state, one search for all faults")
        ->group(search);
}

}  // namespace ronde::cli
