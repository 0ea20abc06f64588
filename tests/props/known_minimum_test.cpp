/// What shrinking comes to against the smallest failure that there is, as the explorer knows it.
#include "shrink/known_minimum.hpp"

#include "explore/explore.hpp"
#include "shrink/report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace ronde::props {
namespace {

using protocol::Profile;
using sim::FaultKind;
using testing::HasSubstr;

sim::Fault fault_of(FaultKind kind, RankId rank) {
    sim::Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    return fault;
}

sim::Fault at_the_root(FaultKind kind) {
    sim::Fault fault;
    fault.kind = kind;
    fault.target = sim::Target::root;
    fault.listener = protocol::Listener::root;
    return fault;
}

/// Five ranks on three hosts that do not start together, with what breaks the property and a few things that do not.
Script crowded(Profile profile, std::vector<sim::Fault> faults) {
    Script script;
    script.plan.nranks = 5;
    script.plan.seed = 4'711;
    script.plan.policies = protocol::policies_of(profile);
    script.plan.ranks_per_host = {2, 2, 1};
    script.plan.network.same_rack = sim::Distribution::uniform(10'000, 90'000);
    script.plan.arrival.skew = sim::Distribution::uniform(0, protocol::kMillisecondNs);
    script.plan.faults = std::move(faults);
    sim::Fault pause = fault_of(FaultKind::pause, 3);
    pause.duration_ns = 2 * protocol::kMillisecondNs;
    sim::Fault interrupted = fault_of(FaultKind::interrupted, 2);
    interrupted.amount = 3;
    script.plan.faults.push_back(pause);
    script.plan.faults.push_back(interrupted);
    return script;
}

struct Failure {
    std::string name;
    Script script;
    PropertyId property;
};

std::vector<Failure> failures() {
    sim::Fault wrong_nranks = fault_of(FaultKind::wrong_nranks, 4);
    wrong_nranks.amount = 7;
    sim::Fault claim = fault_of(FaultKind::stranger, 0);
    claim.stranger = sim::StrangerKind::other_session;
    claim.when = {0, 0, protocol::Phase::connecting_ring};
    Script all_send = crowded(Profile::article, {});
    all_send.plan.policies.turns = protocol::Turns::send_then_receive;
    all_send.plan.network.window_bytes = 64;
    return {
        {"nccl, one never comes", crowded(Profile::nccl, {fault_of(FaultKind::never, 2)}), PropertyId::l2},
        {"article, one dies", crowded(Profile::article, {fault_of(FaultKind::crash, 1)}), PropertyId::l2},
        {"nccl, a silent stranger at the root", crowded(Profile::nccl, {at_the_root(FaultKind::stranger)}),
         PropertyId::l2},
        {"nccl, a rank twice", crowded(Profile::nccl, {fault_of(FaultKind::duplicate, 3)}), PropertyId::l2},
        {"nccl, two numbers of ranks", crowded(Profile::nccl, {wrong_nranks}), PropertyId::l2},
        {"article, all send and then receive", all_send, PropertyId::l2},
        {"article, a stranger who claims to be the predecessor", crowded(Profile::article, {claim}), PropertyId::s5},
    };
}

TEST(KnownMinimum, ShrinkingComesToTheFewestRanksAndFaultsAndNearlyTheFewestMoves) {
    for (Failure const& failure : failures()) {
        ASSERT_TRUE(judge(failure.script).violation_of(failure.property)) << failure.name;
        Shrunk const shrunk = shrink(failure.script, failure.property);
        FailureSize const before = size_of(failure.script, failure.property);
        FailureSize const after = size_of(shrunk.script, failure.property);
        KnownMinimum const known = known_minimum(shrunk.script, failure.property);
        std::cout << fmt::format("{}: {} -> {}; {}", failure.name, to_text(before), to_text(after),
                                 comparison_text(after, known));
        ASSERT_EQ(known.unknown, "") << failure.name;
        EXPECT_EQ(after.ranks, known.size.ranks) << failure.name;
        EXPECT_EQ(after.faults, known.size.faults) << failure.name;
        EXPECT_GE(after.moves, known.size.moves) << failure.name << ": less than the least";
        EXPECT_LE(after.moves, 2 * known.size.moves) << failure.name << "\n" << sim::write_scenario(shrunk.script.plan);
        EXPECT_LT(after.moves, before.moves) << failure.name;
    }
}

TEST(KnownMinimum, SaysWhyThereIsNothingToCompareWith) {
    auto const why = [](Script const& script, PropertyId property, MinimumOptions const& options = {}) {
        return known_minimum(script, property, options).unknown;
    };
    Script const plain = crowded(Profile::nccl, {fault_of(FaultKind::never, 2)});
    EXPECT_EQ(why(plain, PropertyId::l2), "");
    EXPECT_EQ(why(plain, PropertyId::d1), "the explorer does not look at D1");
    EXPECT_EQ(why(plain, PropertyId::l2, {.most_ranks = 4}), "more than 4 ranks are not compared");
    EXPECT_EQ(why(plain, PropertyId::l2, {.most_states = 3}), "the explorer gave up at 1 ranks: more than 3 states");
    sim::Fault silent = fault_of(FaultKind::crash, 1);
    silent.death = sim::Death::silent;
    EXPECT_EQ(why(crowded(Profile::nccl, {silent}), PropertyId::l2),
              "the explorer has no host that vanishes without a word");
    EXPECT_EQ(why(crowded(Profile::nccl, {fault_of(FaultKind::no_ports, 1)}), PropertyId::l2),
              "the explorer has no fault like no_ports");
    Script later = plain;
    later.plan.gathers_after_ready = 1;
    EXPECT_EQ(why(later, PropertyId::l2), "what comes after ready is not explored");
    Script small = crowded(Profile::ronde, {fault_of(FaultKind::stranger, 1)});
    small.plan.nranks = 2;
    small.plan.faults.resize(1);
    EXPECT_THAT(why(small, PropertyId::l2), HasSubstr("finds L2 broken in no job of up to 2 ranks"));
}

TEST(KnownMinimum, IsPartOfTheReport) {
    ShrinkReport report;
    report.script = "hang.toml";
    report.shrunk.violation.property = PropertyId::l2;
    report.after = {2, 1, 7};
    report.known.size = {2, 1, 6};
    report.known.command = "ronde explore --ranks 2";
    EXPECT_THAT(comparison_text(report.after, report.known),
                HasSubstr("2 ranks, 1 fault, 6 moves; this one: 2 ranks, 1 fault, 7 moves"));
    auto const json = nlohmann::json::parse(shrink_json(report));
    EXPECT_EQ(json["property"], "L2");
    EXPECT_EQ(json["after"]["moves"], 7);
    EXPECT_EQ(json["minimum"]["moves"], 6);
    EXPECT_EQ(json["minimum"]["command"], "ronde explore --ranks 2");
    EXPECT_FALSE(json.contains("minimum_unknown"));
    EXPECT_FALSE(json.contains("critical"));
    report.known.unknown = "because";
    EXPECT_EQ(nlohmann::json::parse(shrink_json(report))["minimum_unknown"], "because");
    EXPECT_THAT(comparison_text(report.after, report.known), HasSubstr("not known: because"));
    report.known.unknown.clear();
    report.after = report.known.size;
    EXPECT_THAT(comparison_text(report.after, report.known), HasSubstr("as small as it can be"));
}

}  // namespace
}  // namespace ronde::props
