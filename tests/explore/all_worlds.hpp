/// Every world of a small job, without any shortcut, and where moves lead from each.
#pragma once

#include "explore/explore.hpp"

#include <set>

namespace ronde::explore {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(World const& world) { return {world.bytes().begin(), world.bytes().end()}; }

/// All the given faults may happen.
inline FaultPlan plan_of(ExploreSettings const& settings) {
    FaultPlan plan;
    plan.list = settings.given;
    plan.at_most = static_cast<std::uint32_t>(settings.given.size());
    plan.each_once = true;
    return plan;
}

class AllWorlds {
public:
    explicit AllWorlds(ExploreSettings const& settings)
        : job_(settings), room_(job_), finder_(room_, plan_of(settings), Reduction::none) {}

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
        broken_ += make_move(room_, finder_.plan().list, next, move) ? 1U : 0U;
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
        bool const timeout =
            move.kind == Move::Kind::fault && finder_.plan().list[move.detail].kind == FaultKind::timeout;
        return timeout ||
               (move.kind == Move::Kind::timer && room_.facts(move.node, world.states[move.node]).deadline_ns > 0);
    }
    /// Whether both moves, of two worlds, are the same thing that happens: on the same connection, with the same
    /// message.
    [[nodiscard]] bool is_same(World const& here, Move a, World const& there, Move b) const {
        if (a.kind != b.kind || a.node != b.node || a.detail != b.detail)
            return false;
        bool const of_whole_process =
            a.kind == Move::Kind::start || a.kind == Move::Kind::timer || a.kind == Move::Kind::fault;
        if (of_whole_process)
            return true;
        Connection const& mine = here.connections[a.connection];
        Connection const& other = there.connections[b.connection];
        if (mine.caller != other.caller || mine.callee != other.callee)
            return false;
        if (a.kind != Move::Kind::deliver)
            return true;
        return mine.ends[a.detail].link() == other.ends[a.detail].link() &&
               room_.mail().front(mine.inbox[a.detail]) == room_.mail().front(other.inbox[a.detail]);
    }
    [[nodiscard]] PartFinder const& parts() const { return parts_; }
    [[nodiscard]] PartFinder const& links() const { return links_; }
    [[nodiscard]] Job const& job() const { return job_; }
    [[nodiscard]] MachineRoom& room() { return room_; }
    /// Moves so far that broke a rule.
    [[nodiscard]] std::uint64_t broken() const { return broken_; }

private:
    Job job_;
    MachineRoom room_;
    MoveFinder finder_;
    PartFinder parts_{room_, finder_.plan(), false};
    PartFinder links_{room_, finder_.plan(), true};
    std::uint64_t broken_ = 0;
};

}  // namespace ronde::explore
