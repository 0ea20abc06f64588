/// A connection that ends is not always a rank that is gone [clauses 6.7 and 6.8].
#include "explore/plans.hpp"

#include <fmt/format.h>

namespace ronde::explore {
namespace {

using protocol::Gather;

constexpr Gather kGathers[] = {Gather::star, Gather::doubling, Gather::ring, Gather::ring2};

ExploreSettings gathering(Gather gather, std::uint32_t nranks, std::uint32_t nroots = 1) {
    ExploreSettings settings = job_of(nranks);
    settings.policies.gather = gather;
    settings.nroots = nroots;
    return settings;
}

void expect_nobody_fails(ExploreSettings const& settings, std::string const& fault) {
    SCOPED_TRACE(fault);
    Exploration const exploration = expect_all_holds(given(settings, {fault}));
    EXPECT_FALSE(exploration.outcomes.empty());
    for (std::string const& outcome : exploration.outcomes)
        EXPECT_EQ(outcome.find("failed"), std::string::npos) << outcome;
}

TEST(Returns, AResetOfTheConnectionToTheRootHarmsNobodyAtAnyMoment) {
    for (Gather const gather : kGathers) {
        SCOPED_TRACE(name_of(gather));
        for (std::uint32_t rank = 0; rank < 3; ++rank)
            expect_nobody_fails(gathering(gather, 3), fmt::format("reset:{}@root", rank));
    }
}

TEST(Returns, AResetOfEitherConnectionOfABoundaryRankHarmsNobody) {
    for (Gather const gather : {Gather::doubling, Gather::ring}) {
        SCOPED_TRACE(name_of(gather));
        for (char const* const fault : {"reset:0@root", "reset:0@previous", "reset:1@root", "reset:1@previous"})
            expect_nobody_fails(gathering(gather, 2, 2), fault);
    }
}

TEST(Returns, ARankThatComesBackTooLateHearsWhyTheOthersHaveEnded) {
    // It is early that a timer comes here: the root has given rank 0 up when it calls again.
    ExploreSettings const settings = given(gathering(Gather::doubling, 2), {"reset:0@root", "timeout:root0"});
    std::uint64_t told = 0;
    for (std::string const& outcome : expect_all_holds(settings).outcomes)
        told += outcome.rfind("0 failed rank_lost about 0 | 1 failed rank_lost about 0", 0) == 0 ? 1U : 0U;
    EXPECT_GT(told, 0U);
}

TEST(Returns, ARootThatDiesAfterItsAnswersIsDoneWithout) {
    for (char const* const fault : {"crash:root0", "crash-reset:root0"}) {
        SCOPED_TRACE(fault);
        std::uint64_t all_ready = 0;
        for (std::string const& outcome : expect_all_holds(given(gathering(Gather::doubling, 2), {fault})).outcomes)
            all_ready += outcome.rfind("0 ready | 1 ready | root0 died", 0) == 0 ? 1U : 0U;
        EXPECT_GT(all_ready, 0U);
    }
}

// Of star: AnyOneFaultAmongTwoAndThreeRanks.
TEST(Returns, AnyOneFaultWithEveryOtherGather) {
    for (Gather const gather : {Gather::doubling, Gather::ring, Gather::ring2}) {
        SCOPED_TRACE(name_of(gather));
        Exploration const exploration = expect_all_holds(with_faults(gathering(gather, 3), 1, kAllKinds));
        EXPECT_EQ(exploration.searches, exploration.searches_done);
    }
}

// Whoever stood at the door of one that failed hears an end; the verdict says more.
TEST(Returns, AroundTheRingNobodyBlamesANeighbourThatWasOnlyTold) {
    for (Gather const gather : {Gather::ring, Gather::ring2}) {
        SCOPED_TRACE(name_of(gather));
        for (char const* const fault : {"crash:1", "reset:0@chord0"}) {
            for (std::string const& outcome : expect_all_holds(given(gathering(gather, 3), {fault})).outcomes)
                EXPECT_EQ(outcome.find("about 2"), std::string::npos) << outcome;
        }
    }
}

TEST(Returns, ASecondProcessThatComesLateIsNamedByAllAroundTheRing) {
    ExploreSettings settings = gathering(Gather::ring, 4);
    settings.twin = 1;
    settings.twin_late = true;
    for (std::string const& outcome : expect_all_holds(settings).outcomes)
        EXPECT_EQ(outcome.find("rank_lost"), std::string::npos) << outcome;
}

TEST(Returns, WhoWaitsForItsPredecessorUntilTheDeadlineNamesTheRootThatIsGone) {
    std::uint64_t named = 0;
    for (std::string const& outcome :
         expect_all_holds(given(gathering(Gather::ring2, 3), {"crash-reset:root0"})).outcomes)
        named += outcome.find("failed root_lost about 2") != std::string::npos ? 1U : 0U;
    EXPECT_GT(named, 0U);
}

}  // namespace
}  // namespace ronde::explore
