/// Properties that compare runs are able to fail.
#include "observe/twin_runs.hpp"

#include "engine/seeded_oracle.hpp"
#include "paper_scene.hpp"

#include <gtest/gtest.h>

namespace ronde::props {
namespace {

using protocol::kMicrosecondNs;
using protocol::kSecondNs;

sim::WorldPlan jittery_plan() {
    sim::WorldPlan plan;
    plan.nranks = 5;
    plan.network.same_host = sim::Distribution::uniform(kMicrosecondNs, 90 * kMicrosecondNs);
    return plan;
}

TEST(D1, SeesTwoRunsThatDiffer) {
    sim::World room;
    sim::WorldPlan const plan = jittery_plan();
    sim::SeededOracle first(1);
    sim::Outcome const outcome = sim::World(plan, &first).run();
    sim::SeededOracle same(1);
    EXPECT_FALSE(same_again(plan, same, outcome, room));
    sim::SeededOracle other(2);
    auto const violation = same_again(plan, other, outcome, room);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->property, PropertyId::d1);
}

TEST(D2, HoldsInACalmWorldWhateverIsChosen) {
    sim::World room;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_FALSE(any_schedule(jittery_plan(), seed, room)) << seed;
}

TEST(D2, SeesARankThatIsNotReadyAndAnEntryThatIsAnother) {
    PaperScene scene(3);
    sim::Outcome outcome;
    outcome.nranks = 3;
    outcome.ends[0] = 2;
    auto const missing = calm_end(outcome, scene, 9);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->sentence, "with the choices of seed 9 2 of 3 ranks are ready, in a calm world");
    outcome.ends[0] = 3;
    EXPECT_FALSE(calm_end(outcome, scene, 9));
    scene.tables_[0][2] = 1;
    auto const other = calm_end(outcome, scene, 9);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->sentence, "with the choices of seed 9 rank 0 has another entry of rank 2");
}

TEST(D3, SeesLanesThatDiffer) {
    sim::World room;
    sim::WorldPlan plan = jittery_plan();
    plan.policies.gather = protocol::Gather::ring;
    EXPECT_FALSE(both_lanes(plan, room));
    plan.fast_forward = false;
    sim::Outcome const played = sim::World(plan).run();
    sim::Outcome whole = played;
    EXPECT_FALSE(lanes_differ(whole, played));
    ++whole.last_table_ns;
    auto const violation = lanes_differ(whole, played);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->property, PropertyId::d3);
}

TEST(S5, SeesStrangersWhoDelayEverybody) {
    sim::World room;
    sim::WorldPlan plan = jittery_plan();
    sim::Fault stranger;
    stranger.kind = sim::FaultKind::stranger;
    stranger.ranks = {{1, 1}};
    plan.faults = {stranger};
    sim::Outcome with = sim::World(plan).run();
    EXPECT_FALSE(strangers_delay_nobody(plan, with, room));
    with.last_ready_ns += 10 * kSecondNs;
    auto const violation = strangers_delay_nobody(plan, with, room);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->property, PropertyId::s5);
}

}  // namespace
}  // namespace ronde::props
