/// How many turns a gather takes, counted in frames: what each rank receives, and how many one-way latencies pass until
/// the last rank has its table when nothing but frames of the gather takes time.
#include "machine/story.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint32_t kRoundSizes[] = {2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64};

struct Counts {
    std::uint32_t slices = 0;  ///< frames with slices that each rank received during the bootstrap
    std::uint32_t lengths = 0;
    TimeNs latencies = 0;  ///< until the last rank was ready
};

/// Runs a bootstrap that ends with the table (nobody commits), so that only frames of the gather are counted.
void count(Gather gather, Turns turns, std::uint32_t nranks, std::uint64_t seed, Counts& counts) {
    WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
    plan.policies.gather = gather;
    plan.policies.turns = turns;
    plan.policies.commit = Commit::none;
    plan.latency_ns = [](Frame const& frame) {
        return frame.kind == FrameKind::slices || frame.kind == FrameKind::length ? kMicrosecondNs : 0;
    };
    TinyWorld world(plan);
    world.run();
    ASSERT_TRUE(everyone_is_ready(world));
    auto const frames = [&](RankId r, FrameKind kind) {
        auto const& in = world.rank(r).frames_in;
        auto const found = in.find(static_cast<std::uint32_t>(kind));
        return found == in.end() ? 0U : found->second;
    };
    counts = {frames(0, FrameKind::slices), frames(0, FrameKind::length), 0};
    for (RankId r = 0; r < nranks; ++r) {
        EXPECT_EQ(frames(r, FrameKind::slices), counts.slices) << "rank " << r;
        EXPECT_EQ(frames(r, FrameKind::length), counts.lengths) << "rank " << r;
        counts.latencies = std::max(counts.latencies, world.rank(r).settled_ns / kMicrosecondNs);
    }
}

TEST(Rounds, RingTakesOneRoundLessThanRanks) {
    for (Turns const turns : {Turns::pipelined, Turns::lock_step, Turns::send_then_receive}) {
        for (std::uint32_t const nranks : kRoundSizes) {
            Counts counts;
            ASSERT_NO_FATAL_FAILURE(count(Gather::ring, turns, nranks, 5, counts));
            EXPECT_EQ(counts.slices, nranks - 1);
            EXPECT_EQ(counts.lengths, 0U);
            EXPECT_EQ(counts.latencies, nranks - 1);
        }
    }
}

TEST(Rounds, LengthTurnsDoubleTheLatenciesOfARing) {
    for (std::uint32_t const nranks : kRoundSizes) {
        Counts counts;
        ASSERT_NO_FATAL_FAILURE(count(Gather::ring, Turns::lock_step_lengths, nranks, 5, counts));
        EXPECT_EQ(counts.slices, nranks - 1);
        EXPECT_EQ(counts.lengths, nranks - 1);
        EXPECT_EQ(counts.latencies, 2 * (nranks - 1));
    }
}

TEST(Rounds, BothWaysAroundTakeHalfTheRounds) {
    for (Turns const turns : {Turns::pipelined, Turns::lock_step}) {
        for (std::uint32_t const nranks : kRoundSizes) {
            Counts counts;
            ASSERT_NO_FATAL_FAILURE(count(Gather::ring2, turns, nranks, 5, counts));
            EXPECT_EQ(counts.slices, nranks - 1);
            EXPECT_EQ(counts.latencies, nranks / 2);
        }
    }
}

// 1.5 N latencies: a round is a length turn each way, one after the other, and then the slices. An even ring's last
// round goes forward only and has two turns.
TEST(Rounds, BothWaysAroundWithLengthsTakeThreeLatenciesPerRound) {
    for (std::uint32_t const nranks : kRoundSizes) {
        Counts counts;
        ASSERT_NO_FATAL_FAILURE(count(Gather::ring2, Turns::lock_step_lengths, nranks, 5, counts));
        EXPECT_EQ(counts.slices, nranks - 1);
        EXPECT_EQ(counts.lengths, nranks - 1);
        EXPECT_EQ(counts.latencies, 3 * (nranks / 2) - (nranks % 2 == 0 ? 1 : 0)) << nranks;
    }
}

// The root's successor is a head start of one entry: windows of 2, 3, 5, 9 ... entries.
TEST(Rounds, DoublingTakesTheLogarithm) {
    for (std::uint32_t const nranks : kRoundSizes) {
        Counts counts;
        ASSERT_NO_FATAL_FAILURE(count(Gather::doubling, Turns::pipelined, nranks, 5, counts));
        std::uint32_t const rounds = nranks <= 2 ? 0 : log2_ceil(nranks - 1);
        EXPECT_EQ(counts.slices, rounds);
        EXPECT_EQ(counts.latencies, rounds);
        EXPECT_LE(rounds, log2_ceil(nranks));
    }
}

TEST(Rounds, AStarIsOneFrame) {
    for (std::uint32_t const nranks : kRoundSizes) {
        Counts counts;
        ASSERT_NO_FATAL_FAILURE(count(Gather::star, Turns::pipelined, nranks, 5, counts));
        EXPECT_EQ(counts.slices, 1U);
        EXPECT_EQ(counts.latencies, 1U);
    }
}

// A barrier is a dissemination: ceil(log2 N) tokens to everyone, none with a payload.
TEST(Rounds, ABarrierIsTheLogarithmOfTokens) {
    for (std::uint32_t const nranks : kRoundSizes) {
        WorldPlan plan = plan_of(Profile::article, nranks, 1, 3);
        plan.program = {barrier()};
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(every_program_is_done(world));
        for (RankId r = 0; r < nranks; ++r) {
            std::uint32_t const slices = world.rank(r).frames_in.at(static_cast<std::uint32_t>(FrameKind::slices));
            EXPECT_EQ(slices, nranks - 1 + log2_ceil(nranks));
        }
    }
}

// Many roots make hand-out concurrent, they do not change what a rank sends: one check-in, or two at a boundary.
TEST(Rounds, BoundaryRanksCheckInTwice) {
    for (Profile const profile : {Profile::nccl, Profile::ronde}) {
        WorldPlan plan = plan_of(profile, 7, 3, 1);
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
        Partition const partition{7, 3};
        for (RankId r = 0; r < 7; ++r) {
            auto const check_ins = world.rank(r).frames_out.at(static_cast<std::uint32_t>(FrameKind::check_in));
            EXPECT_EQ(check_ins, partition.is_boundary(r) ? 2U : 1U) << "rank " << r;
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
