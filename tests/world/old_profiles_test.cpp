/// The weak spots of the bootstraps of old are there, in the profiles that are named after them, and not in `ronde`.
#include "plans.hpp"

namespace ronde::sim {
namespace {

using protocol::Phase;
using protocol::Profile;

TEST(OldProfiles, ASilentStrangerWedgesTheRoot) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        WorldPlan plan = plan_of(8, profile);
        plan.arrival.skew = Distribution::constant(kMillisecondNs);
        plan.faults.push_back(fault_on_root(FaultKind::stranger));
        plan.faults.back().when = at(1);
        Outcome const outcome = run(plan);
        if (profile == Profile::ronde) {
            EXPECT_TRUE(outcome.all_ready()) << summary(outcome);
        } else {
            EXPECT_EQ(outcome.count(End::hanging), 8U) << protocol::name_of(profile) << ": " << summary(outcome);
        }
    }
}

TEST(OldProfiles, OneMissingRankHangsEverybody) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        WorldPlan plan = plan_of(8, profile);
        plan.faults.push_back(fault_on_rank(FaultKind::never, 3));
        Outcome const outcome = run(plan);
        EXPECT_EQ(outcome.count(End::hanging), 7U) << protocol::name_of(profile) << ": " << summary(outcome);
    }
}

TEST(OldProfiles, AMismatchMakesTheRootLeaveWithoutAWord) {
    WorldPlan plan = plan_of(4, Profile::nccl);
    Fault other = fault_on_rank(FaultKind::wrong_nranks, 3);
    other.amount = 8;
    plan.faults.push_back(other);
    Outcome const outcome = run(plan);
    EXPECT_GT(outcome.count(End::hanging), 0U) << summary(outcome);
}

TEST(OldProfiles, TheStaggerAloneMakesTheLastRankWait) {
    // nccl: more than 256 ranks at a root wait localId / 7000 s; article: more than 128 ranks wait rank ms.
    Outcome const nccl = run(plan_of(700, Profile::nccl));
    EXPECT_TRUE(nccl.all_ready()) << summary(nccl);
    EXPECT_GE(nccl.last_table_ns, 699 * kSecondNs / 7000);
    EXPECT_EQ(nccl.phases[static_cast<std::size_t>(Phase::delayed)].most_ns(), 699 * kSecondNs / 7000);
    Outcome const article = run(plan_of(200, Profile::article));
    EXPECT_GE(article.last_table_ns, 199 * kMillisecondNs);
}

}  // namespace
}  // namespace ronde::sim
