/// Who tells whom what: the article's four ranks, round by round, and other gathers of small worlds.
#include "report/rounds.hpp"

#include "golden.hpp"
#include "scenario/scenario.hpp"
#include "world/world.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

std::string rounds_of(WorldPlan const& plan) {
    RoundTable table(plan);
    World world(plan);
    world.watch(table);
    EXPECT_TRUE(world.run().all_ready());
    return table.text();
}

TEST(Rounds, OfTheArticlesFourRanks) {
    auto const plan = load_scenario("article-4");
    ASSERT_TRUE(plan) << plan.error();
    expect_golden("article-4.txt", rounds_of(*plan));
}

TEST(Rounds, OfAStarAreOneAnswer) {
    WorldPlan plan;
    plan.nranks = 3;
    std::string const text = rounds_of(plan);
    EXPECT_NE(text.find("the table"), std::string::npos) << text;
    EXPECT_NE(text.find("after 0 rounds: 3 of 3 ranks know everybody\n"), std::string::npos) << text;
}

TEST(Rounds, OfADoublingGatherAreItsChords) {
    WorldPlan plan;
    plan.nranks = 8;
    plan.policies.gather = protocol::Gather::doubling;
    std::string const text = rounds_of(plan);
    EXPECT_NE(text.find("after 3 rounds: 8 of 8 ranks know everybody\n"), std::string::npos) << text;
}

TEST(Rounds, OfARingAreOneLessThanRanks) {
    WorldPlan plan;
    plan.nranks = 7;
    plan.policies = protocol::policies_of(protocol::Profile::article);
    EXPECT_NE(rounds_of(plan).find("after 6 rounds: 7 of 7 ranks know everybody\n"), std::string::npos);
}

}  // namespace
}  // namespace ronde::sim
