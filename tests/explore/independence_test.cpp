/// What the reduction rests on: steps of different processes commute. Looked at in every world of small jobs.
#include "explore/all_worlds.hpp"
#include "explore/plans.hpp"

#include <algorithm>

namespace ronde::explore {
namespace {

std::uint64_t expect_steps_commute(ExploreSettings const& settings) {
    AllWorlds worlds(settings);
    std::uint64_t pairs = 0;
    worlds.look_at_each([&](World const& world, std::vector<Move> const& moves) {
        for (std::size_t i = 0; i < moves.size(); ++i) {
            for (std::size_t j = i + 1; j < moves.size(); ++j) {
                Move const a = moves[i];
                Move const b = moves[j];
                if (a.node == b.node || worlds.moves_time(world, a) || worlds.moves_time(world, b))
                    continue;
                ++pairs;
                auto const one_way = worlds.after_both(world, a, b.node);
                auto const other_way = worlds.after_both(world, b, a.node);
                std::vector<Bytes> common;
                std::set_intersection(one_way.begin(), one_way.end(), other_way.begin(), other_way.end(),
                                      std::back_inserter(common));
                EXPECT_FALSE(common.empty()) << "moves of nodes " << int{a.node} << " and " << int{b.node};
            }
        }
    });
    return pairs;
}

TEST(Independence, StepsOfDifferentProcessesCommuteInEveryHealthyWorld) {
    EXPECT_GT(expect_steps_commute(job_of(3)), 1'000U);
    EXPECT_GT(expect_steps_commute(job_of(2, protocol::Profile::nccl)), 10U);
    EXPECT_GT(expect_steps_commute(job_of(2, protocol::Profile::article)), 10U);
}

TEST(Independence, StepsOfDifferentProcessesCommuteWhenOneOfThemDies) {
    EXPECT_GT(expect_steps_commute(given(job_of(3), {"crash:1"})), 1'000U);
    EXPECT_GT(expect_steps_commute(given(job_of(2), {"crash:root0"})), 100U);
}

TEST(Independence, StepsOfDifferentProcessesCommuteWhenStrangersCome) {
    EXPECT_GT(expect_steps_commute(given(job_of(2), {"stranger:root0=claim", "stranger:0=garbage"})), 1'000U);
}

TEST(Independence, StepsOfDifferentProcessesCommuteWhenWritersWaitForReaders) {
    ExploreSettings settings = job_of(2, protocol::Profile::article);
    settings.policies.turns = protocol::Turns::send_then_receive;
    EXPECT_GT(expect_steps_commute(settings), 10U);
    settings.narrow = true;
    EXPECT_GT(expect_steps_commute(settings), 10U);
}

TEST(Independence, AStateIsTheSameStateLater) {
    Job const job(job_of(2));
    MachineRoom room(job);
    // A process that waits, seen now and half a second later, does the same when its timer comes.
    StateNumber const waiting = room.step(0, room.unborn(0), Input{}).after;
    TimeNs const due_ns = room.facts(0, waiting).deadline_ns;
    ASSERT_GT(due_ns, protocol::kSecondNs / 2);
    StateNumber const later = room.aged(0, waiting, protocol::kSecondNs / 2);
    EXPECT_NE(later, waiting);
    EXPECT_EQ(room.facts(0, later).deadline_ns, due_ns - protocol::kSecondNs / 2);
    EXPECT_EQ(room.aged(0, waiting, due_ns), room.aged(0, later, due_ns - protocol::kSecondNs / 2));
}

}  // namespace
}  // namespace ronde::explore
