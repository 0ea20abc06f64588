/// Healthy worlds: everyone comes home, in the time that the protocol needs.
#include "plans.hpp"

#include <fmt/format.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::Profile;
using protocol::Turns;

struct Size {
    Profile profile;
    std::uint32_t nranks;
    std::uint32_t nroots;
};

class Shapes : public testing::TestWithParam<Size> {};

TEST_P(Shapes, EveryRankIsReadyWithTheTableThatTheRootsSaw) {
    auto const [profile, nranks, nroots] = GetParam();
    Outcome const outcome = run(plan_of(nranks, profile, nroots));
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_EQ(outcome.broken, "");
    EXPECT_EQ(outcome.storm.strangers, 0U);
    EXPECT_EQ(outcome.storm.resets, 0U);
}

std::vector<Size> shapes() {
    std::vector<Size> all;
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint32_t const nranks : {1U, 2U, 3U, 4U, 7U, 8U, 64U, 300U}) {
            for (std::uint32_t const nroots : {1U, 2U, 3U, 16U}) {
                if (nroots <= nranks && (nroots == 1 || profile != Profile::article))
                    all.push_back({profile, nranks, nroots});
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::ValuesIn(shapes()), [](auto const& test) {
    return fmt::format("{}_{}ranks_{}roots", protocol::name_of(test.param.profile), test.param.nranks,
                       test.param.nroots);
});

TEST(Bootstrap, JitterLossAndUnevenHostsOnlyCostTime) {
    WorldPlan plan = plan_of(200);
    plan.ranks_per_host = {8, 3, 1};
    plan.network.same_rack = Distribution::log_normal(50 * kMicrosecondNs, 400);
    plan.network.loss_per_million = 20'000;
    plan.policies.gather = Gather::doubling;
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_GT(outcome.storm.packets_lost, 0U);
    EXPECT_GT(outcome.last_table_ns, 200 * kMillisecondNs) << "some frame was repeated";
}

/// 500 bytes at 98 304 ranks; here a few more, because what a world has anyway is shared by fewer.
TEST(Bootstrap, ARankOfALargeWorldCostsHalfAKilobyteAllTold) {
    WorldPlan plan = plan_of(8'192);
    plan.network.same_host = plan.network.same_rack;
    plan.root_host.accept_service_ns = 15 * kMicrosecondNs;
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_LE(outcome.world_bytes / plan.nranks, 528U);
}

TEST(Bootstrap, TablesBeyondTheExactSizeAreWholeToo) {
    Outcome const outcome = run(plan_of(4'000));
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_EQ(outcome.broken, "");
    EXPECT_EQ(outcome.policies.gather, Gather::doubling);
}

TEST(Bootstrap, AShortAcceptQueueIsToldByTheIdSoThatNobodyIsSentAway) {
    WorldPlan plan = plan_of(300);
    plan.root_backlog = 128;  // the id says 64
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_EQ(outcome.phases[static_cast<std::size_t>(protocol::Phase::delayed)].most_ns(),
              (299 - 32) * 20 * kMicrosecondNs)
        << "half a queue comes at once";
    EXPECT_EQ(outcome.storm.ghosts + outcome.storm.syn_drops, 0U);

    plan.root_backlog = 16'384;
    plan.root_host.somaxconn = 64;  // the kernel cuts what was asked for
    EXPECT_EQ(run(plan).storm.ghosts, 0U);

    plan.root_host.somaxconn = 4'096;
    Outcome const room_for_all = run(plan);
    EXPECT_EQ(room_for_all.phases[static_cast<std::size_t>(protocol::Phase::delayed)].count(), 0U);
    EXPECT_LT(room_for_all.last_table_ns, outcome.last_table_ns);
}

TEST(Bootstrap, MoreThanAnAcceptQueueHoldsCheckInOneAfterTheOther) {
    WorldPlan plan = plan_of(5'000);
    plan.root_host.accept_service_ns = 15 * kMicrosecondNs;
    Outcome const paced = run(plan);
    EXPECT_TRUE(paced.all_ready()) << summary(paced);
    auto const delayed = static_cast<std::size_t>(protocol::Phase::delayed);
    EXPECT_EQ(paced.phases[delayed].most_ns(), (4'999 - 2'048) * 20 * kMicrosecondNs) << "half a queue comes at once";
    EXPECT_LE(paced.storm.queue_high_water, 2'049U) << "whoever comes after those is served in time";
    EXPECT_LT(paced.last_table_ns, 5'000 * 15 * kMicrosecondNs + 3 * protocol::kMillisecondNs)
        << "the root always has something to do";
    EXPECT_EQ(paced.storm.ghosts + paced.storm.syn_drops, 0U);

    plan.policies.stagger = protocol::Stagger::none;
    Outcome const together = run(plan);
    EXPECT_TRUE(together.all_ready()) << summary(together);
    EXPECT_GT(together.storm.ghosts, 500U);
    EXPECT_GT(together.last_table_ns, paced.last_table_ns) << "the kernel's own pauses are longer";

    EXPECT_EQ(run(plan_of(4'096)).phases[delayed].count(), 0U) << "what fits needs no pace";
}

TEST(Bootstrap, OperationsRunOverTheRing) {
    WorldPlan plan = plan_of(24);
    plan.gathers_after_ready = 3;
    Outcome const once = run(plan_of(24));
    Outcome const thrice = run(plan);
    EXPECT_TRUE(thrice.all_ready()) << summary(thrice);
    // An all-gather by doubling: 5 rounds, a frame per rank and round.
    EXPECT_EQ(thrice.frames - once.frames, 3U * 5U * 24U + (thrice.frames_by_kind[1] - once.frames_by_kind[1]) +
                                               (thrice.frames_by_kind[2] - once.frames_by_kind[2]) +
                                               (thrice.frames_by_kind[3] - once.frames_by_kind[3]));
}

// --- the cost of a ring, in latencies -------------------------------------------------------------------------------
// With the same one-way latency L everywhere and no other cost: from the moment that the last rank begins, its slice
// has N-1 hops to go one way round; a length turn costs another latency per hop; both ways round need half the hops.

struct LastBegin final : Observer {
    TimeNs at_ns = 0;
    void on_step(StepSeen const& seen) override {
        bool const begins = seen.rank != nullptr && seen.phase_before != seen.phase_after &&
                            seen.rank->phase() == protocol::Phase::gathering;
        if (begins)
            at_ns = seen.now_ns;
    }
};

TimeNs latencies_of(std::uint32_t nranks, Gather gather, Turns turns) {
    constexpr TimeNs kLatencyNs = 20 * kMicrosecondNs;
    WorldPlan plan = plan_of(nranks, Profile::nccl);
    plan.policies.gather = gather;
    plan.policies.turns = turns;
    plan.network.same_host = plan.network.same_rack = Distribution::constant(kLatencyNs);
    LastBegin last;
    World world(plan);
    world.watch(last);
    Outcome const outcome = world.run();
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_EQ((outcome.last_table_ns - last.at_ns) % kLatencyNs, 0);
    return (outcome.last_table_ns - last.at_ns) / kLatencyNs;
}

TEST(RingCosts, OneWayRoundIsALatencyPerRank) {
    EXPECT_EQ(latencies_of(100, Gather::ring, Turns::lock_step), 99);
    EXPECT_EQ(latencies_of(101, Gather::ring, Turns::lock_step), 100);
}

TEST(RingCosts, LengthTurnsDoubleIt) { EXPECT_EQ(latencies_of(100, Gather::ring, Turns::lock_step_lengths), 2 * 99); }

TEST(RingCosts, BothWaysRoundWithLengthTurnsIsThreeLatenciesForHalfTheRounds) {
    EXPECT_EQ(latencies_of(101, Gather::ring2, Turns::lock_step_lengths), 3 * 50);
}

TEST(RingCosts, BothWaysRoundAloneIsHalf) { EXPECT_EQ(latencies_of(101, Gather::ring2, Turns::lock_step), 50); }

}  // namespace
}  // namespace ronde::sim
