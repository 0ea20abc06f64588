/// What the reduction rests on: steps of different processes commute. Looked at in every world of small jobs.
#include "explore/plans.hpp"

#include <algorithm>
#include <set>

namespace ronde::explore {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(World const& world) { return {world.bytes().begin(), world.bytes().end()}; }

/// All worlds of a job, without any shortcut.
class AllWorlds {
public:
    AllWorlds(ExploreSettings const& settings, FaultPlan const& plan)
        : job_(settings), room_(job_), plan_(plan), finder_(room_, plan, false) {}

    template <class Look>
    void look_at_each(Look const& look) {
        std::set<Bytes> seen;
        std::vector<Bytes> left{bytes_of(first_world(room_))};
        seen.insert(left.front());
        while (!left.empty()) {
            World world;
            world.read(left.back());
            left.pop_back();
            std::vector<Move> const moves = moves_in(world);
            look(world, moves);
            for (Move const move : moves) {
                Bytes const next = bytes_of(after(world, move));
                if (seen.insert(next).second)
                    left.push_back(next);
            }
        }
    }
    std::vector<Move> moves_in(World const& world) {
        Moves moves;
        finder_.find(world, moves);
        std::vector<Move> all = moves.steps;
        all.insert(all.end(), moves.faults.begin(), moves.faults.end());
        return all;
    }
    World after(World const& world, Move move) {
        World next;
        next.read(world.bytes());
        static_cast<void>(make_move(room_, plan_.list, next, move));
        return next;
    }
    /// Where two moves lead, the second one being any of its node: connections change places when others end.
    std::set<Bytes> after_both(World const& world, Move first, Node second) {
        std::set<Bytes> ends;
        World const between = after(world, first);
        for (Move const move : moves_in(between)) {
            if (move.node == second)
                ends.insert(bytes_of(after(between, move)));
        }
        return ends;
    }
    [[nodiscard]] bool moves_time(World const& world, Move move) const {
        bool const timeout = move.kind == Move::Kind::fault && plan_.list[move.detail].kind == FaultKind::timeout;
        return timeout ||
               (move.kind == Move::Kind::timer && room_.facts(move.node, world.states[move.node]).deadline_ns > 0);
    }

private:
    Job job_;
    MachineRoom room_;
    FaultPlan plan_;
    MoveFinder finder_;
};

std::uint64_t expect_steps_commute(ExploreSettings const& settings) {
    FaultPlan plan;
    plan.list = settings.given;
    plan.at_most = static_cast<std::uint32_t>(settings.given.size());
    plan.each_once = true;
    AllWorlds worlds(settings, plan);
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
