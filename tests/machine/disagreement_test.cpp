/// Processes that cannot all be right: other numbers, the same rank twice, the same device twice; and those who give
/// up. Everyone hears the same cause, with the names of both sides.
#include "machine/story.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ronde::protocol::tiny {
namespace {

// --- numbers that differ ------------------------------------------------------------------------------------------

struct Lie {
    char const* what;
    Field field;
    std::function<void(RankPlan&)> tell;
};
std::vector<Lie> lies() {
    return {{"nranks", Field::nranks, [](RankPlan& plan) { plan.nranks_told = 6; }},
            {"version", Field::version, [](RankPlan& plan) { plan.version = 9; }},
            {"roots", Field::roots, [](RankPlan& plan) { plan.roots_digest = 99; }},
            {"profile", Field::profile, [](RankPlan& plan) {
                 plan.policies = policies_of(Profile::ronde);
                 plan.policies->gather = Gather::ring;
             }}};
}

TEST(Disagreement, WithOneRootEveryoneHearsBothSides) {
    for (Lie const& lie : lies()) {
        for (std::uint32_t const nranks : {2U, 3U, 5U}) {
            for (RankId liar = 0; liar < nranks; ++liar) {
                for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                    WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
                    lie.tell(plan.rank(liar));
                    TinyWorld world(plan);
                    world.run();
                    ASSERT_TRUE(everyone_ends(world));
                    Error const first = world.rank(0).rank.error();
                    ASSERT_EQ(first.code, Code::mismatch) << lie.what << "\n" << story_of(world);
                    EXPECT_EQ(first.field, lie.field);
                    EXPECT_TRUE(first.about == liar || first.other == liar) << story_of(world);
                    EXPECT_NE(first.about, first.other) << story_of(world);
                    EXPECT_NE(first.expected, first.got) << story_of(world);
                    for (RankId r = 1; r < nranks; ++r)
                        EXPECT_EQ(world.rank(r).rank.error(), first) << story_of(world);
                }
            }
        }
    }
}

// 3 ranks told 3, 3, 6 in each order of arrival.
TEST(Disagreement, AboutTheSizeNamesWhoSaidWhat) {
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 3, 1, seed);
        plan.rank(2).nranks_told = 6;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        Error const error = world.rank(2).rank.error();
        if (error.about == 2) {
            EXPECT_EQ(error.got, 6U);
            EXPECT_EQ(error.expected, 3U);
        } else {
            EXPECT_EQ(error.other, 2U);
            EXPECT_EQ(error.got, 3U);
            EXPECT_EQ(error.expected, 6U);
        }
    }
}

TEST(Disagreement, WithARootThatKnowsTheSizeTheLiarIsNamed) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 3, 1, seed);
        plan.root(0).expected_nranks = 3;
        plan.rank(2).nranks_told = 6;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        for (RankId r = 0; r < 3; ++r) {
            Error const error = world.rank(r).rank.error();
            EXPECT_EQ(error.code, Code::mismatch) << story_of(world);
            EXPECT_EQ(error.about, 2U) << story_of(world);
            EXPECT_EQ(error.other, kNoRank) << "it is the root's own number\n" << story_of(world);
        }
    }
}

TEST(Disagreement, WithSeveralRootsEveryoneStillEnds) {
    for (Lie const& lie : lies()) {
        for (std::uint32_t const nroots : {2U, 3U}) {
            for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
                WorldPlan plan = plan_of(Profile::ronde, 5, nroots, seed);
                RankId const liar = static_cast<RankId>(seed % 5);
                lie.tell(plan.rank(liar));
                TinyWorld world(plan);
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                std::uint32_t knowing = 0;
                for (RankId r = 0; r < 5; ++r)
                    knowing += world.rank(r).rank.error().code == Code::mismatch ? 1U : 0U;
                EXPECT_GE(knowing, 1U) << story_of(world);
            }
        }
    }
}

// --- one rank, two processes ----------------------------------------------------------------------------------------

TEST(Duplicate, RankIsNamedWithBothProcesses) {
    for (Gather const gather : {Gather::star, Gather::doubling}) {
        for (std::uint32_t const nranks : {2U, 3U, 5U}) {
            for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
                WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
                plan.policies.gather = gather;
                RankPlan second;
                second.rank = static_cast<RankId>(seed % nranks);
                plan.extras.push_back(second);
                plan.rank((second.rank + 1) % nranks).start_ns = kSecondNs;  // so that both are here before it is over
                TinyWorld world(plan);
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                std::uint64_t const first_pid = world.rank(second.rank).entry.process_id;
                std::uint64_t const second_pid = world.extra(0).entry.process_id;
                for (RankId r = 0; r <= nranks; ++r) {
                    Node const& node = r < nranks ? world.rank(r) : world.extra(0);
                    Error const error = node.rank.error();
                    ASSERT_EQ(error.code, Code::duplicate_rank) << story_of(world);
                    EXPECT_EQ(error.about, second.rank);
                    EXPECT_EQ(error.expected + error.got, first_pid + second_pid);
                    EXPECT_NE(error.expected, error.got);
                }
            }
        }
    }
}

// S4: the duplicate never displaces the first. Either everyone fails, or the ring of the first ones stands.
TEST(Duplicate, AtAnyMomentSpoilsEitherAllOrNothing) {
    for (std::uint32_t const nroots : {1U, 2U}) {
        for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 5, nroots, seed);
            RankPlan second;
            second.rank = static_cast<RankId>(seed % 5);
            plan.extras.push_back(second);
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            ASSERT_TRUE(world.waiting().empty()) << story_of(world);
            std::uint32_t ready = 0;
            for (RankId r = 0; r < 5; ++r)
                ready += world.is_ready(r) ? 1U : 0U;
            ready += world.extra(0).was_ready ? 1U : 0U;
            EXPECT_TRUE(ready == 0 || ready == 5) << story_of(world);
        }
    }
}

// --- one device, two ranks ------------------------------------------------------------------------------------------

TEST(Duplicate, DeviceIsRefusedAtCheckInAndBothRanksAreNamed) {
    for (std::uint32_t const nroots : {1U, 2U, 3U}) {
        for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 6, nroots, seed);
            RankId const first = static_cast<RankId>(seed % 6);
            RankId const second = static_cast<RankId>((seed + 1 + seed % 4) % 6);
            plan.rank(first).device_id = 7;
            plan.rank(second).device_id = 7;
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_ends(world));
            for (RankId r = 0; r < 6; ++r) {
                Error const error = world.rank(r).rank.error();
                ASSERT_EQ(error.code, Code::duplicate_device) << story_of(world);
                EXPECT_EQ(error.about, std::max(first, second)) << story_of(world);
                EXPECT_EQ(error.other, std::min(first, second)) << story_of(world);
            }
        }
    }
}

TEST(Duplicate, DeviceIsNobodysBusinessWhenTheCheckIsOff) {
    WorldPlan plan = plan_of(Profile::ronde, 4, 1, 1);
    plan.policies.device_check = DeviceCheck::off;
    plan.rank(0).device_id = 7;
    plan.rank(3).device_id = 7;
    TinyWorld world(plan);
    world.run();
    EXPECT_TRUE(everyone_is_ready(world));
}

// --- giving up ----------------------------------------------------------------------------------------------------

TEST(GivingUp, AbortIsHeardByEveryoneWhoCanBeReached) {
    for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring}) {
        for (std::uint32_t const nroots : {1U, 2U}) {
            if (gather == Gather::star && nroots > 1)
                continue;
            for (Phase phase = Phase::listening; phase <= Phase::ready;
                 phase = static_cast<Phase>(static_cast<std::uint32_t>(phase) + 1U)) {
                for (std::uint64_t seed = 1; seed <= seeds(15); ++seed) {
                    WorldPlan plan = plan_of(Profile::ronde, 5, nroots, seed);
                    plan.policies.gather = gather;
                    RankId const quitter = static_cast<RankId>(seed % 5);
                    plan.rank(quitter).aborts_in = phase;
                    TinyWorld world(plan);
                    world.run();
                    ASSERT_TRUE(everyone_ends(world));
                    Error const own = world.rank(quitter).rank.error();
                    ASSERT_EQ(own.code, Code::aborted) << story_of(world);
                    EXPECT_EQ(own.about, quitter);
                    EXPECT_EQ(world.rank(quitter).settled_ns, 0);
                    // Who gives up before it has checked in can tell nobody: it is missing.
                    bool const checked_in = own.phase >= Phase::connecting_ring;
                    for (RankId r = 0; r < 5; ++r) {
                        Error const error = world.rank(r).rank.error();
                        if (phase < Phase::connecting_ring && nroots > 1)
                            continue;
                        ASSERT_EQ(cause_of(world, r), quitter) << story_of(world);
                        bool const missed = !checked_in && error.code == Code::ranks_missing;
                        bool const second_hand = error.code == Code::rank_lost && gather == Gather::ring;
                        ASSERT_TRUE(error.code == Code::aborted || missed || second_hand) << story_of(world);
                    }
                }
            }
        }
    }
}

TEST(GivingUp, CloseBeforeReadyIsAnAbort) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
        plan.policies.gather = Gather::doubling;
        plan.rank(1).closes_in = Phase::gathering;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        for (RankId r = 0; r < 4; ++r) {
            EXPECT_EQ(world.rank(r).rank.error().code, Code::aborted) << story_of(world);
            EXPECT_EQ(world.rank(r).rank.error().about, 1U);
        }
    }
}

TEST(GivingUp, WhoClosesInOrderLeavesTheOthersReady) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 5, 1, seed);
        plan.rank(seed % 5 == 0 ? 0 : 3).closes_in = Phase::ready;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
    }
}

TEST(GivingUp, WhoClosesWhileOthersStillNeedItIsNamed) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (Operation const& operation : {all_gather(8), barrier(), broadcast(0, 10), all_gather(1U << 20U)}) {
            for (std::uint64_t seed = 1; seed <= seeds(5); ++seed) {
                WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
                RankId const leaver =
                    operation.kind == OperationKind::broadcast ? 0 : static_cast<RankId>(seed % nranks);
                plan.program = {operation};
                plan.rank(leaver).program.clear();
                plan.rank(leaver).closes = true;
                TinyWorld world(plan);
                world.run();
                ASSERT_EQ(world.broken_rule(), "");
                for (RankId r = 0; r < nranks; ++r) {
                    if (r == leaver)
                        continue;
                    Error const error = world.rank(r).rank.error();
                    ASSERT_EQ(error.code, Code::peer_closed) << story_of(world);
                    ASSERT_EQ(error.about, leaver) << story_of(world);
                }
            }
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
