/// One thing goes wrong, at every moment at which it can.
#include "explore/plans.hpp"

namespace ronde::explore {
namespace {

TEST(Faults, AnyOneFaultAmongTwoAndThreeRanks) {
    for (std::uint32_t const nranks : {2U, 3U}) {
        Exploration const exploration = expect_all_holds(with_faults(job_of(nranks), 1, kAllKinds));
        EXPECT_EQ(exploration.searches, exploration.searches_done);
    }
}

TEST(Faults, AnyTwoFaultsAmongTwoRanks) { expect_all_holds(with_faults(job_of(2), 2, kAllKinds)); }

TEST(Faults, ACrashAmongFourRanks) {
    std::uint32_t const crashes = bit(FaultKind::crash) | bit(FaultKind::crash_reset);
    Exploration const exploration = expect_all_holds(with_faults(job_of(4), 1, crashes));
    // A rank that dies after the others were told to go on is found by its neighbours; one that dies before, by the
    // root.
    std::string const by_the_root =
        "0 failed rank_lost about 3 | 1 failed rank_lost about 3 | 2 failed rank_lost about "
        "3 | 3 died | root0 failed rank_lost about 3 | crash:3";
    EXPECT_EQ(exploration.outcomes.count(by_the_root), 1U);
}

TEST(Faults, StrangersAndLostCallsChangeNothing) {
    std::uint32_t const harmless = bit(FaultKind::stranger) | bit(FaultKind::drop);
    Exploration const exploration = expect_all_holds(with_faults(job_of(3), 1, harmless));
    for (std::string const& outcome : exploration.outcomes)
        EXPECT_EQ(outcome.find("failed"), std::string::npos) << outcome;
}

TEST(Faults, AClockThatRunsAheadMovesNobodyElsesTime) {
    // When the time is up for rank 1 alone, the others still have theirs: they hear why, and do not give up themselves.
    ExploreSettings const settings = given(job_of(2), {"haste:1"});
    Job const job(settings);
    MachineRoom room(job);
    FaultPlan const plan{settings.given, 1, true};
    MoveFinder finder(room, plan, Reduction::none);
    World world = first_world(room);
    ASSERT_FALSE(make_move(room, plan.list, world, {Move::Kind::start, 0, 0, 0}));
    ASSERT_FALSE(make_move(room, plan.list, world, {Move::Kind::start, 1, 0, 0}));
    Moves moves;
    finder.find(world, moves);
    ASSERT_EQ(moves.faults.size(), 1U);
    World later = world;
    ASSERT_FALSE(make_move(room, plan.list, later, moves.faults.front()));
    EXPECT_EQ(later.states[0], world.states[0]);
    EXPECT_NE(later.states[1], world.states[1]);

    // With `timeout` the same amount of time passes for all.
    std::vector<Fault> const late{fault_from("timeout:1", settings).value()};
    ASSERT_FALSE(make_move(room, late, world, moves.faults.front()));
    EXPECT_NE(world.states[0], later.states[0]);
    EXPECT_EQ(world.states[1], later.states[1]);
}

TEST(Faults, ASecondProcessOfARankIsNotCounted) {
    ExploreSettings settings = job_of(3);
    settings.twin = 1;
    Exploration const exploration = expect_all_holds(settings);
    // Whoever comes second ends the round, or is told that the id has served.
    std::uint64_t consumed = 0;
    std::uint64_t named = 0;
    for (std::string const& outcome : exploration.outcomes) {
        consumed += outcome.find("id_consumed") != std::string::npos ? 1U : 0U;
        named += outcome.find("duplicate_rank about 1") != std::string::npos ? 1U : 0U;
    }
    EXPECT_GT(consumed, 0U);
    EXPECT_GT(named, 0U);
}

TEST(Faults, ADeviceThatTwoRanksClaimEndsItForAllWithBothNames) {
    for (protocol::Gather const gather : {protocol::Gather::star, protocol::Gather::doubling}) {
        ExploreSettings settings = job_of(3);
        settings.policies.gather = gather;
        settings.same_device = {2, 0};
        Exploration const exploration = expect_all_holds(settings);
        for (std::string const& outcome : exploration.outcomes)
            EXPECT_EQ(outcome.find("ready"), std::string::npos) << outcome;
    }
}

TEST(Faults, ABoundaryRankGoesOnWhenItsOwnRootDiesAfterItsAnswer) {
    // Its second check-in is still under way then; it must not wait for a word that it has had already.
    ExploreSettings settings = job_of(2);
    settings.nroots = 2;
    Exploration const exploration = expect_all_holds(given(settings, {"crash:root0"}));
    EXPECT_EQ(exploration.outcomes.count("0 ready | 1 ready | root0 died | root1 finished | crash:root0"), 1U);
}

}  // namespace
}  // namespace ronde::explore
