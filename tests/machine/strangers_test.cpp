/// Somebody who has no business here knocks at every listener, in every phase, in every way. The start goes on; the
/// strangers are counted; nobody waits for them longer than it takes to see that they cannot prove themselves.
#include "machine/story.hpp"
#include "protocol/doors.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

StrangerPlan stranger_of(StrangerKind kind, bool at_root, std::uint32_t at, std::uint64_t at_event) {
    StrangerPlan stranger;
    stranger.kind = kind;
    stranger.at_root = at_root;
    stranger.at = at;
    stranger.listener = at_root ? Listener::root : Listener::ring;
    stranger.at_event = at_event;
    return stranger;
}

std::uint32_t counted(TinyWorld const& world) {
    std::uint32_t count = 0;
    for (RankId r = 0; r < world.plan().nranks; ++r)
        count += world.rank(r).rank.state().strangers;
    for (std::uint32_t i = 0; i < world.plan().nroots; ++i)
        count += world.root(i).root.strangers();
    return count;
}

TimeNs last_settled_ns(TinyWorld const& world) {
    TimeNs last_ns = 0;
    for (RankId r = 0; r < world.plan().nranks; ++r)
        last_ns = std::max(last_ns, world.rank(r).settled_ns);
    return last_ns;
}

TEST(Strangers, OfEveryKindAtEveryListenerAtEveryMoment) {
    for (std::uint32_t kind = 0; kind < kStrangerKinds; ++kind) {
        for (bool const at_root : {true, false}) {
            for (Gather const gather : {Gather::star, Gather::doubling}) {
                for (std::uint64_t at_event = 0; at_event < 130; at_event += 3) {
                    WorldPlan plan = plan_of(Profile::ronde, 4, 1, at_event + 1);
                    plan.policies.gather = gather;
                    std::uint32_t const at = at_root ? 0 : static_cast<std::uint32_t>(at_event % 4);
                    plan.strangers = {stranger_of(static_cast<StrangerKind>(kind), at_root, at, at_event)};
                    TinyWorld world(plan);
                    world.run();
                    ASSERT_TRUE(everyone_is_ready(world));
                    EXPECT_EQ(last_settled_ns(world), 0) << "one stranger delays nobody\n" << story_of(world);
                    // A run may be over before the stranger's moment comes.
                    EXPECT_EQ(counted(world), world.events() > at_event ? 1U : 0U) << story_of(world);
                }
            }
        }
    }
}

TEST(Strangers, MoreThanThereAreDoorsDelayOnlyALittle) {
    for (std::uint32_t kind = 0; kind < kStrangerKinds; ++kind) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 4, 1, seed);
            plan.policies.answer_patience_ms = 20'000;  // whoever gives up and calls again is counted, too
            plan.root(0).pending_limit = 2;
            for (std::uint32_t i = 0; i < 6; ++i) {
                plan.strangers.push_back(stranger_of(static_cast<StrangerKind>(kind), true, 0, 0));
                plan.strangers.push_back(stranger_of(static_cast<StrangerKind>(kind), false, 1, 0));
            }
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
            EXPECT_EQ(counted(world), 12U) << story_of(world);
            // Three times two at the root, twice four at the rank: each set goes before the next comes in.
            bool const was_challenged = static_cast<StrangerKind>(kind) == StrangerKind::no_proof;
            TimeNs const each_ms = was_challenged ? plan.policies.handshake_patience_ms : kContestedPatienceMs;
            EXPECT_LE(last_settled_ns(world), 3 * each_ms * kMillisecondNs) << story_of(world);
        }
    }
}

TEST(Strangers, EverywhereAllTheTimeDoNotStopAJob) {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
        TinyRandom random(seed);
        WorldPlan plan = plan_of(Profile::ronde, 5, 1 + random.below(2), seed);
        for (std::uint32_t i = 0; i < 30; ++i) {
            bool const at_root = random.below(3) == 0;
            plan.strangers.push_back(stranger_of(static_cast<StrangerKind>(random.below(kStrangerKinds)), at_root,
                                                 random.below(at_root ? plan.nroots : 5), random.below(300)));
        }
        plan.program = {all_gather(8), barrier(), broadcast(2, 9)};
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(every_program_is_done(world));
    }
}

/// Who comes to the door in a crowd, as seen from the root.
std::uint32_t accepted_by_roots(TinyWorld const& world) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < world.plan().nroots; ++i)
        sum += world.root(i).root.accepted();
    return sum;
}

// A crowded machine: every rank needs a second and a half for its proof, and there are three doors for sixteen ranks
// at the root. They are members all the same.
TEST(Strangers, AreNotThoseWhoAreSlowToProveThemselves) {
    for (Gather const gather : {Gather::star, Gather::doubling}) {
        for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, 16, 1, seed);
            plan.policies.gather = gather;
            plan.budget_ns = 60 * kSecondNs;
            plan.policies.answer_patience_ms = 20'000;  // the callers' own patience is another story
            plan.root(0).pending_limit = 3;
            plan.latency_ns = [](Frame const& frame) {
                return frame.kind == FrameKind::proof ? 1'500 * kMillisecondNs : TimeNs{0};
            };
            TinyWorld world(plan);
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
            EXPECT_EQ(counted(world), 0U) << story_of(world);
            EXPECT_EQ(accepted_by_roots(world), 16U) << "nobody had to come twice\n" << story_of(world);
        }
    }
}

// 256 ranks, each slow to prove itself, and 64 doors: the last of them are answered after more than a second, and
// know that in such a crowd this is no reason to hang up.
TEST(Strangers, AreNotThoseWhoStandLastInACrowd) {
    WorldPlan plan = plan_of(Profile::ronde, 256, 1, 1);
    plan.budget_ns = 60 * kSecondNs;
    plan.latency_ns = [](Frame const& frame) {
        return frame.kind == FrameKind::proof ? 400 * kMillisecondNs : TimeNs{0};
    };
    TinyWorld world(plan);
    world.run();
    ASSERT_TRUE(everyone_is_ready(world));
    EXPECT_EQ(counted(world), 0U) << story_of(world);
    EXPECT_EQ(accepted_by_roots(world), 256U) << "nobody had to come twice";
}

// One goes for one who waits: two members who find three silent strangers in three doors need one door after the other.
TEST(Strangers, MakeRoomForOneAtATime) {
    WorldPlan plan = plan_of(Profile::ronde, 2, 1, 1);
    plan.root(0).pending_limit = 3;
    for (std::uint32_t i = 0; i < 3; ++i)
        plan.strangers.push_back(stranger_of(StrangerKind::silent, true, 0, 0));
    plan.rank(0).start_ns = kMillisecondNs;
    plan.rank(1).start_ns = kSecondNs;  // long after the first had its door
    TinyWorld world(plan);
    world.run();
    ASSERT_TRUE(everyone_is_ready(world));
    // The first member waited until the oldest stranger had been silent for long enough, and left its door to the
    // second: nobody else had to go before the end of its patience.
    EXPECT_EQ(world.root(0).root.strangers(), 3U);
    EXPECT_EQ(last_settled_ns(world), kSecondNs) << story_of(world);
    EXPECT_EQ(world.now(), TimeNs{plan.policies.handshake_patience_ms} * kMillisecondNs);
}

TEST(Strangers, WhoAreSilentInEveryDoorHoldTheFirstMemberUpForTheContestedPatience) {
    for (bool const at_root : {true, false}) {
        WorldPlan plan = plan_of(Profile::ronde, 2, 1, 1);
        plan.root(0).pending_limit = RankState::kDoors;
        for (std::uint32_t i = 0; i < RankState::kDoors; ++i)
            plan.strangers.push_back(stranger_of(StrangerKind::silent, at_root, 0, 0));
        plan.rank(1).start_ns = kMillisecondNs;
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
        EXPECT_LE(last_settled_ns(world), TimeNs{kContestedPatienceMs} * kMillisecondNs) << story_of(world);
    }
}

// A stranger that keeps its mouth shut costs a door for the handshake patience and no longer.
TEST(Strangers, WhoSaysNothingIsShownTheDoorAfterThePatience) {
    for (bool const at_root : {true, false}) {
        WorldPlan plan = plan_of(Profile::ronde, 3, 1, 1);
        plan.strangers = {stranger_of(StrangerKind::silent, at_root, 0, 5)};
        TinyWorld world(plan);
        world.run();
        ASSERT_TRUE(everyone_is_ready(world));
        EXPECT_EQ(counted(world), 1U);
        EXPECT_EQ(world.now(), TimeNs{plan.policies.handshake_patience_ms} * kMillisecondNs);
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
