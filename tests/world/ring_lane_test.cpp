/// A gather around the ring, computed as a whole or played frame by frame: the same world, to the nanosecond.
#include "engine/draw.hpp"
#include "plans.hpp"

#include <fmt/format.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::Profile;
using protocol::Turns;

void expect_the_same(WorldPlan plan, std::string const& story) {
    plan.fast_forward = true;
    Outcome const whole = run(plan);
    plan.fast_forward = false;
    Outcome const played = run(plan);
    EXPECT_EQ(whole.ends, played.ends) << story << ": " << summary(whole) << " / " << summary(played);
    EXPECT_EQ(whole.last_table_ns, played.last_table_ns) << story;
    EXPECT_EQ(whole.last_ready_ns, played.last_ready_ns) << story;
    EXPECT_EQ(whole.phases, played.phases) << story;
    EXPECT_EQ(whole.frames, played.frames) << story;
    EXPECT_EQ(whole.bytes, played.bytes) << story;
    EXPECT_EQ(whole.frames_by_kind, played.frames_by_kind) << story;
    EXPECT_EQ(whole.broken, "") << story;
    EXPECT_EQ(played.skipped_frames, 0U);
}

/// A world drawn from a number: profile, size, gather, turns, delays, starts.
WorldPlan drawn(std::uint64_t number) {
    std::uint64_t counter = 0;
    auto const pick = [&](std::uint64_t n) { return below(draw(99, number, counter++), n); };
    WorldPlan plan = plan_of(static_cast<std::uint32_t>(3 + pick(120)), pick(2) == 0 ? Profile::nccl : Profile::ronde);
    plan.seed = number + 1;
    if (plan.policies.profile == Profile::ronde)
        plan.policies.gather = Gather::ring;
    plan.nroots = static_cast<std::uint32_t>(1 + pick(3));
    plan.policies.gather = pick(2) == 0 ? Gather::ring : Gather::ring2;
    constexpr Turns kTurns[] = {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths};
    plan.policies.turns = kTurns[pick(3)];
    plan.ranks_per_host = {static_cast<std::uint32_t>(1 + pick(9))};
    plan.network.hosts_per_rack = static_cast<std::uint32_t>(pick(4));
    switch (pick(4)) {
    case 0: break;
    case 1: plan.network.cross_rack = Distribution::constant(90 * kMicrosecondNs); break;
    case 2: plan.network.same_rack = Distribution::log_normal(30 * kMicrosecondNs, 400); break;
    default: plan.network.same_host = Distribution::uniform(kMicrosecondNs, 40 * kMicrosecondNs); break;
    }
    if (pick(2) == 0)
        plan.arrival.skew = Distribution::exponential(200 * kMicrosecondNs);
    if (plan.policies.gather == Gather::ring && pick(2) == 0)
        plan.host.message_service_ns = static_cast<TimeNs>(pick(9)) * kMicrosecondNs;
    return plan;
}

TEST(RingLane, IsEqualToTheEventsInRandomWorlds) {
    for (std::uint64_t number = 0; number < 60; ++number) {
        WorldPlan const plan = drawn(number);
        expect_the_same(plan,
                        fmt::format("world {}: {} ranks, {} roots, {} {}", number, plan.nranks, plan.nroots,
                                    protocol::name_of(plan.policies.gather), protocol::name_of(plan.policies.turns)));
    }
}

TEST(RingLane, SkipsWhatItSays) {
    Outcome const outcome = run(plan_of(64, Profile::nccl));
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    std::uint64_t const slices = 64U * 63U;
    std::uint64_t const lengths = slices;  // one before each slice
    EXPECT_EQ(outcome.skipped_frames, slices + lengths);
}

TEST(RingLane, ADeadlineInTheMiddleIsPlayed) {
    WorldPlan plan = plan_of(40);
    plan.policies.gather = Gather::ring;
    plan.policies.turns = Turns::lock_step;
    plan.network.same_host = plan.network.same_rack = Distribution::constant(20 * kMillisecondNs);
    plan.budget_ns = 600 * kMillisecondNs;  // 39 rounds need 780 ms
    expect_the_same(plan, "deadline");
    EXPECT_EQ(run(plan).count(End::ready), 0U);
}

TEST(RingLane, ARingThatWaitsForSomebodyIsPlayed) {
    WorldPlan plan = plan_of(20, Profile::nccl);
    plan.faults.push_back(fault_on_rank(FaultKind::never, 7));
    expect_the_same(plan, "missing");
    EXPECT_EQ(run(plan).count(End::hanging), 19U);
}

TEST(RingLane, AFaultThatMayStrikeTheRingKeepsTheFrames) {
    WorldPlan plan = plan_of(20, Profile::nccl);
    plan.faults.push_back(fault_on_rank(FaultKind::crash, 7));
    plan.faults.back().when = at(kSecondNs);
    EXPECT_EQ(run(plan).skipped_frames, 0U);
}

}  // namespace
}  // namespace ronde::sim
