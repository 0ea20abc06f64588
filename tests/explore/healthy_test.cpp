/// When nothing goes wrong, everyone is ready, whatever the order of events.
#include "explore/plans.hpp"

namespace ronde::explore {
namespace {

using protocol::Gather;
using protocol::Profile;

void expect_one_outcome(Exploration const& exploration) {
    ASSERT_EQ(exploration.outcomes.size(), 1U) << exploration_text(exploration);
    EXPECT_EQ(exploration.outcomes.begin()->find("failed"), std::string::npos);
    EXPECT_NE(exploration.outcomes.begin()->find("ready"), std::string::npos);
}

TEST(Healthy, OneTwoThreeAndFourRanksInEveryOrder) {
    for (std::uint32_t nranks = 1; nranks <= 4; ++nranks) {
        Exploration const exploration = expect_all_holds(job_of(nranks));
        expect_one_outcome(exploration);
        EXPECT_GE(exploration.counts.rests, 1U);
    }
}

TEST(Healthy, EveryGatherOfThreeAndFourRanks) {
    for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2}) {
        for (std::uint32_t const nranks : {3U, 4U}) {
            ExploreSettings settings = job_of(nranks);
            settings.policies.gather = gather;
            expect_one_outcome(expect_all_holds(settings));
        }
    }
}

TEST(Healthy, TheProfilesOfOldWithFourRanks) {
    for (Profile const profile : {Profile::article, Profile::nccl})
        expect_one_outcome(expect_all_holds(job_of(4, profile)));
}

TEST(Healthy, TwoAndThreeRootsWithThreeRanks) {
    for (std::uint32_t const nroots : {2U, 3U}) {
        ExploreSettings settings = job_of(3);
        settings.nroots = nroots;
        expect_one_outcome(expect_all_holds(settings));
    }
}

}  // namespace
}  // namespace ronde::explore
