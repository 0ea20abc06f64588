#include "machines.hpp"

#include "graphs/machine_edges.hpp"
#include "protocol/transitions.hpp"

#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace ronde::docs {
namespace {

using namespace ronde::protocol;

/// What differs between the two machines: their phases, and a letter for each.
template <class PhaseType>
struct Machine;

template <>
struct Machine<Phase> {
    static constexpr std::uint32_t kPhases = kPhaseCount;
    static constexpr std::string_view kLetters = "NLDKWRGMYFZ";
    static constexpr Phase kBad = Phase::failed;
    static std::span<const Transition> transitions() { return rank_transitions(); }
};
template <>
struct Machine<RootPhase> {
    static constexpr std::uint32_t kPhases = kRootPhaseCount;
    static constexpr std::string_view kLetters = "NCHMJYF";
    static constexpr RootPhase kBad = RootPhase::failed;
    static std::span<const RootTransition> transitions() { return root_transitions(); }
};

template <class PhaseType>
std::string letters_of(PhaseSet set) {
    std::string letters;
    for (std::uint32_t i = 0; i < Machine<PhaseType>::kPhases; ++i) {
        if ((set >> i & 1U) != 0)
            letters += Machine<PhaseType>::kLetters[i];
    }
    return letters;
}

/// Events down, phases across: where an event may lead, and the clause that says why. A dot: illegal, changes nothing.
template <class PhaseType>
std::string table() {
    constexpr std::uint32_t kPhases = Machine<PhaseType>::kPhases;
    static_assert(Machine<PhaseType>::kLetters.size() == kPhases);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> cells;
    std::set<std::uint32_t> events;
    for (auto const& transition : Machine<PhaseType>::transitions()) {
        auto const event = static_cast<std::uint32_t>(transition.on);
        events.insert(event);
        cells[{event, static_cast<std::uint32_t>(transition.from)}] =
            "**" + letters_of<PhaseType>(transition.to) + "** " + std::string(transition.clause);
    }

    std::string text = "| event |";
    std::string line = "|---|";
    for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
        text += " " + std::string(1, Machine<PhaseType>::kLetters[phase]) + " " +
                std::string(name_of(static_cast<PhaseType>(phase))) + " |";
        line += "---|";
    }
    text += "\n" + line + "\n";
    for (std::uint32_t const event : events) {
        text += "| `" + std::string(name_of(static_cast<EventKind>(event))) + "` |";
        for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
            auto const cell = cells.find({event, phase});
            text += " " + (cell == cells.end() ? std::string("·") : cell->second) + " |";
        }
        text += "\n";
    }
    return text;
}

/// One edge for each pair of phases, with all events that may take it. Staying put is not drawn, and ways into
/// `failed` are drawn without a label: nearly everything can lead there.
template <class PhaseType>
std::string diagram(std::string_view name) {
    std::string text =
        "```dot\ndigraph " + std::string(name) + " {\n    rankdir=TB; node [shape=box, style=rounded];\n";
    auto const quoted = [](std::uint32_t phase) {
        return "\"" + std::string(name_of(static_cast<PhaseType>(phase))) + "\"";
    };
    auto const edges = viz::machine_edges(Machine<PhaseType>::transitions(), Machine<PhaseType>::kPhases);
    for (auto const& [edge, events] : edges) {
        std::string label;
        for (EventKind const event : events)
            label += (label.empty() ? "" : "\\n") + std::string(name_of(event));
        bool const bad = edge.second == static_cast<std::uint32_t>(Machine<PhaseType>::kBad);
        text += "    " + quoted(edge.first) + " -> " + quoted(edge.second) +
                (bad ? " [color=gray, style=dashed]" : " [label=\"" + label + "\"]") + ";\n";
    }
    return text + "}\n```\n";
}

}  // namespace

std::string rank_table() { return table<Phase>(); }
std::string root_table() { return table<RootPhase>(); }
std::string rank_diagram() { return diagram<Phase>("rank"); }
std::string root_diagram() { return diagram<RootPhase>("root"); }

}  // namespace ronde::docs
