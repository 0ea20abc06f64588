#include "graphs/machine_graph.hpp"

#include "graphs/machine_edges.hpp"
#include "svg/phase_style.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ronde::viz {
namespace {

using protocol::Phase;
using protocol::RootPhase;

std::string spaced(std::string_view name) {
    std::string text(name);
    for (char& c : text)
        c = c == '_' ? ' ' : c;
    return text;
}

/// What goes on in order is what the eye should follow.
bool leads_on(Phase from, Phase to) { return static_cast<int>(to) == static_cast<int>(from) + 1; }
bool leads_on(RootPhase from, RootPhase to) {
    if (from == RootPhase::committing)
        return to == RootPhase::finished;  // judging comes before it in the list, and into no healthy life
    return static_cast<int>(to) == static_cast<int>(from) + 1;
}

/// Not begun and closed are ends that no look stands for: they are plain.
template <class PhaseType>
std::string node_text(std::uint32_t phase) {
    auto const value = static_cast<PhaseType>(phase);
    PhaseStyle const& style = style_of(look_of(value));
    std::string const name(name_of(value));
    bool const plain = name == "created" || name == "closed";
    return fmt::format("  \"{}\" [label=\"{}\", fillcolor=\"{}\", fontcolor=\"{}\"];\n", name, spaced(name),
                       plain ? "#ffffff" : style.fill, plain ? "#222222" : style.ink);
}

template <class PhaseType>
std::string graph_of(std::string_view title, std::span<const protocol::TransitionOf<PhaseType>> transitions,
                     std::uint32_t phases) {
    std::string dot = fmt::format(
        "digraph machine {{\n"
        "  graph [bgcolor=\"#ffffff\", fontname=\"Helvetica\", fontsize=18, label=\"{}\", labelloc=t, nodesep=0.5, "
        "ranksep=0.35];\n"
        "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=14, color=\"#5a5a5a\"];\n"
        "  edge [fontname=\"Helvetica\", fontsize=10, color=\"#222222\", fontcolor=\"#222222\", arrowsize=0.7];\n",
        title);
    for (std::uint32_t phase = 0; phase < phases; ++phase)
        dot += node_text<PhaseType>(phase);
    for (auto const& [ends, events] : machine_edges(transitions, phases)) {
        auto const from = name_of(static_cast<PhaseType>(ends.first));
        auto const to = name_of(static_cast<PhaseType>(ends.second));
        if (to == "failed") {
            dot += fmt::format("  \"{}\" -> \"{}\" [color=\"#c1440e\", style=dashed, penwidth=0.6, arrowsize=0.5];\n",
                               from, to);
            continue;
        }
        std::string words;
        for (protocol::EventKind const event : events)
            words += (words.empty() ? "" : "\\n") + spaced(name_of(event));
        bool const onward = leads_on(static_cast<PhaseType>(ends.first), static_cast<PhaseType>(ends.second));
        dot += fmt::format("  \"{}\" -> \"{}\" [label=\"{}\"{}];\n", from, to, words, onward ? ", penwidth=1.8" : "");
    }
    return dot + "}\n";
}

}  // namespace

std::string machine_graph(MachineKind kind) {
    if (kind == MachineKind::rank)
        return graph_of<Phase>("The rank: phases, and the events that lead on; dashed: into an error",
                               protocol::rank_transitions(), protocol::kPhaseCount);
    return graph_of<RootPhase>("The root: phases, and the events that lead on; dashed: into an error",
                               protocol::root_transitions(), protocol::kRootPhaseCount);
}

}  // namespace ronde::viz
