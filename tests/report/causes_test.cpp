/// Who did not end well, and why.
#include "report/causes.hpp"

#include "made_up.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

TEST(Causes, CulpritsComeFirstAndRanksThatSayTheSameShareALine) {
    EXPECT_EQ(causes_text(causes_of(failed_outcome())),
              "2 ranks (3-4): was never started\n"
              "rank 7: awaiting successor: its process was ended by a fault\n"
              "9 ranks (0-2, 5-6, 12-15): awaiting successor: rank 7 (last seen checking in) reset its connection to "
              "the root\n"
              "  -> look for the log and the exit status of that rank: crash, out of memory, or killed\n"
              "4 ranks (8-11): hangs in phase awaiting successor\n"
              "  -> profiles article and nccl wait for ever when a rank is lost; profile ronde does not\n");
}

TEST(Causes, TheWordsOfMostStandForTheGroup) {
    Outcome outcome = failed_outcome();
    // One of them saw it in another phase; the cause is the same.
    outcome.not_ready.front().error.phase = protocol::Phase::connecting_ring;
    auto const causes = causes_of(outcome);
    ASSERT_EQ(causes.size(), 4U);
    EXPECT_EQ(causes[2].count, 9U);
    EXPECT_EQ(causes[2].message.find("awaiting successor: rank 7"), 0U) << causes[2].message;
}

TEST(Causes, RanksThatBlameOthersAreTwoGroups) {
    Outcome outcome = failed_outcome();
    outcome.not_ready.front().error.about = 3;
    EXPECT_EQ(causes_of(outcome).size(), 5U);
}

TEST(Causes, LongListsAreCutBetweenTwoRanges) {
    Outcome outcome;
    outcome.nranks = 200;
    for (RankId rank = 0; rank < 200; rank += 2)
        outcome.not_ready.push_back({rank, End::not_there, protocol::Phase::created, {}, 0});
    EXPECT_EQ(causes_text(causes_of(outcome)),
              "100 ranks (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, ...): was never started\n");
}

TEST(Causes, OfAWorldThatIsReadyAreNone) { EXPECT_TRUE(causes_of(ready_outcome()).empty()); }

}  // namespace
}  // namespace ronde::sim
