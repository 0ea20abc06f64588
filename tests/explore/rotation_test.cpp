/// A job that is turned by one rank is the same job: of worlds that are turned versions of each other one is looked at.
#include "explore/rotation.hpp"

#include "explore/all_worlds.hpp"
#include "explore/plans.hpp"

#include <algorithm>

namespace ronde::explore {
namespace {

using protocol::Gather;
using protocol::Profile;

ExploreSettings with_gather(std::uint32_t nranks, Gather gather) {
    ExploreSettings settings = job_of(nranks);
    settings.policies.gather = gather;
    return settings;
}

World turned(Rotation& rotation, Job const& job, World const& world) {
    World other;
    other.connection_count = world.connection_count;
    for (Node node = 0; node < job.nodes; ++node)
        other.states[rotation.next(node)] = rotation.turned(node, world.states[node]);
    for (std::uint32_t i = 0; i < world.connection_count; ++i)
        other.connections[i] = rotation.turned(world.connections[i]);
    std::sort(other.all().begin(), other.all().end(), is_before);
    return other;
}

/// Turning what a world becomes, and what the turned world becomes, is the same.
void expect_moves_turn_with_their_worlds(ExploreSettings const& settings) {
    AllWorlds worlds(settings);
    Rotation rotation(worlds.room());
    std::uint64_t seen = 0;
    worlds.look_at_each([&](World const& world, std::vector<Move> const& moves) {
        ++seen;
        World const other = turned(rotation, worlds.job(), world);
        std::multiset<Bytes> turned_after;
        for (Move const move : moves)
            turned_after.insert(bytes_of(turned(rotation, worlds.job(), worlds.after(world, move))));
        std::multiset<Bytes> after_turned;
        for (Move const move : worlds.moves_in(other))
            after_turned.insert(bytes_of(worlds.after(other, move)));
        ASSERT_EQ(turned_after, after_turned);
    });
    EXPECT_GT(seen, 100U);
    EXPECT_TRUE(rotation.holds()) << rotation.why_not();
}

TEST(Rotation, TurnsEveryMoveOfEveryHealthyWorld) {
    for (std::uint32_t const nranks : {2U, 3U}) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2})
            expect_moves_turn_with_their_worlds(with_gather(nranks, gather));
    }
}

/// The worlds that are left stand for those that there are, no more and no less.
void expect_all_stood_for(ExploreSettings settings) {
    settings.reduction = Reduction::none;
    settings.symmetry = Symmetry::none;
    Exploration const all = expect_all_holds(settings);
    settings.symmetry = Symmetry::rotations;
    Exploration const some = expect_all_holds(settings);
    EXPECT_EQ(some.why_not_turned, "");
    EXPECT_EQ(some.counts.turned, all.counts.states);
    EXPECT_EQ(some.counts.depth, all.counts.depth);
    // Nearly all worlds have as many versions as there are ranks; one in which everybody is alike has one.
    EXPECT_LT(some.counts.states * settings.nranks, all.counts.states + all.counts.states / 10U);
    EXPECT_GT(some.counts.states * settings.nranks, all.counts.states);
}

TEST(Rotation, ItsWorldsStandForAllWorlds) {
    for (std::uint32_t const nranks : {3U, 4U}) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2})
            expect_all_stood_for(with_gather(nranks, gather));
    }
}

TEST(Rotation, GoesTogetherWithEachReduction) {
    for (Gather const gather : {Gather::star, Gather::ring}) {
        for (Reduction const reduction : {Reduction::processes, Reduction::parts, Reduction::links}) {
            ExploreSettings settings = with_gather(4, gather);
            settings.reduction = reduction;
            settings.symmetry = Symmetry::none;
            Exploration const plain = expect_all_holds(settings);
            settings.symmetry = Symmetry::rotations;
            Exploration const turned = expect_all_holds(settings);
            EXPECT_EQ(turned.settings.symmetry, Symmetry::rotations) << turned.why_not_turned;
            // By links there is nearly one order only, in which nothing comes twice.
            std::uint64_t const factor = reduction == Reduction::links ? 1 : 2;
            EXPECT_LE(turned.counts.states, plain.counts.states / factor) << name_of(reduction);
            EXPECT_EQ(turned.counts.depth, plain.counts.depth) << name_of(reduction);
        }
    }
}

TEST(Rotation, EveryoneMayLeaveARootThatForgetsInTheSameWays) {
    // Around a ring the root remembers who was still there when its round ended: any set of ranks but none, and up to
    // turns 5 of the 15 sets of 4.
    ExploreSettings settings = with_gather(4, Gather::ring);
    settings.symmetry = Symmetry::none;
    EXPECT_EQ(expect_all_holds(settings).counts.rests, 15U);
    settings.symmetry = Symmetry::rotations;
    EXPECT_EQ(expect_all_holds(settings).counts.rests, 5U);
}

TEST(Rotation, TheOldRootsTreatRankZeroDifferentlyAndAreLookedAtInFull) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        ExploreSettings settings = job_of(3, profile);
        settings.symmetry = Symmetry::none;
        Exploration const plain = expect_all_holds(settings);
        settings.symmetry = Symmetry::rotations;
        Exploration const tried = expect_all_holds(settings);
        EXPECT_NE(tried.why_not_turned.find("the root is not what the root would be when all ranks are turned by one"),
                  std::string::npos)
            << tried.why_not_turned;
        EXPECT_EQ(tried.settings.symmetry, Symmetry::none);
        EXPECT_EQ(tried.counts.states, plain.counts.states);
        EXPECT_EQ(tried.counts.transitions, plain.counts.transitions);
        EXPECT_EQ(tried.outcomes, plain.outcomes);
        EXPECT_NE(exploration_text(tried).find("no rotations: "), std::string::npos);
    }
}

TEST(Rotation, IsProvedOfWhatWasSeenWhenTimeIsUp) {
    ExploreSettings settings = with_gather(8, Gather::ring);
    settings.keep_outcomes = false;
    settings.budget_ns = 1;
    Exploration const stopped = explore(settings);
    EXPECT_EQ(stopped.answer, Answer::gave_up);
    EXPECT_EQ(stopped.settings.symmetry, Symmetry::rotations);
    EXPECT_EQ(stopped.why_not_turned, "");
    EXPECT_GT(stopped.counts.turned, 7U * stopped.counts.states);
    EXPECT_NE(exploration_text(stopped).find("treat all ranks alike"), std::string::npos);
    // Where it is wrong, that is said, and there is no time for another search.
    settings.policies = protocol::policies_of(Profile::nccl);
    settings.symmetry = Symmetry::rotations;
    Exploration const refused = explore(settings);
    EXPECT_EQ(refused.settings.symmetry, Symmetry::none);
    EXPECT_NE(refused.why_not_turned, "");
}

TEST(Rotation, ARankThatDiffersIsNoticed) {
    // Rank 1 was told that there are 2, and says so.
    ExploreSettings told = job_of(3);
    told.told = {1, 2};
    // Whoever is dead is not alive elsewhere; nor do all ranks give up at the same time.
    for (ExploreSettings const& settings :
         {told, given(job_of(3), {"crash:1"}), given(job_of(3), {"haste:2"}), given(job_of(3), {"stranger:0=claim"})}) {
        AllWorlds worlds(settings);
        worlds.look_at_each([](World const&, std::vector<Move> const&) {});
        Rotation rotation(worlds.room());
        EXPECT_FALSE(rotation.holds());
        EXPECT_NE(rotation.why_not(), "");
    }
}

TEST(Rotation, IsForJobsThatCanBeTurned) {
    auto const why = [](auto const& change) {
        ExploreSettings settings = job_of(6);
        settings.keep_outcomes = false;
        settings.symmetry = Symmetry::rotations;
        change(settings);
        ExploreSettings unasked = settings;
        unasked.symmetry = Symmetry::automatic;
        EXPECT_EQ(contradiction_in(settings).empty(), symmetry_of(unasked) == Symmetry::rotations);
        return contradiction_in(settings);
    };
    EXPECT_EQ(why([](ExploreSettings&) {}), "");
    for (std::string const& text :
         {why([](ExploreSettings& s) { s.nroots = 2; }), why([](ExploreSettings& s) { s.faults = 1; }),
          why([](ExploreSettings& s) { s.twin = 1; }), why([](ExploreSettings& s) { s.exact = true; }),
          why([](ExploreSettings& s) { s.order = Order::depth_first; })})
        EXPECT_EQ(text,
                  "rotations: only a job with one root, no faults, each rank there once and all alike can be turned, "
                  "breadth first and by fingerprints");
    EXPECT_EQ(symmetry_of(job_of(4)), Symmetry::none);
}

}  // namespace
}  // namespace ronde::explore
