/// Somebody never comes, comes late, or cannot be reached: everyone else hears who, by the deadline.
#include "machine/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::protocol::tiny {
namespace {

bool contains(std::vector<RankId> const& ranks, RankId rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

WorldPlan without(std::vector<RankId> const& missing, std::uint32_t nranks, std::uint32_t nroots, Gather gather,
                  std::uint64_t seed) {
    WorldPlan plan = plan_of(Profile::ronde, nranks, nroots, seed);
    plan.policies.gather = gather;
    for (RankId const r : missing)
        plan.rank(r).starts = false;
    return plan;
}

struct Absence {
    std::uint32_t nranks;
    std::vector<RankId> missing;
};
std::vector<Absence> absences() {
    return {{2, {0}}, {2, {1}}, {3, {1}}, {8, {0}}, {8, {7}}, {8, {3, 4}}, {8, {0, 7}}, {8, {1, 3, 5, 7}}, {17, {16}}};
}

TEST(Missing, EveryoneElseIsToldExactlyWho) {
    for (auto const& [nranks, missing] : absences()) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2}) {
            for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                TinyWorld world(without(missing, nranks, 1, gather, seed));
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                for (RankId r = 0; r < nranks; ++r) {
                    if (contains(missing, r))
                        continue;
                    Node const& node = world.rank(r);
                    ASSERT_EQ(node.rank.error().code, Code::ranks_missing) << story_of(world);
                    ASSERT_EQ(listed(node.verdict), missing) << story_of(world);
                    EXPECT_EQ(node.rank.error().about, missing.front());
                    EXPECT_EQ(node.verdict.more_ranks, 0U);
                }
            }
        }
    }
}

// With several roots each knows its own block. A rank hears the first verdict that reaches it, so it may hear of some
// only, but never of a rank that is here.
TEST(Missing, SeveralRootsNameNobodyWhoIsHere) {
    for (auto const& [nranks, missing] : absences()) {
        for (std::uint32_t nroots = 2; nroots <= 3 && nroots <= nranks; ++nroots) {
            for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                TinyWorld world(without(missing, nranks, nroots, Gather::automatic, seed));
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                for (RankId r = 0; r < nranks; ++r) {
                    if (contains(missing, r))
                        continue;
                    Node const& node = world.rank(r);
                    ASSERT_EQ(node.rank.error().code, Code::ranks_missing) << story_of(world);
                    std::vector<RankId> const named = listed(node.verdict);
                    ASSERT_FALSE(named.empty()) << story_of(world);
                    for (RankId const name : named)
                        ASSERT_TRUE(contains(missing, name)) << story_of(world);
                    if (missing.size() == 1) {
                        EXPECT_EQ(named, missing);
                    }
                }
            }
        }
    }
}

TEST(Missing, WhoComesAfterTheVerdictHearsItToo) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 5, 1, seed);
        plan.rank(3).start_ns = 12 * kSecondNs;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        for (RankId r = 0; r < 5; ++r) {
            ASSERT_EQ(world.rank(r).rank.error().code, Code::ranks_missing) << story_of(world);
            EXPECT_EQ(listed(world.rank(r).verdict), std::vector<RankId>{3});
        }
    }
}

TEST(Missing, WhoIsLateButInTimeIsWelcome) {
    for (std::uint32_t const nroots : {1U, 2U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 5, nroots, seed);
            plan.rank(static_cast<RankId>(seed % 5)).start_ns = 9 * kSecondNs;
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
        }
    }
}

TEST(Missing, ARankWithoutAListenerSaysWhyAndTheOthersMissIt) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
        plan.rank(2).listen_failure = Failure::no_descriptors;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        Error const own = world.rank(2).rank.error();
        EXPECT_EQ(own.code, Code::local_failure);
        EXPECT_EQ(own.about, 2U);
        EXPECT_EQ(own.failure, Failure::no_descriptors);
        EXPECT_EQ(listed(world.rank(0).verdict), std::vector<RankId>{2});
    }
}

// --- an id that was used ------------------------------------------------------------------------------------------

TEST(Missing, ASecondJobWithTheSameIdIsToldSo) {
    for (Gather const gather : {Gather::star, Gather::doubling}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 3, 1, seed);
            plan.policies.gather = gather;
            for (RankId r = 0; r < 3; ++r) {
                RankPlan second;
                second.rank = r;
                second.start_ns = 5 * kSecondNs;
                plan.extras.push_back(second);
            }
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
            for (std::uint32_t i = 0; i < 3; ++i) {
                Node const& late = world.extra(i);
                EXPECT_EQ(late.rank.error().code, Code::id_consumed) << story_of(world);
                EXPECT_EQ(late.settled_ns, 5 * kSecondNs) << "at once, and not after retries";
            }
        }
    }
}

// --- calls that fail ----------------------------------------------------------------------------------------------

// Whatever happens to a few of its calls, a rank tries again with a fresh socket.
TEST(Calls, APassingTroubleIsOutlasted) {
    for (Fate const fate : {Fate::refuse, Fate::unreachable, Fate::drop, Fate::reset, Fate::ghost}) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring}) {
            for (std::uint32_t const nroots : {1U, 2U}) {
                if (gather == Gather::star && nroots > 1)
                    continue;
                for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                    WorldPlan plan = plan_of(Profile::ronde, 5, nroots, seed);
                    plan.policies.gather = gather;
                    RankId const unlucky = static_cast<RankId>(seed % 5);
                    plan.fate = [unlucky, fate](Call const& call) {
                        return call.from == unlucky && call.number == 0 ? fate : Fate::connect;
                    };
                    TinyWorld world(plan);
                    world.run();
                    ASSERT_TRUE(everyone_is_ready(world));
                }
            }
        }
    }
}

TEST(Calls, EveryonesFirstCallMayBeReset) {
    for (std::uint32_t const nranks : {2U, 5U, 9U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            plan.fate = [](Call const& call) { return call.number == 0 ? Fate::reset : Fate::connect; };
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
        }
    }
}

// One direction of one pair never works: both ends of it are named by somebody, nobody else is.
TEST(Calls, ABrokenPathNamesItsEnds) {
    for (Fate const fate : {Fate::refuse, Fate::unreachable, Fate::drop, Fate::reset, Fate::ghost, Fate::forbid}) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring}) {
            for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
                WorldPlan plan = plan_of(Profile::ronde, 5, 1, seed);
                plan.policies.gather = gather;
                plan.fate = [fate](Call const& call) {
                    return !call.from_root && call.from == 2 && call.link == chord_out(0) ? fate : Fate::connect;
                };
                TinyWorld world(plan);
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                for (RankId r = 0; r < 5; ++r) {
                    Error const error = world.rank(r).rank.error();
                    ASSERT_FALSE(error.is_ok()) << story_of(world);
                    EXPECT_TRUE(error.about == 2 || error.about == 3) << story_of(world);
                    EXPECT_TRUE(error.code == Code::peer_unreachable || error.code == Code::deadline ||
                                error.code == Code::rank_lost)
                        << story_of(world);
                }
            }
        }
    }
}

TEST(Calls, WhoMayNotCallSaysSoAtOnce) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 3, 1, seed);
        plan.fate = [](Call const& call) { return call.from == 1 ? Fate::forbid : Fate::connect; };
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        Node const& node = world.rank(1);
        EXPECT_EQ(node.rank.error().code, Code::local_failure) << story_of(world);
        EXPECT_EQ(node.rank.error().failure, Failure::not_permitted);
        EXPECT_EQ(node.settled_ns, 0);
        EXPECT_EQ(listed(world.rank(0).verdict), std::vector<RankId>{1});
    }
}

// --- no root ------------------------------------------------------------------------------------------------------

TEST(NoRoot, AtAPromisedAddressIsKnownSoon) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
        plan.root(0).starts = false;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        for (RankId r = 0; r < 4; ++r) {
            EXPECT_EQ(world.rank(r).rank.error().code, Code::root_lost) << story_of(world);
            EXPECT_EQ(world.rank(r).rank.error().failure, Failure::refused);
            EXPECT_LT(world.rank(r).settled_ns, 2 * kSecondNs);
        }
    }
}

TEST(NoRoot, WhereNoneWasPromisedIsWaitedForUntilTheDeadline) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
        plan.root_promised = false;
        plan.root(0).start_ns = 9 * kSecondNs;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));

        plan.root(0).starts = false;
        TinyWorld without(plan);
        without.run();
        ASSERT_TRUE(everyone_ends(without));
        for (RankId r = 0; r < 4; ++r) {
            EXPECT_EQ(without.rank(r).rank.error().code, Code::root_lost) << story_of(without);
            EXPECT_EQ(without.rank(r).settled_ns, 10 * kSecondNs);
        }
    }
}

TEST(NoRoot, AnOpenPortThatNeverAnswersIsSilence) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
        plan.fate = [](Call const&) { return Fate::ghost; };
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_ends(world));
        for (RankId r = 0; r < 4; ++r) {
            EXPECT_EQ(world.rank(r).rank.error().code, Code::root_silent) << story_of(world);
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
