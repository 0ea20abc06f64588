/// How late each rank could have been: in the chronicle, and as a map.
#include "page/slack_map.hpp"
#include "report/critical_path.hpp"
#include "scenario/scenario.hpp"
#include "viz/golden.hpp"
#include "viz_page/stories.hpp"
#include "world/world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ronde::viz {
namespace {

TEST(Slack, InTheChronicleIsThatOfTheCriticalPath) {
    std::string const toml =
        "name = \"slack\"\nranks = 40\nranks_per_host = 4\n\n[arrival]\nskew = \"uniform 0ms..50ms\"\n";
    auto const plan = sim::read_scenario(toml, "a test");
    ASSERT_TRUE(plan);
    sim::World world(*plan);
    world.keep_dependencies();
    static_cast<void>(world.run());
    sim::Slack const expected = sim::slack_of(world.critical_path(), 40);
    Chronicle const told = pages::of_text(toml);
    ASSERT_EQ(expected.of_ranks_ns.size(), told.ranks.size());
    for (RankId rank = 0; rank < told.nranks; ++rank)
        EXPECT_EQ(told.ranks[rank].slack_ns, expected.of_ranks_ns[rank]) << "rank " << rank;
    SlackNumbers const numbers = slack_numbers(told);
    EXPECT_EQ(numbers.known, 40U);
    EXPECT_EQ(numbers.none, expected.ranks_without);
    EXPECT_EQ(numbers.median_ns, expected.median_ns);
    EXPECT_EQ(numbers.most_ns, expected.most_ns);
    EXPECT_GT(numbers.most_ns, 0);
}

TEST(Slack, IsUnknownWhereNobodyGotATable) {
    Chronicle const told = pages::of_scenario("root-dies");
    EXPECT_EQ(slack_numbers(told).known, 0U);
    EXPECT_EQ(slack_map(told, {"slack-"}), "");
}

TEST(SlackMap, HasACellForEachRankAndADotWhereThereIsNone) {
    Chronicle told = pages::of_ranks(4);
    told.ranks[0].slack_ns = 0;
    told.ranks[1].slack_ns = 250;
    told.ranks[2].slack_ns = 4'096;
    told.ranks[3].slack_ns = kNever;
    std::string const map = slack_map(told, {"slack-"});
    EXPECT_EQ(count(map, "<title>rank "), 3U) << "nothing is known of rank 3";
    EXPECT_EQ(count(map, "rank 0: no slack"), 1U);
    EXPECT_EQ(count(map, "rank 1: 250 ns"), 1U);
    EXPECT_EQ(count(map, "<circle"), 2U) << "rank 0, and the scale";
    EXPECT_NE(map.find("≤ 4.10 us"), std::string::npos);
}

TEST(SlackMap, OfThousandsSharesCells) {
    Chronicle told = pages::of_ranks(2);
    told.nranks = 10'000;
    RankStory story;
    story.slack_ns = 1'000;
    told.ranks.assign(told.nranks, story);
    told.ranks[9'998].slack_ns = 0;  // the last one of its cell
    std::string const map = slack_map(told, {"slack-"});
    EXPECT_EQ(count(map, "<rect"), 3'334U + 7U) << "three ranks a cell, and the scale";
    EXPECT_EQ(count(map, "<circle"), 2U) << "the cell of the one without slack, and the scale";
}

}  // namespace
}  // namespace ronde::viz
