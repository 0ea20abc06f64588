/// The verbs, over every order of events: the bytes are right, nobody waits for ever, nothing of the next operation
/// disturbs the one under way. The tiny world compares every byte when an operation completes.
#include "machine/story.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kOperationSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17};

void expect_done(WorldPlan const& plan) {
    TinyWorld world(plan);
    world.run();
    ASSERT_TRUE(every_program_is_done(world));
}

/// Every profile and size with the same program on all ranks.
void expect_program_done(std::vector<Operation> const& program, std::uint32_t nranks, std::uint32_t wanted_seeds) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint32_t nroots = 1; nroots <= 2 && nroots <= nranks; ++nroots) {
            if (profile == Profile::article && nroots > 1)
                continue;
            for (std::uint64_t seed = 1; seed <= seeds(wanted_seeds); ++seed) {
                WorldPlan plan = plan_of(profile, nranks, nroots, seed);
                plan.program = program;
                ASSERT_NO_FATAL_FAILURE(expect_done(plan));
                plan.closes = true;
                ASSERT_NO_FATAL_FAILURE(expect_done(plan));
            }
        }
    }
}

TEST(Operations, AllGather) {
    for (std::uint32_t const nranks : kOperationSizes) {
        for (std::uint64_t const bytes : {1U, 8U, 1000U}) {
            ASSERT_NO_FATAL_FAILURE(expect_program_done({all_gather(bytes)}, nranks, 3));
        }
    }
}

TEST(Operations, AllGatherOfNothing) {
    for (std::uint32_t const nranks : kOperationSizes) {
        ASSERT_NO_FATAL_FAILURE(expect_program_done({all_gather(0), all_gather(0), all_gather(8)}, nranks, 3));
    }
}

TEST(Operations, ManyAllGathersInARow) {
    for (std::uint32_t const nranks : kOperationSizes) {
        ASSERT_NO_FATAL_FAILURE(
            expect_program_done({all_gather(8), all_gather(24), all_gather(1), all_gather(8)}, nranks, 4));
    }
}

// Above a mebibyte in all, the gather goes around the ring also where chords stand.
TEST(Operations, AllGatherOfMuch) {
    for (std::uint32_t const nranks : {2U, 3U, 8U}) {
        std::uint64_t const bytes = (1U << 20U) / nranks + 64U;
        ASSERT_NO_FATAL_FAILURE(expect_program_done({all_gather(bytes), all_gather(8), all_gather(bytes)}, nranks, 1));
    }
}

TEST(Operations, Barriers) {
    for (std::uint32_t const nranks : kOperationSizes) {
        ASSERT_NO_FATAL_FAILURE(expect_program_done({barrier(), barrier(), barrier()}, nranks, 4));
    }
}

TEST(Operations, BroadcastFromEachRank) {
    for (std::uint32_t const nranks : kOperationSizes) {
        for (RankId source = 0; source < nranks; ++source) {
            ASSERT_NO_FATAL_FAILURE(expect_program_done({broadcast(source, 100)}, nranks, 2));
        }
    }
}

TEST(Operations, BroadcastOfNothing) {
    for (std::uint32_t const nranks : kOperationSizes) {
        ASSERT_NO_FATAL_FAILURE(expect_program_done({broadcast(nranks - 1, 0), broadcast(0, 0), barrier()}, nranks, 4));
    }
}

TEST(Operations, BroadcastsFromDifferentSourcesFollowEachOther) {
    for (std::uint32_t const nranks : kOperationSizes) {
        std::vector<Operation> program;
        for (RankId i = 0; i < 6; ++i)
            program.push_back(broadcast(i * 5 % nranks, 10 + i));
        ASSERT_NO_FATAL_FAILURE(expect_program_done(program, nranks, 4));
    }
}

/// A program of `length` collectives that all ranks agree on.
std::vector<Operation> mixed_program(std::uint64_t seed, std::uint32_t nranks, std::uint32_t length) {
    TinyRandom random(seed);
    std::vector<Operation> program;
    for (std::uint32_t i = 0; i < length; ++i) {
        switch (random.below(4)) {
        case 0: program.push_back(all_gather(random.below(3) * 8U)); break;
        case 1: program.push_back(barrier()); break;
        case 2: program.push_back(broadcast(random.below(nranks), random.below(3) * 16U)); break;
        default: program.push_back(all_gather(1 + random.below(40))); break;
        }
    }
    return program;
}

TEST(Operations, AnyMixtureInAnyOrder) {
    for (std::uint32_t const nranks : kOperationSizes) {
        for (std::uint64_t mixture = 1; mixture <= seeds(12); ++mixture) {
            ASSERT_NO_FATAL_FAILURE(expect_program_done(mixed_program(mixture, nranks, 9), nranks, 1));
        }
    }
}

// The gathers around the ring serve the programs' all_gathers too.
TEST(Operations, AnyMixtureOverEveryRingGather) {
    for (Gather const gather : {Gather::ring, Gather::ring2}) {
        for (Turns const turns :
             {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive}) {
            for (std::uint32_t const nranks : {1U, 2U, 3U, 4U, 7U, 8U}) {
                for (std::uint64_t seed = 1; seed <= seeds(12); ++seed) {
                    WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
                    plan.policies.gather = gather;
                    plan.policies.turns = turns;
                    plan.program = mixed_program(seed, nranks, 6);
                    Policies const resolved = resolve(plan.policies, nranks, 1);
                    if (!contradiction_in(resolved, nranks, 1).empty())
                        continue;
                    ASSERT_NO_FATAL_FAILURE(expect_done(plan));
                }
            }
        }
    }
}

// --- messages -------------------------------------------------------------------------------------------------------

TEST(Messages, ArriveInAnyOrderOfTags) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
            WorldPlan plan = plan_of(profile, 3, 1, seed);
            plan.rank(0).program = {send_to(2, 5, 100), send_to(2, 7, 3)};
            plan.rank(2).program = {receive_from(0, 7, 3), receive_from(0, 5, 100)};
            ASSERT_NO_FATAL_FAILURE(expect_done(plan));
        }
    }
}

TEST(Messages, GoAroundTheRing) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            for (RankId r = 0; r < nranks; ++r) {
                RankId const next = (r + 1) % nranks;
                RankId const before = (r + nranks - 1) % nranks;
                plan.rank(r).program = {send_to(next, 1, 16), receive_from(before, 1, 16), barrier(),
                                        send_to(before, 2, 0), receive_from(next, 2, 0)};
                plan.rank(r).closes = true;
            }
            ASSERT_NO_FATAL_FAILURE(expect_done(plan));
        }
    }
}

TEST(Messages, FromEveryoneToOne) {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
        std::uint32_t const nranks = 9;
        WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
        for (RankId r = 1; r < nranks; ++r) {
            plan.rank(r).program = {send_to(0, r, 8 + r), send_to(0, 100 + r, 1), receive_from(0, 1, 4)};
            plan.rank(0).program.push_back(receive_from(nranks - r, 100 + nranks - r, 1));
        }
        for (RankId r = 1; r < nranks; ++r)
            plan.rank(0).program.push_back(receive_from(r, r, 8 + r));
        for (RankId r = 1; r < nranks; ++r)
            plan.rank(0).program.push_back(send_to(r, 1, 4));
        for (RankId r = 0; r < nranks; ++r)
            plan.rank(r).closes = true;
        ASSERT_NO_FATAL_FAILURE(expect_done(plan));
    }
}

TEST(Messages, BothWaysBetweenTwoRanksAtOnce) {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 2, 1, seed);
        plan.window_bytes = 64;
        plan.rank(0).program = {send_to(1, 1, 5000), receive_from(1, 1, 5000)};
        plan.rank(1).program = {send_to(0, 1, 5000), receive_from(0, 1, 5000)};
        ASSERT_NO_FATAL_FAILURE(expect_done(plan));
    }
}

// A message to a rank that is busy with a collective waits, and does not disturb it.
TEST(Messages, CrossCollectives) {
    for (std::uint32_t const nranks : {2U, 4U, 7U}) {
        for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            plan.program = {all_gather(8), broadcast(0, 9), barrier()};
            plan.rank(0).program = {send_to(1, 3, 10), all_gather(8), send_to(1, 4, 10), broadcast(0, 9), barrier()};
            plan.rank(1).program = {all_gather(8), broadcast(0, 9), receive_from(0, 4, 10), barrier(),
                                    receive_from(0, 3, 10)};
            ASSERT_NO_FATAL_FAILURE(expect_done(plan));
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
