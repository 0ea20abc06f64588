#include "explore/explore.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ronde::explore {
namespace {

using namespace protocol;

std::string_view word_of(Answer answer) {
    switch (answer) {
    case Answer::holds: return "holds";
    case Answer::broken: return "broken";
    case Answer::gave_up: return "gave up";
    }
    return {};
}

std::string faults_text(ExploreSettings const& settings) {
    if (!settings.given.empty()) {
        std::string text = "at most";
        for (Fault const& fault : settings.given)
            text += " " + text_of(fault, settings);
        return text;
    }
    if (settings.faults == 0)
        return "no faults";
    std::string kinds;
    for (std::uint32_t kind = 0; kind < kFaultKinds; ++kind) {
        if ((settings.kinds >> kind & 1U) != 0)
            kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", name_of(static_cast<FaultKind>(kind)));
    }
    return fmt::format("at most {} fault{} of {}", settings.faults, settings.faults == 1 ? "" : "s", kinds);
}

std::string headline(Exploration const& exploration) {
    ExploreSettings const& settings = exploration.settings;
    Policies const policies = resolve(settings.policies, settings.nranks, settings.nroots);
    std::string text = fmt::format("{} rank{}, {} root{}, profile {}, gather {}, {}", settings.nranks,
                                   settings.nranks == 1 ? "" : "s", settings.nroots, settings.nroots == 1 ? "" : "s",
                                   name_of(policies.profile), name_of(policies.gather), faults_text(settings));
    if (settings.policies.turns != policies_of(settings.policies.profile).turns)
        text += fmt::format("; turns {}", name_of(settings.policies.turns));
    if (settings.narrow)
        text += "; no buffer holds a slice";
    if (settings.twin)
        text += fmt::format("; rank {} is there twice{}", *settings.twin,
                            settings.twin_late ? ", the second one when both neighbours are served" : "");
    if (settings.same_device)
        text +=
            fmt::format("; ranks {} and {} share a device", settings.same_device->first, settings.same_device->second);
    if (settings.told)
        text += fmt::format("; rank {} was told that there are {}", settings.told->first, settings.told->second);
    return text;
}

std::string what_holds(ExploreSettings const& settings) {
    return settings.only ? fmt::format("{} holds", name_of(*settings.only)) : "every property holds";
}

/// Moves that there were in the worlds visited, for each one that was made.
double reduction_factor(SearchCounts const& counts) {
    return static_cast<double>(counts.possible) / static_cast<double>(std::max<std::uint64_t>(1, counts.transitions));
}

std::string reduction_text(Exploration const& exploration) {
    Reduction const reduction = exploration.settings.reduction;
    if (reduction == Reduction::none)
        return "no reduction";
    return fmt::format("reduction by {}: a factor of {:.2f} in moves, {} states with {}one process's moves only",
                       name_of(reduction), reduction_factor(exploration.counts), exploration.counts.reduced,
                       reduction == Reduction::processes ? "" : "one move or ");
}

long double seconds(TimeNs time_ns) { return static_cast<long double>(std::max<TimeNs>(time_ns, 1)) / 1e9L; }

/// Millions a second of CPU: what one core does when nobody else wants it.
double rate(std::uint64_t count, Exploration const& exploration) {
    return static_cast<double>(static_cast<long double>(count) / seconds(exploration.cpu_ns) / 1e6L);
}

/// Worlds that a fingerprint of 64 bits is expected to have mistaken for another one and left out.
long double expected_omissions(Exploration const& exploration) {
    return std::ldexp(exploration.counts.mistaken_2_65, -65);
}

}  // namespace

std::string rerun_line(Exploration const& exploration) {
    ExploreSettings const& settings = exploration.settings;
    std::string line = fmt::format("ronde explore --ranks {}", settings.nranks);
    if (settings.nroots != 1)
        line += fmt::format(" --roots {}", settings.nroots);
    if (settings.policies.profile != Profile::ronde)
        line += fmt::format(" --profile {}", name_of(settings.policies.profile));
    if (settings.policies.gather != policies_of(settings.policies.profile).gather)
        line += fmt::format(" --gather {}", name_of(settings.policies.gather));
    if (settings.policies.turns != policies_of(settings.policies.profile).turns)
        line += fmt::format(" --turns {}", name_of(settings.policies.turns));
    if (settings.narrow)
        line += " --narrow";
    if (settings.twin)
        line += fmt::format(" --twin {}{}", *settings.twin, settings.twin_late ? " --twin-late" : "");
    if (settings.same_device)
        line += fmt::format(" --same-device {},{}", settings.same_device->first, settings.same_device->second);
    if (settings.told)
        line += fmt::format(" --told {}={}", settings.told->first, settings.told->second);
    if (settings.only)
        line += fmt::format(" --property {}", name_of(*settings.only));
    if (exploration.found && !exploration.found->plan.list.empty()) {
        // Only what happened: the path says which faults of the list it took.
        std::string given;
        for (Move const move : exploration.found->path) {
            if (move.kind == Move::Kind::fault)
                given += (given.empty() ? "" : ",") + text_of(exploration.found->plan.list[move.detail], settings);
        }
        if (!given.empty())
            line += " --given " + given;
    }
    return line;
}

std::string exploration_text(Exploration const& exploration) {
    SearchCounts const& counts = exploration.counts;
    std::string text = headline(exploration) + "\n";
    if (exploration.found) {
        Broken const& broken = exploration.found->broken;
        text +=
            fmt::format("{} is broken: {}\n  {}\n", name_of(broken.property), meaning_of(broken.property), broken.why);
        for (std::string const& line : exploration.story)
            text += "  " + line + "\n";
        text += fmt::format("  rerun: {}\n", rerun_line(exploration));
    } else if (exploration.answer == Answer::holds) {
        text += fmt::format("{} in every order of events\n", what_holds(exploration.settings));
    } else {
        text += fmt::format("gave up: {}; no property is broken in what was seen\n", exploration.gave_up_why);
    }
    text += fmt::format("  {} states, {} transitions, {} at rest, depth {}\n", counts.states, counts.transitions,
                        counts.rests, counts.depth);
    if (exploration.settings.symmetry == Symmetry::rotations)
        text +=
            fmt::format("  rotations: they stand for {} states; the machines treat all ranks alike in all {} steps\n",
                        counts.turned, counts.machine_steps);
    else if (!exploration.why_not_turned.empty())
        text += fmt::format("  no rotations: {}\n", exploration.why_not_turned);
    text += fmt::format("  {} of {} searches done; {}\n", exploration.searches_done, exploration.searches,
                        reduction_text(exploration));
    text += fmt::format("  {} states of single processes, {} steps of the machines\n", exploration.counts.node_states,
                        exploration.counts.machine_steps);
    text += fmt::format("  {:.2f} s ({:.2f} s of CPU: {:.2f} M states/s, {:.2f} M transitions/s), {:.1f} MiB\n",
                        static_cast<double>(seconds(exploration.elapsed_ns)),
                        static_cast<double>(seconds(exploration.cpu_ns)), rate(counts.states, exploration),
                        rate(counts.transitions, exploration), static_cast<double>(counts.bytes) / 1048576.0);
    if (exploration.settings.exact)
        text += "  whole states were compared\n";
    else
        text += fmt::format("  64-bit fingerprints: {:.1e} states expected to be left out\n",
                            static_cast<double>(expected_omissions(exploration)));
    return text;
}

std::string exploration_json(Exploration const& exploration) {
    ExploreSettings const& settings = exploration.settings;
    SearchCounts const& counts = exploration.counts;
    nlohmann::ordered_json json;
    json["ranks"] = settings.nranks;
    json["roots"] = settings.nroots;
    json["profile"] = name_of(settings.policies.profile);
    json["gather"] = name_of(resolve(settings.policies, settings.nranks, settings.nroots).gather);
    json["faults"] = settings.given.empty() ? settings.faults : settings.given.size();
    json["verdict"] = word_of(exploration.answer);
    if (!exploration.gave_up_why.empty())
        json["gave_up"] = exploration.gave_up_why;
    json["states"] = counts.states;
    json["transitions"] = counts.transitions;
    json["at_rest"] = counts.rests;
    json["depth"] = counts.depth;
    json["reduction"] = reduction_factor(counts);
    json["reduced_by"] = name_of(settings.reduction);
    json["reduced_states"] = counts.reduced;
    json["symmetry"] = name_of(settings.symmetry);
    json["turned_states"] = counts.turned;
    json["searches"] = exploration.searches;
    json["searches_done"] = exploration.searches_done;
    json["node_states"] = exploration.counts.node_states;
    json["machine_steps"] = exploration.counts.machine_steps;
    json["elapsed_ns"] = exploration.elapsed_ns;
    json["cpu_ns"] = exploration.cpu_ns;
    json["states_per_s"] = 1e6 * rate(counts.states, exploration);
    json["exact"] = settings.exact;
    if (settings.only)
        json["only"] = name_of(*settings.only);
    json["expected_omissions"] = static_cast<double>(expected_omissions(exploration));
    if (exploration.found) {
        json["property"] = name_of(exploration.found->broken.property);
        json["why"] = exploration.found->broken.why;
        json["path"] = exploration.story;
        json["rerun"] = rerun_line(exploration);
    }
    return json.dump(2) + "\n";
}

}  // namespace ronde::explore
