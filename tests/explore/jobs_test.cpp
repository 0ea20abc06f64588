/// Searches that run side by side come to the same as searches that run one after the other, to the last digit.
#include "explore/plans.hpp"

namespace ronde::explore {
namespace {

using protocol::Profile;

/// All that is printed but what it cost.
std::string report_of(Exploration exploration) {
    exploration.elapsed_ns = 1;
    exploration.cpu_ns = 1;
    return exploration_text(exploration) + exploration_json(exploration);
}

void expect_same_report(ExploreSettings settings, Answer answer) {
    Exploration const alone = explore(settings);
    EXPECT_EQ(alone.answer, answer) << exploration_text(alone);
    for (std::uint32_t const jobs : {2U, 5U}) {
        settings.jobs = jobs;
        Exploration const together = explore(settings);
        EXPECT_EQ(report_of(together), report_of(alone));
        EXPECT_EQ(together.outcomes, alone.outcomes);
    }
}

TEST(Jobs, ChangeNothingWhenAllHolds) {
    expect_same_report(with_faults(job_of(2), 2, bit(FaultKind::drop) | bit(FaultKind::stranger)), Answer::holds);
    expect_same_report(with_faults(job_of(3), 1, bit(FaultKind::crash) | bit(FaultKind::drop)), Answer::holds);
}

TEST(Jobs, ChangeNothingWhenSomethingIsFound) {
    // The first set of faults that breaks something is not the one that does so soonest.
    expect_same_report(with_faults(job_of(3, Profile::nccl), 1, kAllKinds), Answer::broken);
    expect_same_report(with_faults(job_of(2, Profile::article), 2, kAllKinds), Answer::broken);
}

TEST(Jobs, ChangeNothingWhenTheFirstThatIsFoundIsEnough) {
    ExploreSettings settings = with_faults(job_of(3, Profile::nccl), 1, kAllKinds);
    settings.order = Order::depth_first;
    expect_same_report(settings, Answer::broken);
}

TEST(Jobs, ChangeNothingWhenItGivesUp) {
    ExploreSettings settings = with_faults(job_of(3), 1, bit(FaultKind::crash) | bit(FaultKind::reset));
    settings.limit_states = 5'000;
    expect_same_report(settings, Answer::gave_up);
    settings.limit_states = 50'000;
    settings.limit_all_states = 20'000;
    expect_same_report(settings, Answer::gave_up);
}

TEST(Jobs, MoreThanThereAreSearchesDoNoHarm) {
    ExploreSettings settings = with_faults(job_of(2), 1, bit(FaultKind::drop));
    settings.jobs = 64;
    EXPECT_EQ(expect_all_holds(settings).searches_done, 2U);
}

}  // namespace
}  // namespace ronde::explore
