/// Healthy jobs: whatever the order of events, everyone ends with the same exact table and both hands.
#include "machine/story.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64};

std::uint32_t seeds_for(std::uint32_t nranks) { return seeds(nranks <= 17 ? 20 : 4); }

void expect_ready(WorldPlan const& plan) {
    TinyWorld world(plan);
    world.run();
    ASSERT_TRUE(everyone_is_ready(world));
    for (std::uint32_t i = 0; i < plan.nroots; ++i) {
        EXPECT_EQ(world.root(i).root.phase(), RootPhase::finished) << story_of(world);
        EXPECT_EQ(world.root(i).root.strangers(), 0U) << story_of(world);
    }
}

void expect_profile_ready(Profile profile, Gather gather, std::uint32_t most_roots) {
    for (std::uint32_t const nranks : kSizes) {
        for (std::uint32_t nroots = 1; nroots <= most_roots && nroots <= nranks; ++nroots) {
            for (std::uint64_t seed = 1; seed <= seeds_for(nranks); ++seed) {
                WorldPlan plan = plan_of(profile, nranks, nroots, seed);
                if (gather != Gather::automatic)
                    plan.policies.gather = gather;
                ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
            }
        }
    }
}

TEST(Bootstrap, ArticleStands) { expect_profile_ready(Profile::article, Gather::automatic, 1); }
TEST(Bootstrap, NcclStands) { expect_profile_ready(Profile::nccl, Gather::automatic, 3); }
TEST(Bootstrap, RondeStands) { expect_profile_ready(Profile::ronde, Gather::automatic, 3); }
TEST(Bootstrap, RondeStandsByDoubling) { expect_profile_ready(Profile::ronde, Gather::doubling, 3); }

TEST(Bootstrap, EveryGatherWorksWithEveryKindOfTurns) {
    for (Gather const gather : {Gather::ring, Gather::ring2}) {
        for (Turns const turns :
             {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive}) {
            for (std::uint32_t const nranks : kSizes) {
                for (std::uint32_t nroots = 1; nroots <= 3 && nroots <= nranks; ++nroots) {
                    for (std::uint64_t seed = 1; seed <= seeds_for(nranks); ++seed) {
                        WorldPlan plan = plan_of(Profile::ronde, nranks, nroots, seed);
                        plan.policies.gather = gather;
                        plan.policies.turns = turns;
                        Policies const resolved = resolve(plan.policies, nranks, nroots);
                        if (!contradiction_in(resolved, nranks, nroots).empty())
                            continue;
                        ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
                    }
                }
            }
        }
    }
}

TEST(Bootstrap, TheHandshakeCanBeSwitchedOff) {
    for (Auth const auth : {Auth::magic, Auth::none}) {
        for (Gather const gather : {Gather::automatic, Gather::doubling}) {
            for (std::uint32_t const nranks : {1U, 2U, 3U, 5U, 9U, 16U}) {
                for (std::uint32_t nroots = 1; nroots <= 3 && nroots <= nranks; ++nroots) {
                    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
                        WorldPlan plan = plan_of(Profile::ronde, nranks, nroots, seed);
                        plan.policies.auth = auth;
                        plan.policies.gather = gather;
                        Policies const resolved = resolve(plan.policies, nranks, nroots);
                        if (!contradiction_in(resolved, nranks, nroots).empty())
                            continue;
                        ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
                    }
                }
            }
        }
    }
}

TEST(Bootstrap, LateRanksAreWaitedFor) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(profile, 7, 1, seed);
            for (RankId r = 0; r < plan.nranks; ++r) {
                plan.rank(r).start_ns = static_cast<TimeNs>((seed * 31 + r * 17) % 9) * kSecondNs;
            }
            ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
        }
    }
}

TEST(Bootstrap, ABacklogOfOneIsEnough) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint32_t const nranks : {2U, 5U, 17U}) {
            for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
                WorldPlan plan = plan_of(profile, nranks, 1, seed);
                plan.backlog = 1;
                plan.root(0).pending_limit = 1;
                ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
            }
        }
    }
}

// More than 128 (article) or 256 at one root (nccl): check-ins are spread in time.
TEST(Bootstrap, TheOldProfilesStaggerALargeJob) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        std::uint32_t const nranks = profile == Profile::article ? 129 : 257;
        WorldPlan plan = plan_of(profile, nranks, 1, 7);
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
        TimeNs const last_ns = profile == Profile::article ? 128 * kMillisecondNs : 256 * kSecondNs / 7000;
        EXPECT_EQ(world.rank(nranks - 1).settled_ns, last_ns);
    }
}

TEST(Bootstrap, RanksOfOneDeviceThatNobodyGuardsAreWelcome) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 6, 1, seed);
        for (RankId r = 0; r < 6; ++r)
            plan.rank(r).device_id = kNoDevice;
        ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
    }
}

TEST(Bootstrap, OneDeviceNumberOnTwoHostsIsTwoDevices) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 6, 1, seed);
        for (RankId r = 0; r < 6; ++r) {
            plan.rank(r).device_id = 3;
            plan.rank(r).host_id = 100 + r;
        }
        ASSERT_NO_FATAL_FAILURE(expect_ready(plan));
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
