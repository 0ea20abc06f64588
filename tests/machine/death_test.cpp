/// A process dies, in any phase, in any way: nobody hangs, nobody is ready without a full table, and the survivors name
/// the dead one wherever anybody can know it.
#include "machine/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::protocol::tiny {
namespace {

struct Setting {
    std::uint32_t nranks;
    std::uint32_t nroots;
    Gather gather;
};
std::vector<Setting> settings() {
    return {{2, 1, Gather::star},     {3, 1, Gather::star},     {5, 1, Gather::star}, {2, 1, Gather::doubling},
            {3, 1, Gather::doubling}, {5, 1, Gather::doubling}, {5, 1, Gather::ring}, {5, 1, Gather::ring2},
            {2, 2, Gather::doubling}, {5, 2, Gather::doubling}, {5, 3, Gather::ring}, {9, 3, Gather::doubling}};
}

WorldPlan death_of(RankId victim, Phase phase, Death death, Setting const& setting, std::uint64_t seed) {
    WorldPlan plan = plan_of(Profile::ronde, setting.nranks, setting.nroots, seed);
    plan.policies.gather = setting.gather;
    RankPlan& dying = plan.rank(victim);
    dying.dies_in = phase;
    dying.death = death;
    dying.dies_before_acting = seed % 2 == 0;
    return plan;
}

/// With several roots a rank next to the dead one may fail before it has checked in everywhere. To the other root it is
/// then missing, which is true, and its own error names the dead one.
bool names_those_who_fell_with(TinyWorld const& world, Node const& node, RankId victim) {
    std::vector<RankId> const named = listed(node.verdict);
    return node.rank.error().code == Code::ranks_missing && world.plan().nroots > 1 &&
           std::all_of(named.begin(), named.end(),
                       [&](RankId name) { return name == victim || world.rank(name).rank.error().about == victim; });
}

void expect_survivors_name(RankId victim, TinyWorld const& world) {
    ASSERT_TRUE(everyone_ends(world));
    Phase const reached = world.rank(victim).rank.phase();
    for (RankId r = 0; r < world.plan().nranks; ++r) {
        if (r == victim)
            continue;
        Node const& node = world.rank(r);
        Error const error = node.rank.error();
        if (error.is_ok()) {
            ASSERT_GE(reached, Phase::committing) << "ready although a rank died in mid-bootstrap\n" << story_of(world);
            continue;
        }
        if (names_those_who_fell_with(world, node, victim))
            continue;
        ASSERT_EQ(cause_of(world, r), victim) << story_of(world);
        ASSERT_TRUE(error.code == Code::rank_lost || error.code == Code::ranks_missing) << story_of(world);
        if (error.code == Code::ranks_missing) {
            ASSERT_EQ(listed(node.verdict), std::vector<RankId>{victim}) << story_of(world);
        }
    }
}

void expect_named_in_every_phase(Death death) {
    for (Setting const& setting : settings()) {
        for (Phase phase = Phase::listening; phase <= Phase::ready;
             phase = static_cast<Phase>(static_cast<std::uint32_t>(phase) + 1U)) {
            for (std::uint64_t seed = 1; seed <= seeds(12); ++seed) {
                RankId const victim = static_cast<RankId>(seed * 7 % setting.nranks);
                TinyWorld world(death_of(victim, phase, death, setting, seed));
                world.run();
                if (world.rank(victim).alive)
                    continue;  // a small job may pass over a phase
                ASSERT_NO_FATAL_FAILURE(expect_survivors_name(victim, world));
            }
        }
    }
}

TEST(Death, OfAProcessIsNamedInEveryPhase) { expect_named_in_every_phase(Death::fin); }
TEST(Death, ByResetIsNamedInEveryPhase) { expect_named_in_every_phase(Death::reset); }

// A host that vanishes says nothing, and from some moments on nobody can tell it from one that is merely slow. Everyone
// ends all the same.
TEST(Death, OfAHostEndsEveryoneByTheDeadline) {
    for (Setting const& setting : settings()) {
        for (Phase phase = Phase::listening; phase <= Phase::ready;
             phase = static_cast<Phase>(static_cast<std::uint32_t>(phase) + 1U)) {
            for (std::uint64_t seed = 1; seed <= seeds(12); ++seed) {
                RankId const victim = static_cast<RankId>(seed * 7 % setting.nranks);
                TinyWorld world(death_of(victim, phase, Death::silent, setting, seed));
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                for (RankId r = 0; r < setting.nranks; ++r) {
                    Code const code = world.rank(r).rank.error().code;
                    if (r == victim)
                        continue;
                    ASSERT_TRUE(code == Code::ok || code == Code::ranks_missing || code == Code::deadline ||
                                code == Code::peer_unreachable || code == Code::rank_lost)
                        << story_of(world);
                    if (code == Code::rank_lost) {  // the roll call: whoever can answer is not accused
                        ASSERT_EQ(world.rank(r).rank.error().about, victim) << story_of(world);
                    }
                }
            }
        }
    }
}

TEST(Death, OfTwoAtOnceStillEndsEveryone) {
    for (Setting const& setting : settings()) {
        if (setting.nranks < 5)
            continue;
        for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
            TinyRandom random(seed);
            WorldPlan plan = plan_of(Profile::ronde, setting.nranks, setting.nroots, seed);
            plan.policies.gather = setting.gather;
            for (std::uint32_t i = 0; i < 2; ++i) {
                RankPlan& dying = plan.rank(random.below(setting.nranks));
                dying.dies_in = static_cast<Phase>(1U + random.below(8));
                dying.death = static_cast<Death>(random.below(3));
                dying.dies_before_acting = random.below(2) == 0;
            }
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_ends(world));
        }
    }
}

// --- the root -----------------------------------------------------------------------------------------------------

TEST(RootDeath, EndsEveryoneAndIsNamed) {
    for (Setting const& setting : settings()) {
        for (Death const death : {Death::fin, Death::reset, Death::silent}) {
            for (std::uint32_t const check_ins : {0U, 1U, 2U, setting.nranks}) {
                for (std::uint64_t seed = 1; seed <= seeds(8); ++seed) {
                    WorldPlan plan = plan_of(Profile::ronde, setting.nranks, setting.nroots, seed);
                    plan.policies.gather = setting.gather;
                    plan.root(0).dies_after_check_ins = check_ins;
                    plan.root(0).death = death;
                    TinyWorld world(plan);
                    world.run();
                    ASSERT_TRUE(everyone_ends(world));
                    for (RankId r = 0; r < setting.nranks; ++r) {
                        Code const code = world.rank(r).rank.error().code;
                        bool const late = code == Code::deadline && (setting.nroots > 1 || death != Death::fin);
                        bool const unreached = code == Code::rank_lost || code == Code::peer_unreachable;
                        bool const followed = code == Code::ranks_missing && setting.nroots > 1;
                        ASSERT_TRUE(code == Code::ok || code == Code::root_lost || code == Code::root_silent || late ||
                                    followed || unreached)
                            << story_of(world);
                    }
                }
            }
        }
    }
}

TEST(RootDeath, WithOneRootAndAnEndOfStreamIsNothingButTheRootsLoss) {
    for (Gather const gather : {Gather::star, Gather::doubling}) {
        for (std::uint32_t const check_ins : {0U, 1U, 4U}) {
            for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
                WorldPlan plan = plan_of(Profile::ronde, 5, 1, seed);
                plan.policies.gather = gather;
                plan.root(0).dies_after_check_ins = check_ins;
                TinyWorld world(plan);
                world.run();
                ASSERT_TRUE(everyone_ends(world));
                bool somebody_knew = false;
                for (RankId r = 0; r < 5; ++r) {
                    Error const error = world.rank(r).rank.error();
                    ASSERT_FALSE(error.is_ok()) << story_of(world);
                    somebody_knew = somebody_knew || error.code == Code::root_lost;
                }
                EXPECT_TRUE(somebody_knew) << story_of(world);
            }
        }
    }
}

// Once everybody is served, doubling needs the root no more.
TEST(RootDeath, AfterTheHandOutDoesNotMatterToDoubling) {
    for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
        WorldPlan plan = plan_of(Profile::ronde, 5, 1, seed);
        plan.policies.gather = Gather::doubling;
        plan.root(0).dies_in = RootPhase::committing;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
    }
}

// --- retries ------------------------------------------------------------------------------------------------------

// The connection of a check-in is reset by something in between. The same incarnation comes again; it is counted once.
TEST(Retry, OfTheSameIncarnationIsHarmless) {
    for (Setting const& setting : settings()) {
        for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, setting.nranks, setting.nroots, seed);
            plan.policies.gather = setting.gather;
            plan.rank((static_cast<RankId>(seed) + 1U) % setting.nranks).start_ns = kSecondNs;  // nobody is served yet
            TinyWorld world(plan);
            RankId const unlucky = static_cast<RankId>(seed % setting.nranks);
            std::uint32_t cuts = 0;
            while (world.advance()) {
                bool const waits = world.rank(unlucky).rank.phase() == Phase::awaiting_successor;
                if (cuts < 2 && waits && world.now() < kSecondNs && world.cut(unlucky, kRootLink))
                    ++cuts;
            }
            ASSERT_TRUE(everyone_is_ready(world));
        }
    }
}

// --- operations ---------------------------------------------------------------------------------------------------

TEST(Death, DuringOperationsIsNamed) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            plan.program = {all_gather(8), broadcast(0, 10), barrier(), all_gather(300), barrier()};
            TinyWorld world(plan);
            RankId const victim = static_cast<RankId>(seed % nranks);
            std::uint32_t const last_words = static_cast<std::uint32_t>(seed * 5 % 40);
            std::uint32_t steps = 0;
            while (world.advance()) {
                if (world.rank(victim).was_ready && ++steps == last_words) {
                    world.kill(victim, seed % 3 == 0 ? Death::reset : Death::fin);
                }
            }
            ASSERT_EQ(world.broken_rule(), "");
            if (world.rank(victim).alive)
                continue;
            for (RankId r = 0; r < nranks; ++r) {
                if (r == victim)
                    continue;
                Node const& node = world.rank(r);
                bool const done = node.operations_done == node.plan.program.size();
                if (node.rank.error().is_ok() && done)
                    continue;
                ASSERT_EQ(node.rank.error().about, victim) << story_of(world);
                ASSERT_EQ(node.rank.error().code, Code::rank_lost) << story_of(world);
            }
        }
    }
}

TEST(Death, OfAHostDuringAnOperationEndsAtItsBudget) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            RankId const victim = static_cast<RankId>(seed % nranks);
            plan.program = {seed % 2 == 0 ? all_gather(8) : barrier()};
            plan.program.front().budget_ns = 3 * kSecondNs;
            plan.rank(victim).dies_in = Phase::ready;
            plan.rank(victim).death = Death::silent;
            TinyWorld world(plan);
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            for (RankId r = 0; r < nranks; ++r) {
                if (r == victim)
                    continue;
                Node const& node = world.rank(r);
                ASSERT_TRUE(node.rank.phase() == Phase::failed) << story_of(world);
            }
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
