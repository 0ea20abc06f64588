/// Whole worlds under all properties: what ronde keeps, and what the profiles of old are known not to.
#include "observe/watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::props {
namespace {

using protocol::Profile;
using sim::FaultKind;

sim::WorldPlan plan_of(std::uint32_t nranks, Profile profile, std::uint32_t nroots = 1) {
    sim::WorldPlan plan;
    plan.nranks = nranks;
    plan.nroots = nroots;
    plan.policies = protocol::policies_of(profile);
    return plan;
}

sim::WorldPlan with(sim::WorldPlan plan, FaultKind kind, RankId rank) {
    sim::Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    plan.faults.push_back(fault);
    return plan;
}

bool broke(Watch const& watch, PropertyId property) {
    return std::any_of(watch.violations().begin(), watch.violations().end(),
                       [&](Violation const& violation) { return violation.property == property; });
}

TEST(Worlds, AreHealthyUnderAllProperties) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        for (std::uint32_t const nranks : {1U, 2U, 3U, 8U, 33U}) {
            for (std::uint32_t nroots = 1; nroots <= std::min(nranks, 3U); ++nroots) {
                sim::World world(plan_of(nranks, profile, nroots));
                Watch watch(world, PropertySet::all());
                EXPECT_EQ(watch.run(), "") << name_of(profile) << ", " << nranks << " ranks, " << nroots << " roots";
                EXPECT_TRUE(watch.violations().empty());
                EXPECT_TRUE(watch.outcome().all_ready());
            }
        }
    }
}

TEST(Worlds, WithoutARankEndInTimeInRondeAndNeverInTheOldProfiles) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        sim::World world(with(plan_of(6, profile), FaultKind::never, 2));
        Watch watch(world, PropertySet::all());
        EXPECT_EQ(watch.run(), "") << name_of(profile);
        EXPECT_EQ(broke(watch, PropertyId::l2), profile != Profile::ronde) << name_of(profile);
    }
}

/// The first who connects to a rank of the article's profile is believed to be its predecessor.
TEST(Worlds, WithAStrangerInFrontOfARankAreTheirsInTheArticle) {
    for (Profile const profile : {Profile::article, Profile::ronde}) {
        sim::WorldPlan plan = with(plan_of(4, profile), FaultKind::stranger, 2);
        plan.faults.back().stranger = sim::StrangerKind::other_session;
        plan.faults.back().when.rank = 2;
        plan.faults.back().when.phase = protocol::Phase::awaiting_successor;
        sim::World world(plan);
        Watch watch(world, PropertySet::all());
        EXPECT_EQ(watch.run(), "") << name_of(profile);
        EXPECT_EQ(broke(watch, PropertyId::s5), profile == Profile::article) << name_of(profile);
    }
}

/// A root hands on what another root has noticed: the phase in which that one noticed it is part of the error.
TEST(Worlds, WithSeveralRootsTellEverybodyInWhichPhaseSomebodyWasMissed) {
    for (std::uint32_t const nroots : {2U, 3U, 4U}) {
        for (RankId rank = 0; rank < 6; ++rank) {
            sim::World world(with(plan_of(6, Profile::ronde, nroots), FaultKind::never, rank));
            Watch watch(world, PropertySet::all());
            EXPECT_EQ(watch.run(), "") << nroots << " roots, without rank " << rank;
        }
    }
}

/// Without a handshake anybody may pretend to be the root that calls back. Several of them cannot do more than one can.
TEST(Worlds, WithManyWhoPretendToBeTheRootDoNotBreak) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        sim::WorldPlan plan = with(plan_of(3, profile), FaultKind::stranger, 0);
        plan.faults.back().stranger = sim::StrangerKind::bad_proof;
        plan.faults.back().listener = protocol::Listener::callback;
        plan.faults.back().times = 4;
        plan.faults.back().when.rank = 0;
        plan.faults.back().when.phase = protocol::Phase::checking_in;
        sim::World world(plan);
        Watch watch(world, PropertySet::all());
        EXPECT_EQ(watch.run(), "") << name_of(profile);
    }
}

TEST(Worlds, CanBeWatchedOneAfterTheOther) {
    Watch watch(PropertySet::all());
    for (std::uint32_t nranks = 12; nranks > 0; --nranks) {
        sim::World world(plan_of(nranks, Profile::ronde));
        watch.watch(world);
        EXPECT_EQ(watch.run(), "") << nranks;
    }
}

TEST(Worlds, AreTheSameWatchedOrNot) {
    sim::WorldPlan const plan = plan_of(9, Profile::ronde, 2);
    sim::World watched(plan);
    Watch watch(watched, PropertySet::all());
    EXPECT_EQ(watch.run(), "");
    EXPECT_EQ(watch.outcome().digest, sim::World(plan).run().digest);
}

/// What happens at one instant may happen in any order, and nothing depends on it.
TEST(Worlds, AreReadyInWhateverOrderThingsHappen) {
    sim::WorldPlan plan = plan_of(5, Profile::ronde);
    plan.any_order = true;
    std::vector<sim::Digest128> digests;
    for (plan.seed = 1; plan.seed <= 50; ++plan.seed) {
        sim::World world(plan);
        Watch watch(world, PropertySet::all());
        EXPECT_EQ(watch.run(), "") << plan.seed;
        EXPECT_TRUE(watch.outcome().all_ready());
        digests.push_back(watch.outcome().digest);
    }
    std::sort(digests.begin(), digests.end());
    digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
    EXPECT_GT(digests.size(), 40U);
}

TEST(Properties, HaveNamesThatCanBeRead) {
    for (PropertyText const& text : property_texts())
        EXPECT_EQ(property_named(text.name), text.id);
    EXPECT_EQ(property_named("l2"), PropertyId::l2);
    EXPECT_FALSE(property_named("S10"));
}

}  // namespace
}  // namespace ronde::props
