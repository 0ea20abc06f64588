/// The transition table is the whole truth: what it does not list changes nothing, and what it lists does happen.
#include "machine/story.hpp"

#include "protocol/transitions.hpp"
#include "support/wording.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <type_traits>

namespace ronde::protocol::tiny {
namespace {

static_assert(std::is_trivially_copyable_v<Rank> && sizeof(Rank) <= 256);
static_assert(std::is_trivially_copyable_v<Root>);

std::vector<Link> some_links() {
    return {kRootLink, kPreviousRootLink, kCallbackLink, chord_out(0), chord_in(0), chord_out(1), chord_in(1),
            mail_out(1), mail_in(1), pending(0), pending(3), member(0), member(1), Link{}};
}

/// Events of one kind with many contents, sensible and not.
std::vector<Event> events_of(EventKind kind) {
    std::vector<Event> events;
    for (Link const link : some_links()) {
        Event event;
        event.kind = kind;
        event.now = 7 * kSecondNs;
        event.link = link;
        if (kind != EventKind::frame) {
            for (Listener const listener : {Listener::ring, Listener::callback, Listener::root}) {
                event.listener = listener;
                event.failure = Failure::reset;
                event.operation = barrier();
                events.push_back(event);
            }
            continue;
        }
        for (std::uint32_t frame_kind = 1; frame_kind < kFrameKindCount; ++frame_kind) {
            event.frame.kind = static_cast<FrameKind>(frame_kind);
            event.authentic = frame_kind % 2 == 0;
            events.push_back(event);
        }
    }
    return events;
}

WorldPlan varied_plan(std::uint64_t seed) {
    Profile const profiles[] = {Profile::ronde, Profile::nccl, Profile::article};
    WorldPlan plan = plan_of(profiles[seed % 3], 3 + static_cast<std::uint32_t>(seed % 3), 1, seed);
    if (seed % 3 == 0 && seed % 2 == 0) plan.policies.gather = Gather::doubling;
    if (seed % 3 == 1) plan.nroots = 2;
    plan.program = {all_gather(8), barrier(), send_to(1, 1, 1)};
    plan.rank(1).program = {all_gather(8), barrier()};
    plan.closes = true;
    plan.rank(2).closes = seed % 2 == 0;
    if (seed % 5 == 0) plan.rank(2).dies_in = static_cast<Phase>(1 + seed % 8);
    return plan;
}

// --- what is not listed -----------------------------------------------------------------------------------------------

void expect_unmoved(Rank const& rank) {
    for (std::uint32_t kind = 0; kind < kEventKindCount; ++kind) {
        if (targets_of(rank.phase(), static_cast<EventKind>(kind)) != 0) continue;
        for (Event const& event : events_of(static_cast<EventKind>(kind))) {
            Rank copy = rank;
            Actions actions;
            copy.step(event, actions);
            ASSERT_EQ(std::memcmp(&copy.state(), &rank.state(), sizeof(RankState)), 0) << words(event);
            ASSERT_EQ(actions.size(), 0U) << words(event);
            ASSERT_FALSE(actions.more()) << words(event);
        }
    }
}

void expect_unmoved(Node const& node) {
    for (std::uint32_t kind = 0; kind < kEventKindCount; ++kind) {
        if (targets_of(node.root.phase(), static_cast<EventKind>(kind)) != 0) continue;
        for (Event const& event : events_of(static_cast<EventKind>(kind))) {
            Root copy = node.root;
            std::vector<RootRecord> records = node.records;
            std::vector<std::uint32_t> index = node.device_index;
            copy.provide({records, index});
            Root before;
            std::memcpy(static_cast<void*>(&before), &copy, sizeof(Root));
            Actions actions;
            copy.step(event, actions);
            ASSERT_EQ(std::memcmp(&copy, &before, sizeof(Root)), 0) << words(event);
            ASSERT_EQ(actions.size(), 0U) << words(event);
            for (std::size_t i = 0; i < records.size(); ++i) {
                ASSERT_EQ(std::memcmp(&records[i], &node.records[i], sizeof(RootRecord)), 0) << words(event);
            }
            ASSERT_EQ(index, node.device_index) << words(event);
        }
    }
}

TEST(Transitions, WhatIsNotListedChangesNothing) {
    std::map<Phase, std::uint32_t> tried;
    std::map<RootPhase, std::uint32_t> tried_roots;
    constexpr std::uint32_t kSamplesPerPhase = 12;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        WorldPlan const plan = varied_plan(seed);
        TinyWorld world(plan);
        do {
            for (RankId r = 0; r < plan.nranks; ++r) {
                Rank const& rank = world.rank(r).rank;
                if (tried[rank.phase()] >= kSamplesPerPhase * (1 + seed / 4)) continue;
                ++tried[rank.phase()];
                ASSERT_NO_FATAL_FAILURE(expect_unmoved(rank)) << name_of(rank.phase());
            }
            for (std::uint32_t i = 0; i < plan.nroots; ++i) {
                Node const& node = world.root(i);
                if (tried_roots[node.root.phase()] >= kSamplesPerPhase * (1 + seed / 4)) continue;
                ++tried_roots[node.root.phase()];
                ASSERT_NO_FATAL_FAILURE(expect_unmoved(node)) << protocol::name_of(node.root.phase());
            }
        } while (world.advance());
        ASSERT_EQ(world.broken_rule(), "");
    }
    TinyWorld crowd(plan_of(Profile::article, 129, 1, 1));  // the smallest job that is staggered
    while (crowd.rank(128).rank.phase() < Phase::delayed && crowd.advance()) {
    }
    ++tried[crowd.rank(128).rank.phase()];
    ASSERT_NO_FATAL_FAILURE(expect_unmoved(crowd.rank(128).rank));
    for (std::uint32_t phase = 0; phase < kPhaseCount; ++phase) {
        EXPECT_GT(tried[static_cast<Phase>(phase)], 0U) << name_of(static_cast<Phase>(phase)) << " was never seen";
    }
}

// --- copies -------------------------------------------------------------------------------------------------------------

TEST(Transitions, ACopyOfARankHasTheSameFuture) {
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
        WorldPlan plan = varied_plan(seed);
        plan.twins = true;
        TinyWorld world(plan);
        world.run();
        ASSERT_EQ(world.broken_rule(), "");
    }
}

TEST(Transitions, TheSameSeedIsTheSameStory) {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        TinyWorld first(varied_plan(seed));
        TinyWorld second(varied_plan(seed));
        first.run();
        second.run();
        EXPECT_EQ(first.events(), second.events());
        EXPECT_EQ(first.tail(), second.tail());
        EXPECT_EQ(first.summary(), second.summary());
    }
}

// D2: without faults the outcome does not depend on the order of events.
TEST(Transitions, AHealthyEndDoesNotDependOnTheSchedule) {
    for (Profile const profile : {Profile::article, Profile::nccl, Profile::ronde}) {
        std::string first;
        for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
            TinyWorld world(plan_of(profile, 5, 1, seed));
            world.run();
            ASSERT_TRUE(everyone_is_ready(world));
            if (seed == 1) first = world.summary();
            EXPECT_EQ(world.summary(), first);
        }
    }
}

// --- bounds -------------------------------------------------------------------------------------------------------------

TEST(Transitions, AStepNeverAsksForMoreThanTheBound) {
    Coverage coverage;
    for (std::uint32_t const nranks : {64U, 100U, 257U}) {
        for (Gather const gather : {Gather::star, Gather::doubling}) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, nranks);
            plan.policies.gather = gather;
            plan.program = {barrier(), all_gather(8), broadcast(0, 8)};
            plan.coverage = &coverage;
            TinyWorld good(plan);
            good.run();
            ASSERT_TRUE(every_program_is_done(good));
            plan.rank(5).aborts_in = Phase::ready;
            TinyWorld bad(plan);
            bad.run();
            ASSERT_EQ(bad.broken_rule(), "");
            plan.rank(5).starts = false;
            TinyWorld worse(plan);
            worse.run();
            ASSERT_TRUE(everyone_ends(worse));
        }
    }
    EXPECT_LE(coverage.most_actions, kMaxActions);
    EXPECT_GT(coverage.most_actions, kMaxActions / 2) << "no long answer was seen, so nothing was shown";
}

// --- what is listed -----------------------------------------------------------------------------------------------------

/// Every story of this file's neighbours in small: enough to walk along each edge.
void walk_everywhere(Coverage& coverage) {
    std::uint32_t broken = 0;
    for (std::uint64_t seed = 1; seed <= 2400; ++seed) {
        TinyRandom random(seed);
        WorldPlan plan = plan_of(seed % 3 == 0 ? Profile::nccl : seed % 3 == 1 ? Profile::ronde : Profile::article,
                                 1 + random.below(6), 1, seed);
        if (plan.policies.profile != Profile::article) plan.nroots = 1 + random.below(std::min(plan.nranks, 3U));
        if (seed % 3 == 1) plan.policies.gather = static_cast<Gather>(random.below(5));
        if (seed % 3 == 1 && random.below(3) == 0) plan.policies.auth = Auth::magic;
        if (random.below(4) == 0) plan.policies.turns = static_cast<Turns>(random.below(4));
        Policies const resolved = resolve(plan.policies, plan.nranks, plan.nroots);
        if (!contradiction_in(resolved, plan.nranks, plan.nroots).empty()) continue;
        plan.coverage = &coverage;
        plan.event_limit = 400'000;
        plan.program = {all_gather(random.below(2) * 8U), broadcast(0, 5), barrier()};
        plan.closes = random.below(2) == 0;
        plan.root(0).pending_limit = 1 + random.below(3);
        RankPlan& one = plan.rank(random.below(plan.nranks));
        if (plan.nranks > 1) one.program = {send_to((one.rank + 1) % plan.nranks, 1, 4), all_gather(8)};
        switch (random.below(14)) {
        case 0: one.starts = false; break;
        case 1: one.dies_in = static_cast<Phase>(1U + random.below(8)); break;
        case 2: one.dies_in = static_cast<Phase>(1U + random.below(8)); one.death = Death::reset; break;
        case 3: one.dies_in = static_cast<Phase>(1U + random.below(8)); one.death = Death::silent; break;
        case 4: one.aborts_in = static_cast<Phase>(1U + random.below(8)); break;
        case 5: one.closes_in = static_cast<Phase>(1U + random.below(8)); break;
        case 6: one.nranks_told = 7; break;
        case 7: one.device_id = 1000 + (one.rank + 1) % plan.nranks; break;
        case 8: one.listen_failure = Failure::address_in_use; break;
        case 9: plan.root(0).dies_after_check_ins = random.below(plan.nranks + 1); break;
        case 10: plan.extras.push_back(RankPlan{}); break;
        case 11:
            plan.fate = [seed](Call const& call) {
                TinyRandom fates(seed * 1000 + call.from * 100 + call.number * 10 + call.link.value);
                return static_cast<Fate>(fates.below(20) < 7 ? fates.below(7) : 0);
            };
            break;
        default: break;
        }
        if (random.below(3) == 0) {
            for (std::uint32_t i = 0; i < 6; ++i) {
                StrangerPlan stranger;
                stranger.at_root = random.below(2) == 0;
                stranger.at = stranger.at_root ? 0 : random.below(plan.nranks);
                stranger.listener = stranger.at_root ? Listener::root : Listener::ring;
                stranger.kind = static_cast<StrangerKind>(random.below(kStrangerKinds));
                stranger.at_event = random.below(200);
                plan.strangers.push_back(stranger);
            }
        }
        TinyWorld world(plan);
        world.run();
        EXPECT_EQ(world.broken_rule(), "");
        if (!world.broken_rule().empty() && ++broken == 3) return;
    }
}

TEST(Transitions, WhatIsListedDoesHappen) {
    Coverage coverage;
    walk_everywhere(coverage);
    for (Transition const& row : rank_transitions()) {
        std::uint32_t const seen =
            coverage.rank[static_cast<std::size_t>(row.from)][static_cast<std::size_t>(row.on)];
        EXPECT_NE(seen, 0U) << "rank: " << name_of(row.from) << " never saw " << name_of(row.on);
        EXPECT_EQ(seen & ~row.to, 0U) << "rank: " << name_of(row.from) << ", " << name_of(row.on);
    }
    for (RootTransition const& row : root_transitions()) {
        std::uint32_t const seen =
            coverage.root[static_cast<std::size_t>(row.from)][static_cast<std::size_t>(row.on)];
        EXPECT_NE(seen, 0U) << "root: " << protocol::name_of(row.from) << " never saw " << name_of(row.on);
        EXPECT_EQ(seen & ~row.to, 0U) << "root: " << protocol::name_of(row.from) << ", " << name_of(row.on);
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
