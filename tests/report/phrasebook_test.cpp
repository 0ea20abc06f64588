/// What a person is asked who makes the choices of a world.
#include "report/phrasebook.hpp"

#include "engine/seeded_oracle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace ronde::sim {
namespace {

using ::testing::HasSubstr;

/// Two ranks on two hosts and a root on a third.
WorldPlan apart() {
    WorldPlan plan;
    plan.nranks = 2;
    plan.ranks_per_host = {1};
    return plan;
}

struct Asked {
    Outcome outcome;
    std::string words;
};

Asked play(WorldPlan const& plan, std::string const& answers) {
    std::istringstream input(answers);
    std::ostringstream output;
    SeededOracle seeded(plan.seed);
    WorldPhrasebook words(plan);
    InteractiveOracle person(input, output, seeded, words);
    World world(plan, &person);
    words.speak_of(world);
    Asked asked;
    asked.outcome = world.run();
    asked.words = output.str();
    return asked;
}

TEST(WorldPhrasebook, SaysWhoSendsToWhomAndOffersTheQuartiles) {
    WorldPlan plan = apart();
    plan.network.same_rack = Distribution::uniform(10 * kMicrosecondNs, 50 * kMicrosecondNs);
    Asked const asked = play(plan, "4\n");
    EXPECT_THAT(asked.words, HasSubstr("at 0 ns: how long does a packet from rank 0 to root 0 travel?\n"
                                       "   0  10.0 us\n   1  20.0 us\n   2  30.0 us\n   3  40.0 us\n   4  50.0 us\n"
                                       "0-4 ["));
    EXPECT_EQ(asked.words.find("rank 0 to root 0"), asked.words.rfind("rank 0 to root 0"))
        << "no further answers, no further questions about it";
}

TEST(WorldPhrasebook, ALossThatAPersonWantsHappens) {
    WorldPlan plan = apart();
    plan.network.loss_per_million = 1;
    Asked const kept = play(plan, "0\nend\n");
    Asked const lost = play(plan, "1\nend\n");
    EXPECT_THAT(lost.words,
                HasSubstr("at 0 ns: is a packet from rank 0 to root 0 lost?\n   0  no\n   1  yes\n0-1 [no]> "));
    EXPECT_EQ(kept.outcome.storm.packets_lost, 0U);
    EXPECT_EQ(lost.outcome.storm.packets_lost, 1U);
    EXPECT_GE(lost.outcome.last_table_ns, kSecondNs) << "the SYN is sent again after a second";
}

TEST(WorldPhrasebook, AsksWhenARankStartsAndWhetherItIsLateButNotForTheLowerBits) {
    WorldPlan plan = apart();
    plan.arrival.skew = Distribution::uniform(0, 4 * kMillisecondNs);
    plan.arrival.stragglers_per_million = 10'000;
    plan.arrival.straggler = Distribution::uniform(kSecondNs, 3 * kSecondNs);
    Asked const asked = play(plan, "1\n1\n2\n0\n0\n");
    EXPECT_THAT(asked.words, HasSubstr("how long after its turn does rank 0 start?\n   0  0 ns\n   1  1.00 ms\n"));
    EXPECT_THAT(asked.words, HasSubstr("does rank 0 come late?\n   0  no\n   1  yes\n"));
    EXPECT_THAT(asked.words, HasSubstr("how late does rank 0 come?\n   0  1.00 s\n   1  1.50 s\n   2  2.00 s\n"));
    EXPECT_THAT(asked.words, HasSubstr("does rank 1 come late?\n"));
    EXPECT_THAT(asked.words, Not(HasSubstr("no more answers")));
    EXPECT_GE(asked.outcome.last_table_ns, 2 * kSecondNs);
    EXPECT_LT(asked.outcome.last_table_ns, 3 * kSecondNs);
}

TEST(WorldPhrasebook, AsksNothingWhereNothingIsLeftToChance) { EXPECT_EQ(play(apart(), "").words, ""); }

}  // namespace
}  // namespace ronde::sim
