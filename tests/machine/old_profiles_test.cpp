/// The weak spots that the profiles `article` and `nccl` keep on purpose: what `ronde` ends with a named error, they
/// wait for without end. "Without end" is exact here: the world has nothing left that could happen.
#include "machine/story.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

constexpr Profile kOld[] = {Profile::article, Profile::nccl};

/// Runs until nothing can happen any more; everyone in `ranks` then still waits.
void expect_waits_for_ever(WorldPlan const& plan, std::vector<RankId> const& ranks) {
    TinyWorld world(plan);
    world.run();
    ASSERT_EQ(world.broken_rule(), "");
    EXPECT_FALSE(world.advance());
    EXPECT_EQ(world.waiting(), ranks) << story_of(world);
}

std::vector<RankId> all_but(RankId missing, std::uint32_t nranks) {
    std::vector<RankId> ranks;
    for (RankId r = 0; r < nranks; ++r) {
        if (r != missing)
            ranks.push_back(r);
    }
    return ranks;
}

TEST(OldProfiles, OneMissingRankIsWaitedForWithoutEnd) {
    for (Profile const profile : kOld) {
        for (std::uint32_t const nranks : {2U, 3U, 5U}) {
            for (RankId missing = 0; missing < nranks; ++missing) {
                for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                    WorldPlan plan = plan_of(profile, nranks, 1, seed);
                    plan.rank(missing).starts = false;
                    ASSERT_NO_FATAL_FAILURE(expect_waits_for_ever(plan, all_but(missing, nranks)));
                }
            }
        }
    }
}

// 2.23 and later hand out as soon as a pair is known, so some ranks come as far as the ring before they wait.
TEST(OldProfiles, EagerHandOutOnlyMovesThePlaceOfTheWait) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        WorldPlan plan = plan_of(Profile::nccl, 5, 1, seed);
        plan.rank(2).starts = false;
        TinyWorld world(plan);
        world.run();
        ASSERT_EQ(world.broken_rule(), "");
        EXPECT_EQ(world.rank(1).rank.phase(), Phase::awaiting_successor);
        for (RankId const r : {3U, 4U, 0U})
            EXPECT_EQ(world.rank(r).rank.phase() == Phase::awaiting_successor, false);
    }
}

TEST(OldProfiles, ASilentStrangerWedgesTheRoot) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(profile, 4, 1, seed);
            StrangerPlan stranger;
            stranger.at_root = true;
            stranger.listener = Listener::root;
            plan.strangers = {stranger};
            ASSERT_NO_FATAL_FAILURE(expect_waits_for_ever(plan, {0, 1, 2, 3}));
        }
    }
}

TEST(OldProfiles, ASilentStrangerWedgesARanksListener) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(profile, 4, 1, seed);
            StrangerPlan stranger;
            stranger.at = 2;
            plan.strangers = {stranger};
            ASSERT_NO_FATAL_FAILURE(expect_waits_for_ever(plan, {0, 1, 2, 3}));
        }
    }
}

TEST(OldProfiles, ADuplicateRankMakesTheRootLeaveWithoutAWord) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(profile, 4, 1, seed);
            RankPlan second;
            second.rank = 1;
            plan.extras = {second};
            plan.rank(3).start_ns = 200 * kSecondNs;  // after both
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            EXPECT_EQ(world.root(0).root.phase(), RootPhase::failed);
            // Who had checked in waits; who comes later is refused until its retries are used up, and learns no reason.
            EXPECT_FALSE(world.waiting().empty()) << story_of(world);
            for (RankId r = 0; r < 4; ++r) {
                Code const code = world.rank(r).rank.error().code;
                EXPECT_FALSE(world.is_ready(r));
                EXPECT_TRUE(code == Code::ok || code == Code::root_lost) << story_of(world);
            }
            EXPECT_EQ(world.rank(3).rank.error().code, Code::root_lost) << story_of(world);
        }
    }
}

TEST(OldProfiles, DisagreementAboutTheSizeIsNotToldToAnybody) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(profile, 3, 1, seed);
            plan.rank(2).nranks_told = 6;
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            EXPECT_EQ(world.root(0).root.phase(), RootPhase::failed);
            for (RankId r = 0; r < 3; ++r) {
                Code const code = world.rank(r).rank.error().code;
                EXPECT_FALSE(world.is_ready(r));
                EXPECT_TRUE(code == Code::ok || code == Code::root_lost) << story_of(world);
            }
        }
    }
}

TEST(OldProfiles, ADeadRootIsWaitedForByWhoeverHasCheckedIn) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(profile, 4, 1, seed);
            plan.rank(3).start_ns = 300 * kSecondNs;
            plan.root(0).dies_after_check_ins = 3;
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            EXPECT_FALSE(world.waiting().empty()) << story_of(world);
            EXPECT_EQ(world.rank(3).rank.error().code, Code::root_lost) << story_of(world);
        }
    }
}

TEST(OldProfiles, AVanishedHostInTheRingIsWaitedForWithoutEnd) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(profile, 4, 1, seed);
            plan.rank(2).dies_in = Phase::gathering;
            plan.rank(2).death = Death::silent;
            plan.rank(2).dies_before_acting = true;
            ASSERT_NO_FATAL_FAILURE(expect_waits_for_ever(plan, {0, 1, 3}));
        }
    }
}

// A closed connection is noticed, but each names its neighbour: the cause is known next to the dead rank only.
TEST(OldProfiles, ADeadRankInTheRingIsNamedByItsNeighboursOnly) {
    for (Profile const profile : kOld) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(profile, 7, 1, seed);
            plan.rank(3).dies_in = Phase::gathering;
            plan.rank(3).dies_before_acting = true;
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            for (RankId r = 0; r < 7; ++r) {
                if (r == 3)
                    continue;
                Error const error = world.rank(r).rank.error();
                EXPECT_EQ(error.code, Code::rank_lost) << story_of(world);
                EXPECT_TRUE(error.about == (r + 1) % 7 || error.about == (r + 6) % 7) << story_of(world);
            }
        }
    }
}

// 20 000 tries 1 ms apart; 34 retries whose k-th pause is k * 100 ms.
TEST(OldProfiles, RefusedCallsAreRetriedForTheirFixedTime) {
    for (Profile const profile : kOld) {
        WorldPlan plan = plan_of(profile, 2, 1, 1);
        plan.root(0).starts = false;
        TinyWorld world(plan);
        world.run();
        ASSERT_EQ(world.broken_rule(), "");
        TimeNs const expected_ns = profile == Profile::article ? 20 * kSecondNs : 59'500 * kMillisecondNs;
        for (RankId r = 0; r < 2; ++r) {
            EXPECT_EQ(world.rank(r).rank.error().code, Code::root_lost);
            EXPECT_EQ(world.rank(r).settled_ns, expected_ns);
        }
    }
}

// Strangers that do not sit still are survived by the newest one; the eldest believes whoever speaks first.
TEST(OldProfiles, TheNewestShrugsOffStrangersThatLeave) {
    for (StrangerKind const kind : {StrangerKind::closes, StrangerKind::resets, StrangerKind::garbage,
                                    StrangerKind::other_session, StrangerKind::no_hello}) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(Profile::nccl, 4, 1, seed);
            StrangerPlan at_root;
            at_root.at_root = true;
            at_root.listener = Listener::root;
            at_root.kind = kind;
            StrangerPlan at_rank;
            at_rank.at = 1;
            at_rank.kind = kind;
            plan.strangers = {at_root, at_rank};
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
