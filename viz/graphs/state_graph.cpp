#include "graphs/state_graph.hpp"

#include "svg/dot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

namespace ronde::viz {
namespace {

using explore::FaultPlan;
using explore::Life;

/// What may go wrong in the picture: of a search that found something, what it found it with.
FaultPlan faults_of(explore::ExploreSettings const& settings, explore::Exploration const& exploration) {
    if (exploration.found)
        return exploration.found->plan;
    if (!settings.given.empty())
        return {settings.given, static_cast<std::uint32_t>(settings.given.size()), true};
    if (settings.faults == 0)
        return {};
    return {possible_faults(settings), settings.faults, false};
}

class Grower {
public:
    Grower(explore::ExploreSettings const& settings, explore::Exploration const& exploration)
        : job_(settings), room_(job_), plan_(faults_of(settings, exploration)),
          finder_(room_, plan_,
                  settings.faults == 0 || plan_.each_once ? reduction_of(settings) : explore::Reduction::none),
          exploration_(exploration) {}

    /// False: there are too many.
    bool grow(StateGraph& graph);

private:
    std::uint32_t number_of(explore::World const& world, std::uint32_t depth, StateGraph& graph);
    [[nodiscard]] PhaseLook look_of_world(explore::World const& world) const;
    void follow_path(StateGraph& graph);
    [[nodiscard]] std::uint32_t after(explore::World const& world, explore::Move move, std::uint32_t depth,
                                      StateGraph& graph);

    explore::Job job_;
    explore::MachineRoom room_;
    FaultPlan plan_;
    explore::MoveFinder finder_;
    explore::Exploration const& exploration_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;  ///< by the world's bytes
    std::vector<explore::World> worlds_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> moves_;
};

/// The one that is furthest behind says how far the world is; trouble comes first.
PhaseLook Grower::look_of_world(explore::World const& world) const {
    auto look = PhaseLook::ready;
    for (explore::Node node = 0; node < job_.processes; ++node) {
        explore::NodeFacts const& facts = room_.facts(node, world.states[node]);
        PhaseLook one = look_of(static_cast<protocol::Phase>(facts.phase));
        if (facts.life == Life::dead)
            one = PhaseLook::dead;
        else if (facts.life == Life::unborn)
            one = PhaseLook::never_came;
        bool const trouble = one == PhaseLook::dead || one == PhaseLook::failed;
        bool const known = look == PhaseLook::dead || look == PhaseLook::failed;
        if (trouble ? !known || one == PhaseLook::failed : !known && one < look)
            look = one;
    }
    return look;
}

std::uint32_t Grower::number_of(explore::World const& world, std::uint32_t depth, StateGraph& graph) {
    auto const bytes = world.bytes();
    std::string key(bytes.size(), '\0');
    std::transform(bytes.begin(), bytes.end(), key.begin(), [](std::byte one) { return static_cast<char>(one); });
    auto const [at, fresh] = numbers_.emplace(std::move(key), static_cast<std::uint32_t>(worlds_.size()));
    if (fresh) {
        worlds_.push_back(world);
        graph.worlds.push_back({depth, look_of_world(world), false, false});
    }
    return at->second;
}

std::uint32_t Grower::after(explore::World const& world, explore::Move move, std::uint32_t depth, StateGraph& graph) {
    explore::World next = world;
    static_cast<void>(make_move(room_, plan_.list, next, move));
    return number_of(next, depth, graph);
}

bool Grower::grow(StateGraph& graph) {
    static_cast<void>(number_of(explore::first_world(room_), 0, graph));
    explore::Moves moves;
    for (std::uint32_t at = 0; at < worlds_.size(); ++at) {
        if (worlds_.size() > kMostGraphStates)
            return false;
        explore::World const world = worlds_[at];
        finder_.find(world, moves);
        graph.worlds[at].at_rest = moves.at_rest;
        for (auto const* const kind : {&moves.steps, &moves.faults}) {
            for (explore::Move const move : *kind) {
                std::uint32_t const to = after(world, move, graph.worlds[at].depth + 1, graph);
                if (to != at && moves_.emplace(std::pair(at, to), graph.moves.size()).second)
                    graph.moves.push_back({at, to, kind == &moves.faults, false});
            }
        }
    }
    if (exploration_.found)
        follow_path(graph);
    return true;
}

/// The story may pass through worlds that the reduced search had no need to look at.
void Grower::follow_path(StateGraph& graph) {
    std::uint32_t at = 0;
    graph.worlds[0].on_path = true;
    for (explore::Move const move : exploration_.found->path) {
        explore::World const world = worlds_[at];
        std::uint32_t const to = after(world, move, graph.worlds[at].depth + 1, graph);
        auto const [known, fresh] = moves_.emplace(std::pair(at, to), graph.moves.size());
        if (fresh)
            graph.moves.push_back({at, to, move.kind == explore::Move::Kind::fault, false});
        graph.moves[known->second].on_path = true;
        graph.worlds[to].on_path = true;
        at = to;
    }
}

// --- the picture ----------------------------------------------------------------------------------------------------

constexpr Tenths kStep = 160;  ///< between neighbours of a row
constexpr Tenths kDepth = 420;
constexpr Tenths kNode = 100;
constexpr std::size_t kLongestLine = 96;

/// What makes Graphviz begin a line at the left is no part of the text.
std::string left_aligned(std::string_view text) {
    std::string label = dot_quoted(text);
    label.insert(label.size() - 1, "\\l");
    return label;
}

std::string pinned(Place place) { return length_text(place.x) + "," + length_text(place.y) + "!"; }

/// Worlds of one depth share a row; each stands below those that lead to it, as far as its neighbours let it.
std::vector<Place> places_of(StateGraph const& graph) {
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::vector<std::uint32_t>> before(graph.worlds.size());
    for (StateGraph::Move const& move : graph.moves)
        before[move.to].push_back(move.from);
    for (std::uint32_t i = 0; i < graph.worlds.size(); ++i) {
        rows.resize(std::max<std::size_t>(rows.size(), graph.worlds[i].depth + 1U));
        rows[graph.worlds[i].depth].push_back(i);
    }
    std::vector<Place> places(graph.worlds.size());
    for (std::size_t depth = 0; depth < rows.size(); ++depth) {
        std::vector<std::pair<Tenths, std::uint32_t>> wanted;
        for (std::uint32_t const world : rows[depth]) {
            Tenths sum = 0;
            Tenths count = 0;
            for (std::uint32_t const from : before[world]) {
                if (graph.worlds[from].depth < depth) {
                    sum += places[from].x;
                    ++count;
                }
            }
            wanted.emplace_back(count == 0 ? 0 : sum / count, world);
        }
        std::sort(wanted.begin(), wanted.end());
        auto const half = static_cast<Tenths>(wanted.size() - 1) * kStep / 2;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            places[wanted[i].second] = {static_cast<Tenths>(i) * kStep - half, -static_cast<Tenths>(depth) * kDepth};
    }
    return places;
}

class Painter {
public:
    explicit Painter(StateGraph const& graph) : graph_(graph), places_(places_of(graph)) {
        for (Place const place : places_) {
            right_ = std::max(right_, place.x);
            bottom_ = std::min(bottom_, place.y);
        }
    }
    std::string paint();

private:
    template <class... T>
    void line(fmt::format_string<T...> format, T&&... arguments) {
        fmt::format_to(std::back_inserter(dot_), format, std::forward<T>(arguments)...);
        dot_ += '\n';
    }
    /// Text whose left edge is at `at`: a node's place is its middle, so it is given a box.
    void words(std::string const& name, Place at, Tenths width, std::string_view text, std::string_view more = {}) {
        line("  {} [shape=plaintext, style=\"\", fixedsize=true, width={}, height=0.3, label={}, pos=\"{}\"{}];", name,
             inches(width), left_aligned(text), pinned({at.x + width / 2, at.y}), more);
    }
    static std::string inches(Tenths length) { return fmt::format("{}.{:02}", length / 720, length % 720 * 100 / 720); }
    void story();
    void legend();

    StateGraph const& graph_;
    std::vector<Place> places_;
    Tenths right_ = 0;
    Tenths bottom_ = 0;
    std::string dot_;
};

void Painter::story() {
    std::uint32_t place = 0;
    Tenths const x = right_ + 500;
    for (std::size_t i = 0; i < graph_.story.size(); ++i) {
        // A move stands where it leads to.
        for (StateGraph::Move const& move : graph_.moves) {
            if (move.on_path && move.from == place) {
                place = move.to;
                break;
            }
        }
        std::string text = graph_.story[i];
        if (text.size() > kLongestLine)
            text = text.substr(0, text.rfind(' ', kLongestLine)) + " ...";
        bool const fault = text.find("FAULT") != std::string::npos;
        words(fmt::format("story{}", i), {x, -(static_cast<Tenths>(i) + 1) * kDepth}, 5'600, text,
              fault ? ", fontcolor=\"#c1440e\"" : "");
    }
}

void Painter::legend() {
    Tenths y = bottom_ - 2 * kDepth;
    std::vector<bool> used(kPhaseLooks, false);
    for (StateGraph::World const& world : graph_.worlds)
        used[static_cast<std::size_t>(world.look)] = true;
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        if (!used[i])
            continue;
        PhaseStyle const& style = style_of(static_cast<PhaseLook>(i));
        line("  legend{} [shape={}, fillcolor=\"{}\", pos=\"{}\"];", i, style.dot, style.fill, pinned({-900, y}));
        words(fmt::format("meaning{}", i), {-750, y}, 4'000, fmt::format("the last rank: {}", style.name));
        y -= 240;
    }
    line("  legend_rest [shape=circle, fillcolor=\"#ffffff\", peripheries=2, pos=\"{}\"];", pinned({-900, y}));
    words("meaning_rest", {-750, y}, 4'000, "nothing happens by itself any more");
    if (graph_.broken)
        words("meaning_path", {-950, y - 240}, 4'000, "thick: the shortest way to the broken property",
              ", fontcolor=\"#a3005c\"");
}

std::string Painter::paint() {
    line("digraph worlds {{");
    line("  graph [bgcolor=\"#ffffff\", fontname=\"Helvetica\", outputorder=edgesfirst, pad=0.3, splines=line];");
    line(
        "  node [fontname=\"Helvetica\", fontsize=12, style=filled, fixedsize=true, width={0}, height={0}, label=\"\", "
        "color=\"#5a5a5a\", penwidth=0.6];",
        inches(kNode));
    line("  edge [color=\"#9a9a9a\", penwidth=0.6, arrowsize=0.35];");
    words("title", {-950, 1'000}, 6'000, graph_.title, ", fontsize=18, fontname=\"Helvetica-Bold\"");
    words("subtitle", {-950, 650}, 6'000, graph_.subtitle);
    for (StateGraph::Move const& move : graph_.moves) {
        if (move.on_path)
            line("  w{} -> w{} [color=\"#a3005c\", penwidth=3, arrowsize=0.6];", move.from, move.to);
        else if (move.fault)
            line("  w{} -> w{} [color=\"#c1440e\", style=dashed];", move.from, move.to);
        else
            line("  w{} -> w{};", move.from, move.to);
    }
    for (std::uint32_t i = 0; i < graph_.worlds.size(); ++i) {
        StateGraph::World const& world = graph_.worlds[i];
        PhaseStyle const& style = style_of(world.look);
        line("  w{} [shape={}, fillcolor=\"{}\", pos=\"{}\"{}{}];", i, style.dot, style.fill, pinned(places_[i]),
             world.at_rest ? ", peripheries=2" : "", world.on_path ? ", color=\"#a3005c\", penwidth=2" : "");
    }
    story();
    legend();
    line("}}");
    return std::move(dot_);
}

std::string broken_text(explore::Broken const& broken) {
    return fmt::format("{}, {}{}{}", name_of(broken.property), meaning_of(broken.property),
                       broken.why.empty() ? "" : ": ", broken.why);
}

}  // namespace

tl::expected<StateGraph, std::string> state_graph(explore::ExploreSettings const& settings) {
    explore::Exploration const exploration = explore::explore(settings);
    if (exploration.answer == explore::Answer::gave_up)
        return tl::unexpected("the search gave up: " + exploration.gave_up_why);
    StateGraph graph;
    graph.broken = exploration.found.has_value();
    if (!Grower(settings, exploration).grow(graph))
        return tl::unexpected(fmt::format(
            "more than {} worlds are no picture; expected fewer ranks or faults, or named ones (--given crash:1)",
            kMostGraphStates));
    graph.story = exploration.story;
    graph.title =
        fmt::format("{} rank{}, profile {}: {} worlds, {} moves", settings.nranks, settings.nranks == 1 ? "" : "s",
                    name_of(settings.policies.profile), graph.worlds.size(), graph.moves.size());
    graph.subtitle = graph.broken ? fmt::format("broken: {}", broken_text(exploration.found->broken))
                                  : "every property holds in every order of events";
    return graph;
}

std::string state_graph_dot(StateGraph const& graph) { return Painter(graph).paint(); }

}  // namespace ronde::viz
