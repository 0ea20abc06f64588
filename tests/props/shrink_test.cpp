/// A failure that was planted is made as small as it can be.
#include "shrink/shrink.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "shrink/edits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::props {
namespace {

using protocol::kMillisecondNs;
using protocol::kSecondNs;
using sim::FaultKind;
using testing::HasSubstr;

sim::Fault fault_of(FaultKind kind, RankId rank) {
    sim::Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    return fault;
}

/// A large world with much in it that has nothing to do with what is wrong.
Script crowded_script() {
    Script script;
    script.plan.nranks = 40;
    script.plan.nroots = 3;
    script.plan.seed = 4'711;
    script.plan.ranks_per_host = {8, 4};
    script.plan.network.same_rack = sim::Distribution::uniform(10'000, 90'000);
    script.plan.arrival.skew = sim::Distribution::uniform(0, 5 * kMillisecondNs);
    script.plan.faults = {fault_of(FaultKind::pause, 3), fault_of(FaultKind::crash, 17),
                          fault_of(FaultKind::stranger, 9), fault_of(FaultKind::crash, 31),
                          fault_of(FaultKind::interrupted, 2)};
    script.plan.faults[0].duration_ns = 20 * kMillisecondNs;
    script.plan.faults[1].when.at_ns = 123'456;
    script.plan.faults[2].times = 5;
    script.plan.faults[3].when.at_ns = 654'321;
    script.plan.faults[4].amount = 9;
    return script;
}

/// Planted: whoever is left does not like to see two ranks die.
std::optional<Violation> two_are_dead(Script const& script) {
    sim::Outcome const outcome = sim::World(script.plan).run();
    if (outcome.count(sim::End::dead) < 2 || outcome.nranks < 3)
        return std::nullopt;
    return Violation{PropertyId::s1, outcome.steps, 0, {}, "two ranks are dead"};
}

TEST(Shrink, FindsTheSmallestWorldWithTwoDeadRanks) {
    Shrunk const shrunk = shrink(crowded_script(), two_are_dead);
    sim::WorldPlan const& plan = shrunk.script.plan;
    EXPECT_TRUE(shrunk.finished);
    EXPECT_EQ(plan.nranks, 3U);
    EXPECT_EQ(plan.nroots, 1U);
    ASSERT_EQ(plan.faults.size(), 2U) << sim::write_scenario(plan);
    for (sim::Fault const& fault : plan.faults) {
        EXPECT_EQ(fault.kind, FaultKind::crash);
        EXPECT_EQ(fault.when.at_ns, 0);
    }
    EXPECT_TRUE(plan.arrival.skew.is_constant());
    EXPECT_EQ(plan.seed, 1U);
    EXPECT_EQ(shrunk.violation.sentence, "two ranks are dead");
}

TEST(Shrink, StopsWhenThereIsNoMoreTime) {
    Shrunk const shrunk = shrink(crowded_script(), two_are_dead, {.budget_ns = kSecondNs * 60, .most_runs = 5});
    EXPECT_FALSE(shrunk.finished);
    EXPECT_LE(shrunk.runs, 5U);
    EXPECT_TRUE(two_are_dead(shrunk.script));
}

/// Planted: the third choice of order must not be its second candidate.
std::optional<Violation> third_choice(Script const& script) {
    if (!script.tape || script.tape->entries.size() < 3 || script.tape->entries[2].picked != 1)
        return std::nullopt;
    return Violation{PropertyId::s1, 0, 0, {}, "the third choice"};
}

TEST(Shrink, LeavesTheOneChoiceThatMatters) {
    Script script;
    script.plan.any_order = true;
    script.tape = sim::Tape{};
    for (std::uint32_t i = 0; i < 50; ++i)
        script.tape->entries.push_back({sim::Choice::order, 5, i == 2 ? 1U : i % 5U, i});
    Shrunk const shrunk = shrink(std::move(script), third_choice);
    ASSERT_TRUE(shrunk.script.tape);
    ASSERT_EQ(shrunk.script.tape->entries.size(), 3U);
    EXPECT_EQ(shrunk.script.tape->entries[0].picked, 0U);
    EXPECT_EQ(shrunk.script.tape->entries[1].picked, 0U);
    EXPECT_EQ(shrunk.script.tape->entries[2].picked, 1U);
}

TEST(Shrink, KeepsThePropertyOfAKnownWeakSpot) {
    Script script = crowded_script();
    script.plan.policies = protocol::policies_of(protocol::Profile::nccl);
    Shrunk const shrunk = shrink(std::move(script), PropertyId::l2);
    EXPECT_LE(shrunk.script.plan.nranks, 2U) << sim::write_scenario(shrunk.script.plan);
    EXPECT_LE(shrunk.script.plan.faults.size(), 1U) << sim::write_scenario(shrunk.script.plan);
    EXPECT_THAT(shrunk.violation.sentence, HasSubstr("waits for ever"));
}

TEST(Shrink, KeepsFaultsWithinASmallerJob) {
    sim::WorldPlan const plan = with_ranks(crowded_script().plan, 5);
    EXPECT_EQ(contradiction_in(plan), "");
    EXPECT_EQ(plan.faults[1].ranks.front().first, 17U % 5U);
}

TEST(CriticalStep, IsNoneWhenThePlanDecides) {
    Script script;
    script.plan.policies = protocol::policies_of(protocol::Profile::nccl);
    script.plan.faults = {fault_of(FaultKind::never, 1)};
    script.plan.any_order = true;
    CriticalStep const critical = critical_step(script, PropertyId::l2, 4);
    EXPECT_EQ(critical.choices, 0U);
    EXPECT_EQ(critical.step, 0U);
    EXPECT_EQ(critical.continuations, 4U);
}

/// A stranger and the true predecessor knock at one door at one instant: who is first is a choice.
TEST(CriticalStep, IsTheChoiceThatDecides) {
    Script script;
    script.plan.nranks = 3;
    script.plan.policies = protocol::policies_of(protocol::Profile::article);
    script.plan.any_order = true;
    script.plan.network.same_host = sim::Distribution::constant(20'000);
    script.plan.faults = {fault_of(FaultKind::stranger, 1)};
    script.plan.faults.front().stranger = sim::StrangerKind::other_session;
    // When the stranger has to come is found by trying; the test is about what follows.
    for (TimeNs at_ns = 0; at_ns < 400'000; at_ns += 20'000) {
        script.plan.faults.front().when.at_ns = at_ns;
        for (script.plan.seed = 1; script.plan.seed < 8; ++script.plan.seed) {
            if (!judge(script, {.twins = false}).violation_of(PropertyId::s5))
                continue;
            CriticalStep const critical = critical_step(script, PropertyId::s5, 8);
            if (critical.choices == 0)
                break;  // certain from the beginning at this moment
            EXPECT_GT(critical.step, 0U);
            return;
        }
    }
    FAIL() << "there is a moment at which the order decides";
}

TEST(TestFile, IsAWholeTest) {
    Script script;
    script.plan.name = "s1-1-42";
    script.tape = sim::Tape{};
    Violation const violation{PropertyId::s1, 7, 8, {1}, "rank 1 is ready with 2 of 3 entries"};
    std::string const text = test_file(script, violation, "FailureS1142");
    EXPECT_THAT(text, HasSubstr("/// S1: rank 1 is ready with 2 of 3 entries."));
    EXPECT_THAT(text, HasSubstr("TEST(S1, FailureS1142) {"));
    EXPECT_THAT(text, HasSubstr("sim::tape_from(R\"(ronde-tape 1"));
    EXPECT_THAT(text, HasSubstr("EXPECT_EQ(watch.run(), \"\");"));
    script.plan.policies = protocol::policies_of(protocol::Profile::nccl);
    EXPECT_THAT(test_file(script, {PropertyId::l2, 1, 2, {}, "rank 0 waits"}, "Hang"),
                HasSubstr("EXPECT_NE(name_of(violation.property), \"L2\") << to_text(violation);"));
}

TEST(SizeText, CountsWhatThereIs) {
    Script script;
    script.plan.nranks = 1;
    EXPECT_EQ(size_text(script), "1 rank, 1 root, 0 faults");
    script.tape = sim::Tape{};
    EXPECT_EQ(size_text(crowded_script()), "40 ranks, 3 roots, 5 faults");
    EXPECT_EQ(size_text(script), "1 rank, 1 root, 0 faults, 0 choices");
}

}  // namespace
}  // namespace ronde::props
