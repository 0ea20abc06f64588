/// Graphs of what can happen.
#include "graphs/machine_graph.hpp"
#include "graphs/state_graph.hpp"
#include "viz/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::viz {
namespace {

explore::ExploreSettings two_ranks() {
    explore::ExploreSettings settings;
    settings.nranks = 2;
    return settings;
}

/// A rank whose call nobody answers waits for ever in profile article.
explore::ExploreSettings unanswered_call() {
    explore::ExploreSettings settings;
    settings.policies = protocol::policies_of(protocol::Profile::article);
    settings.given = {*explore::fault_from("drop:1", settings)};
    return settings;
}

TEST(MachineGraph, OfTheRank) { expect_golden("machine-rank.dot", machine_graph(MachineKind::rank)); }
TEST(MachineGraph, OfTheRoot) { expect_golden("machine-root.dot", machine_graph(MachineKind::root)); }

TEST(StateGraph, HasEveryWorldThatTheExplorerHasSeen) {
    explore::ExploreSettings const settings = two_ranks();
    auto const graph = state_graph(settings);
    ASSERT_TRUE(graph) << graph.error();
    explore::Exploration const exploration = explore::explore(settings);
    EXPECT_EQ(graph->worlds.size(), exploration.counts.states);
    EXPECT_FALSE(graph->broken);
    auto const rests = std::count_if(graph->worlds.begin(), graph->worlds.end(),
                                     [](StateGraph::World const& world) { return world.at_rest; });
    EXPECT_EQ(static_cast<std::uint64_t>(rests), exploration.counts.rests);
}

TEST(StateGraph, LeadsFromTheFirstWorldToEachOther) {
    auto const graph = state_graph(two_ranks());
    ASSERT_TRUE(graph) << graph.error();
    std::vector<bool> reached(graph->worlds.size(), false);
    reached[0] = true;
    for (StateGraph::Move const& move : graph->moves) {
        EXPECT_TRUE(reached[move.from]) << "moves are in the order in which worlds are found";
        reached[move.to] = true;
    }
    EXPECT_EQ(std::count(reached.begin(), reached.end(), false), 0);
}

TEST(StateGraph, MarksTheWayToABrokenProperty) {
    auto const graph = state_graph(unanswered_call());
    ASSERT_TRUE(graph) << graph.error();
    EXPECT_TRUE(graph->broken);
    auto const on_path = std::count_if(graph->moves.begin(), graph->moves.end(),
                                       [](StateGraph::Move const& move) { return move.on_path; });
    EXPECT_EQ(static_cast<std::size_t>(on_path), graph->story.size());
    std::string const dot = state_graph_dot(*graph);
    EXPECT_EQ(count(dot, "penwidth=3, arrowsize=0.6"), graph->story.size());
    EXPECT_NE(dot.find("FAULT"), std::string::npos);
}

TEST(StateGraph, OfTwoRanks) {
    auto const graph = state_graph(two_ranks());
    ASSERT_TRUE(graph) << graph.error();
    expect_golden("worlds2.dot", state_graph_dot(*graph));
}

TEST(StateGraph, OfTooManyWorldsIsRefused) {
    explore::ExploreSettings settings = two_ranks();
    settings.nranks = 4;
    auto const graph = state_graph(settings);
    ASSERT_FALSE(graph);
    EXPECT_NE(graph.error().find("more than 2000 worlds"), std::string::npos) << graph.error();
}

}  // namespace
}  // namespace ronde::viz
