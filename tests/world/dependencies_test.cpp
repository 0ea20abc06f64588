/// Why it took as long as it did.
#include "plans.hpp"

#include <numeric>

namespace ronde::sim {
namespace {

struct Explained {
    Outcome outcome;
    CriticalPath path;
};

Explained explain(WorldPlan const& plan) {
    World world(plan);
    world.keep_dependencies();
    Explained explained;
    explained.outcome = world.run();
    explained.path = world.critical_path();
    return explained;
}

TimeNs spent(CriticalPath const& path, Wait wait) { return path.spent_ns[static_cast<std::size_t>(wait)]; }

TEST(CriticalPath, ItsPiecesFillTheWholeTime) {
    WorldPlan plan = plan_of(40);
    plan.arrival.skew = Distribution::exponential(kMillisecondNs);
    plan.root_host.accept_service_ns = 15 * kMicrosecondNs;
    auto const [outcome, path] = explain(plan);
    ASSERT_TRUE(outcome.all_ready()) << summary(outcome);
    ASSERT_FALSE(path.pieces.empty());
    EXPECT_EQ(path.pieces.front().begin_ns, 0);
    EXPECT_EQ(path.pieces.back().end_ns, outcome.last_table_ns);
    for (std::size_t i = 1; i < path.pieces.size(); ++i)
        EXPECT_EQ(path.pieces[i].begin_ns, path.pieces[i - 1].end_ns);
    EXPECT_EQ(std::accumulate(path.spent_ns.begin(), path.spent_ns.end(), TimeNs{0}), outcome.last_table_ns);
}

TEST(CriticalPath, ABusyRootIsWhereTheTimeGoes) {
    WorldPlan plan = plan_of(500);
    plan.root_host.accept_service_ns = 100 * kMicrosecondNs;
    auto const [outcome, path] = explain(plan);
    EXPECT_GT(spent(path, Wait::service), outcome.last_table_ns * 9 / 10);
    EXPECT_EQ(path.slack_ns[500], 0) << "the root";
}

TEST(CriticalPath, AStragglerIsWhereTheTimeGoes) {
    WorldPlan plan = plan_of(16);
    Fault late = fault_on_rank(FaultKind::late, 11);
    late.duration_ns = kSecondNs;
    plan.faults.push_back(late);
    auto const [outcome, path] = explain(plan);
    EXPECT_EQ(path.pieces.front().process, 11U);
    EXPECT_EQ(path.pieces.front().wait, Wait::start);
    EXPECT_EQ(spent(path, Wait::start), kSecondNs);
    EXPECT_EQ(path.slack_ns[11], 0);
    EXPECT_GT(path.slack_ns[3], 900 * kMillisecondNs);
}

TEST(CriticalPath, WhoUsesHalfOfItsSlackDelaysNobody) {
    WorldPlan plan = plan_of(12);
    plan.arrival.skew = Distribution::uniform(0, 3 * kMillisecondNs);
    auto const [outcome, path] = explain(plan);
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        WorldPlan later = plan;
        Fault late = fault_on_rank(FaultKind::late, rank);
        late.duration_ns = path.slack_ns[rank] / 2;
        later.faults.push_back(late);
        EXPECT_EQ(run(later).last_table_ns, outcome.last_table_ns) << "rank " << rank;
        later.faults.back().duration_ns = path.slack_ns[rank] + 5 * kMillisecondNs;
        EXPECT_GT(run(later).last_table_ns, outcome.last_table_ns) << "rank " << rank;
    }
}

}  // namespace
}  // namespace ronde::sim
