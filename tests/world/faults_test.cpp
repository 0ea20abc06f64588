/// Whatever goes wrong: everyone is ready, or everyone who lives ends by the deadline with an error that names a cause.
#include "plans.hpp"

#include <fmt/format.h>

namespace ronde::sim {
namespace {

using protocol::Code;
using protocol::Phase;

constexpr TimeNs kBudgetNs = 5 * kSecondNs;

WorldPlan troubled(std::uint32_t nranks) {
    WorldPlan plan = plan_of(nranks);
    plan.budget_ns = kBudgetNs;
    return plan;
}

void expect_everyone_ends(Outcome const& outcome, std::string const& story) {
    EXPECT_EQ(outcome.count(End::hanging), 0U) << story << ": " << summary(outcome);
    EXPECT_EQ(outcome.broken, "") << story;
    for (RankEnd const& end : outcome.not_ready) {
        if (end.end != End::failed)
            continue;
        EXPECT_NE(end.error.code, Code::ok) << story;
        EXPECT_LE(end.at_ns, 2 * kBudgetNs + kSecondNs) << story << ", rank " << end.rank;
    }
}

TEST(Faults, EveryKindOnEveryTargetEndsForEveryone) {
    for (std::uint32_t kind = 0; kind < kFaultKinds; ++kind) {
        for (bool const at_root : {false, true}) {
            for (bool const doubling : {false, true}) {
                auto const fault_kind = static_cast<FaultKind>(kind);
                Fault fault = at_root ? fault_on_root(fault_kind) : fault_on_rank(fault_kind, 3);
                fault.duration_ns = 300 * kMillisecondNs;
                fault.amount = 2;
                if (!at_root)
                    fault.when = when(3, Phase::awaiting_successor);
                WorldPlan plan = troubled(9);
                if (doubling)
                    plan.policies.gather = protocol::Gather::doubling;
                plan.faults.push_back(fault);
                expect_everyone_ends(run(plan),
                                     fmt::format("{} at {}{}", name_of(fault_kind), at_root ? "the root" : "rank 3",
                                                 doubling ? ", doubling" : ""));
            }
        }
    }
}

TEST(Faults, ARankKilledInAnyPhaseIsNamedByAllOthers) {
    for (Phase const phase :
         {Phase::checking_in, Phase::awaiting_successor, Phase::connecting_ring, Phase::gathering, Phase::committing}) {
        for (Death const death : {Death::fin, Death::reset, Death::silent}) {
            WorldPlan plan = troubled(16);
            plan.policies.gather = protocol::Gather::doubling;
            Fault crash = fault_on_rank(FaultKind::crash, 5);
            crash.death = death;
            crash.when = when(5, phase);
            plan.faults.push_back(crash);
            Outcome const outcome = run(plan);
            std::string const story = fmt::format("{} in {}", name_of(death), protocol::name_of(phase));
            EXPECT_EQ(outcome.count(End::dead), 1U) << story;
            EXPECT_EQ(outcome.count(End::failed), 15U) << story << ": " << summary(outcome);
            expect_everyone_ends(outcome, story);
            for (RankEnd const& end : outcome.not_ready) {
                if (end.end == End::failed && death == Death::fin) {
                    EXPECT_EQ(end.error.about, 5U) << story << ", rank " << end.rank << ": " << summary(outcome);
                }
            }
        }
    }
}

TEST(Faults, AMissingRankIsNamedByEverybodyByTheDeadline) {
    for (RankId const missing : {0U, 7U, 3U}) {
        WorldPlan plan = troubled(8);
        plan.faults.push_back(fault_on_rank(FaultKind::never, missing));
        Outcome const outcome = run(plan);
        EXPECT_EQ(outcome.count(End::not_there), 1U);
        EXPECT_EQ(outcome.count(End::failed), 7U) << summary(outcome);
        for (RankEnd const& end : outcome.not_ready) {
            if (end.end == End::failed) {
                EXPECT_EQ(end.error.code, Code::ranks_missing) << summary(outcome);
                EXPECT_EQ(end.error.about, missing);
                EXPECT_LE(end.at_ns, kBudgetNs);
            }
        }
    }
}

TEST(Faults, AThousandSilentStrangersDelayNobodyMuch) {
    TimeNs const calm_ns = run(plan_of(64)).last_ready_ns;
    WorldPlan plan = plan_of(64);
    Fault scan = fault_on_root(FaultKind::stranger);
    scan.times = 1'000;
    plan.faults.push_back(scan);
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_GT(outcome.storm.strangers, 100U);
    EXPECT_LT(outcome.last_ready_ns, calm_ns + 4 * kSecondNs);
}

TEST(Faults, EveryKindOfStrangerAtEveryListenerIsTurnedAway) {
    for (std::uint32_t kind = 0; kind < kStrangerKinds; ++kind) {
        for (bool const at_root : {false, true}) {
            WorldPlan plan = troubled(8);
            Fault stranger = at_root ? fault_on_root(FaultKind::stranger) : fault_on_rank(FaultKind::stranger, 2);
            stranger.stranger = static_cast<StrangerKind>(kind);
            stranger.times = 3;
            plan.faults.push_back(stranger);
            Outcome const outcome = run(plan);
            EXPECT_TRUE(outcome.all_ready())
                << name_of(stranger.stranger) << (at_root ? " at the root: " : " at rank 2: ") << summary(outcome);
        }
    }
}

TEST(Faults, AStrangerKnocksOnlyWhereItsTargetCanHaveAListener) {
    WorldPlan plan = plan_of(4);
    plan.faults = {fault_on_rank(FaultKind::stranger, 2)};
    auto const why = [&](protocol::Listener listener) {
        plan.faults.front().listener = listener;
        return contradiction_in(plan);
    };
    EXPECT_EQ(why(protocol::Listener::ring), "");
    EXPECT_EQ(why(protocol::Listener::root),
              "fault 1 (stranger): a rank has no listener of a root to knock at; expected ring, or callback");
    EXPECT_NE(why(protocol::Listener::callback).find("nobody listens for call-backs"), std::string::npos);
    plan.policies = protocol::policies_of(protocol::Profile::nccl);
    EXPECT_EQ(why(protocol::Listener::callback), "");
    plan.faults = {fault_on_root(FaultKind::stranger)};
    EXPECT_EQ(why(protocol::Listener::root), "");
}

TEST(Faults, ARestartedRankBeforeTheHandOutTakesItsPlace) {
    WorldPlan plan = troubled(8);
    plan.budget_ns = 20 * kSecondNs;
    Fault late = fault_on_rank(FaultKind::late, 6);  // so that nothing is handed out yet
    late.duration_ns = 6 * kSecondNs;
    Fault restart = fault_on_rank(FaultKind::restart, 3);
    restart.when = at(kSecondNs);
    restart.duration_ns = 2 * kSecondNs;
    plan.faults = {late, restart};
    Outcome const outcome = run(plan);
    expect_everyone_ends(outcome, "restart");
}

TEST(Faults, TwoProcessesThatClaimOneRankAreBothNamed) {
    WorldPlan plan = troubled(8);
    Fault twin = fault_on_rank(FaultKind::duplicate, 4);
    twin.when = at(10);
    plan.faults.push_back(twin);
    Outcome const outcome = run(plan);
    expect_everyone_ends(outcome, "duplicate");
    ASSERT_NE(end_of(outcome, 0), nullptr) << summary(outcome);
    EXPECT_EQ(end_of(outcome, 0)->error.code, Code::duplicate_rank) << summary(outcome);
}

TEST(Faults, DisagreementIsToldToEverybody) {
    WorldPlan plan = troubled(8);
    Fault other = fault_on_rank(FaultKind::wrong_nranks, 2);
    other.amount = 16;
    plan.faults.push_back(other);
    Outcome const outcome = run(plan);
    EXPECT_EQ(outcome.count(End::failed), 8U) << summary(outcome);
    for (RankEnd const& end : outcome.not_ready)
        EXPECT_EQ(end.error.code, Code::mismatch) << summary(outcome);
}

TEST(Faults, ASilentlyExpiredConnectionEndsInAnErrorAndNotInAHang) {
    // The root's connections are idle while rank 7 is awaited, and a box in between forgets them.
    WorldPlan plan = troubled(8);
    Fault late = fault_on_rank(FaultKind::late, 7);
    late.duration_ns = 2 * kSecondNs;
    Fault expire = fault_on_root(FaultKind::expire);
    expire.duration_ns = kSecondNs;
    plan.faults = {late, expire};
    Outcome const outcome = run(plan);
    expect_everyone_ends(outcome, "expire");
    EXPECT_GT(outcome.count(End::failed), 0U) << summary(outcome);
    expire.duration_ns = 3 * kSecondNs;
    plan.faults = {late, expire};
    EXPECT_TRUE(run(plan).all_ready()) << "nobody was idle for so long";
}

TEST(Faults, InterruptedCallsAreMadeAgainAndNobodyNotices) {
    WorldPlan plan = troubled(8);
    plan.faults.push_back(fault_on_root(FaultKind::interrupted));
    plan.faults.back().amount = 5;
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_EQ(outcome.storm.interrupted_calls, 5U);
    EXPECT_EQ(outcome.last_ready_ns, run(troubled(8)).last_ready_ns);
}

TEST(Faults, APartitionThatHealsInTimeOnlyCostsTime) {
    WorldPlan plan = troubled(16);
    plan.ranks_per_host = {4};
    Fault cut;
    cut.kind = FaultKind::partition;
    cut.target = Target::host;
    cut.index = 1;
    cut.duration_ns = 600 * kMillisecondNs;
    plan.faults.push_back(cut);
    Outcome const outcome = run(plan);
    EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
    EXPECT_GT(outcome.last_ready_ns, 600 * kMillisecondNs);
}

}  // namespace
}  // namespace ronde::sim
