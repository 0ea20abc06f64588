/// What Linux does when too many call at once.
#include "plans.hpp"

#include <numeric>

namespace ronde::sim {
namespace {

/// 64 patient ranks call a root whose queue holds 9, and which does not look before `busy_ns`.
WorldPlan busy_root(TimeNs busy_ns) {
    WorldPlan plan = plan_of(64);
    plan.policies.answer_patience_ms = 60'000;
    plan.policies.stagger = protocol::Stagger::none;  // the id would tell them to come one after the other
    plan.root_host.somaxconn = 8;
    Fault busy = fault_on_root(FaultKind::pause);
    busy.when = at(1);
    busy.duration_ns = busy_ns;
    plan.faults.push_back(busy);
    return plan;
}

TEST(AcceptQueue, HoldsOneMoreThanTheBacklog) {
    Outcome const outcome = run(busy_root(500 * kMillisecondNs));
    EXPECT_EQ(outcome.storm.backlog, 8U);
    EXPECT_EQ(outcome.storm.queue_high_water, 9U);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
}

TEST(AcceptQueue, WhoFindsItFullWithTheLastAckIsAGhost) {
    // All SYNs arrive before the first ACK does, so nobody is turned away at the door; then nine fit.
    Outcome const outcome = run(busy_root(500 * kMillisecondNs));
    EXPECT_EQ(outcome.storm.syn_drops, 0U);
    EXPECT_EQ(outcome.storm.ghosts, 64U - 9U);
    EXPECT_GT(outcome.storm.data_retransmits, 0U) << "hello is repeated until there is room";
    EXPECT_EQ(outcome.storm.syn_retransmits, 0U) << "everybody believed to be connected at once";
}

TEST(AcceptQueue, WhoComesLaterIsDroppedWithTheFirstPacketAndTriesASecondLater) {
    WorldPlan plan = busy_root(1'500 * kMillisecondNs);
    Fault late = fault_on_rank(FaultKind::late, 63);
    late.duration_ns = 100 * kMillisecondNs;
    plan.faults.push_back(late);
    Outcome const outcome = run(plan);
    // At 100 ms: dropped. At 1.1 s: dropped. At 3.1 s the root is back.
    EXPECT_EQ(outcome.storm.syn_drops, 2U);
    EXPECT_EQ(outcome.storm.syn_retransmits, 2U);
    EXPECT_EQ(outcome.storm.connects_after_retries[2], 1U);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_GT(outcome.last_table_ns, 3 * kSecondNs);
}

TEST(AcceptQueue, AbortOnOverflowResetsInstead) {
    // Five wait when eight more call at once: few enough for the listener to keep a request of each.
    WorldPlan plan = busy_root(500 * kMillisecondNs);
    plan.nranks = 13;
    plan.root_host.abort_on_overflow = true;
    Fault late = fault_on_rank(FaultKind::late, 5);
    late.ranks = {{5, 8}};
    late.duration_ns = kMillisecondNs;
    plan.faults.push_back(late);
    Outcome const outcome = run(plan);
    EXPECT_GE(outcome.storm.overflow_resets, 13U - 9U);
    EXPECT_EQ(outcome.storm.ghosts, 0U);
    EXPECT_TRUE(outcome.all_ready()) << "a reset before the first answer is tried again: " << summary(outcome);
}

TEST(AcceptQueue, BeyondItsRequestsTheListenerAnswersWithCookiesAndRepeatsNothing) {
    // 64 SYNs before the first ACK: nine requests, which all fit. A cookie is no request, so nobody is reset either.
    WorldPlan plan = busy_root(1'500 * kMillisecondNs);
    plan.root_host.abort_on_overflow = true;
    Outcome const outcome = run(plan);
    EXPECT_EQ(outcome.storm.ghosts, 64U - 9U);
    EXPECT_EQ(outcome.storm.synack_retransmits, 0U);
    EXPECT_EQ(outcome.storm.overflow_resets, 0U);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
}

TEST(Listener, NobodyAtHomeIsRefusedAtOnce) {
    WorldPlan plan = plan_of(4);
    plan.faults.push_back(fault_on_root(FaultKind::never));
    Outcome const outcome = run(plan);
    EXPECT_EQ(outcome.count(End::failed), 4U) << summary(outcome);
    EXPECT_GT(outcome.storm.refused, 4U);
    EXPECT_EQ(end_of(outcome, 0)->error.code, protocol::Code::root_lost);
    EXPECT_LT(outcome.simulated_ns, 3 * kSecondNs);
}

TEST(Listener, ASilentHostIsCalledAgainAfterOneTwoFourSeconds) {
    WorldPlan plan = plan_of(2, protocol::Profile::article);
    Fault wall = fault_on_root(FaultKind::hang);
    wall.duration_ns = 5 * kSecondNs;
    plan.faults.push_back(wall);
    Outcome const outcome = run(plan);
    // SYNs at 0, 1, 3 and 7 s: the fourth one passes.
    EXPECT_EQ(outcome.storm.connects_after_retries[3], 2U);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_GT(outcome.last_table_ns, 7 * kSecondNs);
    EXPECT_LT(outcome.last_table_ns, 7 * kSecondNs + 10 * kMillisecondNs);
}

TEST(Host, TimeIsSharedByTheRanksOfAHost) {
    WorldPlan plan = plan_of(32);
    plan.ranks_per_host = {32};
    plan.host.message_service_ns = 10 * kMicrosecondNs;
    TimeNs const alone_ns = run(plan).last_ready_ns;
    plan.host.cores = 2;
    TimeNs const shared_ns = run(plan).last_ready_ns;
    EXPECT_GT(shared_ns, 2 * alone_ns);
}

TEST(Host, PortsRunOut) {
    WorldPlan plan = plan_of(8);
    plan.host.ports = 12;  // eight for the root, and not enough for the hands
    plan.budget_ns = 2 * kSecondNs;
    Outcome const outcome = run(plan);
    EXPECT_EQ(outcome.storm.ports_high_water, 12U);
    EXPECT_EQ(outcome.count(End::failed), 8U) << summary(outcome);
}

TEST(Host, DescriptorsRunOutAtTheRoot) {
    WorldPlan plan = plan_of(32);
    plan.root_host.descriptor_limit = 20;
    plan.budget_ns = 2 * kSecondNs;
    Outcome const outcome = run(plan);
    EXPECT_EQ(outcome.storm.descriptors_high_water, 20U);
    EXPECT_EQ(outcome.count(End::failed), 32U) << summary(outcome);
    EXPECT_EQ(outcome.count(End::hanging), 0U);
}

}  // namespace
}  // namespace ronde::sim
