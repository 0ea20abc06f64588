#include "explore/moves.hpp"

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

using namespace protocol;
using Kind = Move::Kind;
using Stage = Connection::Stage;

}  // namespace

bool FaultPlan::is_left(World const& world, std::size_t fault) const {
    std::uint32_t happened = 0;
    bool this_one = false;
    for (std::uint8_t const spent : world.spent) {
        happened += spent != 0 ? 1U : 0U;
        this_one = this_one || spent == fault + 1U;
    }
    return happened < at_most && !(each_once && this_one);
}

MoveFinder::MoveFinder(MachineRoom& room, FaultPlan plan, Reduction reduction)
    : room_(room), job_(room.job()), plan_(std::move(plan)), reduction_(reduction),
      parts_(room, plan_, reduction == Reduction::links) {}

void MoveFinder::find(World const& world, Moves& moves) {
    std::array<Prospect, kMostConnections> prospects;
    std::array<Prospect const*, kMostConnections> pointers{};
    for (std::size_t i = 0; i < world.connection_count; ++i) {
        prospects[i] = prospect_of(room_, world.connections[i]);
        pointers[i] = &prospects[i];
    }
    find(world, std::span(pointers).first(world.connection_count), moves);
}

void MoveFinder::find(World const& world, std::span<Prospect const* const> prospects, Moves& moves) {
    moves.faults.clear();
    moves.reduced = false;
    moves.shared = find_steps(world, prospects, moves.steps);
    bool const timers_only = moves.steps.empty();
    if (timers_only)
        find_timers(world, moves.steps);
    moves.at_rest = moves.steps.empty();
    find_faults(world, moves.faults);
    moves.possible = moves.steps.size() + moves.faults.size();
    if (names_ != nullptr && !moves.faults.empty())
        moves.shared = names_->shared(world, prospects, moves.steps, moves.faults);
    if (!timers_only && reduction_ != Reduction::none)
        reduce(world, moves);
}

/// Only when nothing else can happen does time move on: to the earliest timer, and if several are due at once, in any
/// order.
void MoveFinder::find_timers(World const& world, std::vector<Move>& steps) const {
    TimeNs earliest_ns = kNever;
    for (Node node = 0; node < job_.nodes; ++node)
        earliest_ns = std::min(earliest_ns, room_.facts(node, world.states[node]).deadline_ns);
    for (Node node = 0; node < job_.nodes && earliest_ns != kNever; ++node) {
        if (room_.facts(node, world.states[node]).deadline_ns == earliest_ns)
            steps.push_back({Kind::timer, node, 0, 0});
    }
}

SleepSet MoveFinder::find_steps(World const& world, std::span<Prospect const* const> prospects,
                                std::vector<Move>& steps) {
    std::array<Move, kMostNodes + 6U * kMostConnections> found;
    std::size_t count = 0;
    SleepSet seen = 0;
    SleepSet twice = 0;
    auto const add = [&](Move move, SleepSet name) {
        found[count++] = move;
        twice |= seen & name;
        seen |= name;
    };
    for (Node node = 0; node < job_.nodes; ++node) {
        NodeFacts const& facts = room_.facts(node, world.states[node]);
        if (facts.life == Life::unborn && may_begin(world, node))
            add({Kind::start, node, 0, 0}, names_ == nullptr ? 0 : names_->of_self(node));
        else if (facts.life == Life::running && facts.deadline_ns <= 0)
            add({Kind::timer, node, 0, 0}, names_ == nullptr ? 0 : names_->of_self(node));
    }
    for (std::uint8_t i = 0; i < world.connection_count; ++i) {
        Prospect const& prospect = *prospects[i];
        unsigned const may = prospect.steps;
        if (may == 0)
            continue;
        Connection const& connection = world.connections[i];
        if ((may & Prospect::kArrive) != 0)
            add({Kind::arrive, connection.callee, i, 0}, prospect.name(1));
        if ((may & Prospect::kRefused) != 0)
            add({Kind::refused, connection.caller, i, 0}, prospect.name(0));
        if ((may & Prospect::kAccept) != 0 && has_room(room_, world, connection.callee, connection.listener))
            add({Kind::accept, connection.callee, i, 0}, prospect.name(1));
        if ((may & Prospect::kConnected) != 0)
            add({Kind::connected, connection.caller, i, 0}, prospect.name(0));
        for (std::uint8_t end = 0; end < 2; ++end) {
            Node const owner = connection.owner(end);
            PackedInput const input = prospect.inputs[end];
            if ((may & unsigned{Prospect::kEnding} << end) != 0)
                add({Kind::ending, owner, i, end}, prospect.name(end));
            else if ((may & unsigned{Prospect::kDeliver} << end) != 0 &&
                     (input == 0 || !room_.is_held(owner, world.states[owner], input)))
                add({Kind::deliver, owner, i, end}, prospect.name(end));
        }
        for (std::uint8_t end = 0; end < 2; ++end) {
            if ((may & unsigned{Prospect::kSent} << end) != 0)
                add({Kind::sent, connection.owner(end), i, end}, 0);
        }
    }
    steps.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    return twice;
}

/// A second process that comes late waits until the first has its successor and its predecessor has the first.
bool MoveFinder::may_begin(World const& world, Node node) {
    if (!job_.settings.twin_late || node < job_.nranks)
        return true;
    RankId const first = job_.rank_of(node);
    for (RankId const rank : {first, predecessor_of(first, job_.nranks)}) {
        NodeFacts const& facts = room_.facts(static_cast<Node>(rank), world.states[rank]);
        bool const gone = facts.life == Life::ended || facts.life == Life::dead;
        if (!facts.knows_successor && !gone)
            return false;
    }
    return true;
}

void MoveFinder::find_faults(World const& world, std::vector<Move>& faults) {
    for (std::size_t number = 0; number < plan_.list.size(); ++number) {
        Fault const& fault = plan_.list[number];
        auto const detail = static_cast<std::uint8_t>(number);
        // Of two equal faults of a list the first happens first.
        bool const second =
            plan_.each_once && number > 0 && plan_.list[number - 1U] == fault && plan_.is_left(world, number - 1U);
        if (second || !plan_.is_left(world, number))
            continue;
        NodeFacts const& facts = room_.facts(fault.node, world.states[fault.node]);
        bool const alive = facts.life == Life::unborn || facts.life == Life::running;
        Listener const listener = job_.is_root(fault.node) ? Listener::root : Listener::ring;
        switch (fault.kind) {
        case FaultKind::crash:
        case FaultKind::crash_reset:
            if (alive)
                faults.push_back({Kind::fault, fault.node, 0, detail});
            break;
        case FaultKind::timeout:
        case FaultKind::haste:
            if (facts.life == Life::running && facts.deadline_ns != kNever && facts.deadline_ns > 0)
                faults.push_back({Kind::fault, fault.node, 0, detail});
            break;
        case FaultKind::stranger:
            if (facts.life == Life::running && (facts.bound >> static_cast<unsigned>(listener) & 1U) != 0)
                faults.push_back({Kind::fault, fault.node, 0, detail});
            break;
        case FaultKind::drop:
        case FaultKind::reset:
            for (std::uint8_t i = 0; i < world.connection_count; ++i) {
                Connection const& connection = world.connections[i];
                if (connection.caller != fault.node)
                    continue;
                bool const drops =
                    fault.kind == FaultKind::drop && connection.stage == Stage::calling && !connection.ends[0].over();
                bool const stands = connection.stage == Stage::standing || connection.stage == Stage::queued;
                bool const resets =
                    fault.kind == FaultKind::reset && stands && connection.ends[0].link_class == fault.link_class &&
                    !(connection.ends[0].over() || connection.ends[1].over()) &&
                    (fault.link_class == LinkClass::callback ? connection.callee == fault.link_index
                                                             : connection.ends[0].link_index == fault.link_index);
                if (drops || resets)
                    faults.push_back({Kind::fault, fault.node, i, detail});
            }
            break;
        }
    }
}

// --- persistent sets ---------------------------------------------------------------------------------------------
// Steps of different nodes commute: a step reads the front of its own queues and writes to the back of others'. So all
// moves of one node are enough to look at, if nothing can come to that node first that is not among them.
// docs/checking.md has the argument; a test compares with the full search.

void MoveFinder::reduce(World const& world, Moves& moves) {
    if (reduction_ == Reduction::parts || reduction_ == Reduction::links) {
        auto const local = std::find_if(moves.steps.begin(), moves.steps.end(),
                                        [&](Move move) { return parts_.is_local(world, move); });
        if (local != moves.steps.end()) {
            moves.steps = {*local};
            moves.faults.clear();
            moves.reduced = true;
            return;
        }
    }
    std::array<std::size_t, kMostNodes> counts{};
    for (Move const move : moves.steps)
        ++counts[move.node];
    look_at_links(world);
    std::size_t best = moves.steps.size();
    Node best_node = 0;
    for (Node node = 0; node < job_.nodes; ++node) {
        std::size_t const count = counts[node];
        if (count == 0 || count >= best || !is_alone(world, node))
            continue;
        best = count;
        best_node = node;
    }
    if (best == moves.steps.size())
        return;
    auto const other = [best_node](Move const& move) { return move.node != best_node; };
    moves.steps.erase(std::remove_if(moves.steps.begin(), moves.steps.end(), other), moves.steps.end());
    moves.faults.erase(std::remove_if(moves.faults.begin(), moves.faults.end(), other), moves.faults.end());
    moves.reduced = true;
}

bool MoveFinder::is_alone(World const& world, Node node) {
    Life const life = room_.facts(node, world.states[node]).life;
    bool const gone = life == Life::dead || life == Life::ended;
    if (gone)  // it can only refuse, whoever calls and in whatever order
        return faults_keep_out(world, node);
    return (restless_ >> node & 1U) == 0 && faults_keep_out(world, node) && nobody_else_calls(world, node);
}

/// No fault that may still happen elsewhere touches this node, its connections, or the clock.
bool MoveFinder::faults_keep_out(World const& world, Node node) const {
    if (plan_.at_most == 0)
        return true;
    if (!plan_.each_once)
        return false;  // one budget for all: what happens elsewhere uses up what may happen here
    for (std::size_t number = 0; number < plan_.list.size(); ++number) {
        if (!plan_.is_left(world, number))
            continue;
        Fault const& fault = plan_.list[number];
        if (fault.kind == FaultKind::timeout)
            return false;
        bool const own_alone =
            fault.kind == FaultKind::crash || fault.kind == FaultKind::stranger || fault.kind == FaultKind::haste;
        if (own_alone)
            continue;  // of this node: among its moves; of another: what it does to this one comes last in a queue
        for (Connection const& connection : world.all()) {
            bool const mine = connection.caller == node || connection.callee == node;
            bool const theirs = connection.caller == fault.node || connection.callee == fault.node;
            if (mine && theirs)
                return false;
        }
    }
    return true;
}

/// A process is restless unless every connection of it has something for it now, or cannot get anything before the
/// process moves. Beside it, whom everybody has called.
void MoveFinder::look_at_links(World const& world) {
    restless_ = 0;
    for (Node node = 0; node < job_.nodes; ++node) {
        calls_own_root_[node] = 0;
        calls_other_root_[node] = 0;
        calls_chord_[node] = {};
    }
    for (Connection const& connection : world.all()) {
        bool const calls = !job_.is_stranger(connection.caller) && !connection.ends[0].over();
        if (calls) {
            std::uint32_t const whom = lasts(world, connection) ? 1U << connection.callee : 0;
            switch (connection.ends[0].link_class) {
            case LinkClass::root: calls_own_root_[connection.caller] |= whom; break;
            case LinkClass::previous_root: calls_other_root_[connection.caller] |= whom; break;
            case LinkClass::chord_out:
                if (connection.ends[0].link_index < kChords)
                    calls_chord_[connection.caller][connection.ends[0].link_index] |= whom;
                break;
            default: break;
            }
            if (connection.stage == Stage::calling)
                restless_ |= 1U << connection.caller;  // an answer comes
        }
        for (unsigned const end : {0U, 1U}) {
            bool const attached =
                connection.stage == Stage::standing || (end == 0 && connection.stage == Stage::queued);
            if (!attached || connection.ends[end].over() || job_.is_stranger(connection.owner(end)))
                continue;
            if (end == 0 && !connection.ends[0].told())
                continue;  // it will be told first, and that is among its moves
            bool const mute = job_.is_stranger(connection.owner(end ^ 1U));
            bool const may_get = connection.inbox[end] == 0 && connection.ends[end].ending == Failure::none && !mute;
            bool const may_be_read = connection.ends[end].sending() && connection.inbox[end ^ 1U] != 0;
            if (may_get || may_be_read)
                restless_ |= 1U << connection.owner(end);
        }
    }
}

/// Whether its caller keeps to this call until its callee moves. Whoever learns that a call has come to nothing, or has
/// waited long enough for it, may call again.
bool MoveFinder::lasts(World const& world, Connection const& connection) const {
    bool const stands =
        connection.stage == Stage::calling || connection.stage == Stage::queued || connection.stage == Stage::standing;
    if (!stands || connection.ends[0].ending != Failure::none)
        return false;
    if (room_.facts(connection.caller, world.states[connection.caller]).deadline_ns <= 0)
        return false;
    for (std::size_t number = 0; number < plan_.list.size(); ++number) {
        Fault const& fault = plan_.list[number];
        if (fault.kind == FaultKind::haste && fault.node == connection.caller && plan_.is_left(world, number))
            return false;
    }
    return true;
}

/// Nobody who is not connected to the node yet will call it.
bool MoveFinder::nobody_else_calls(World const& world, Node node) const {
    for (Node caller = 0; caller < job_.nodes; ++caller) {
        if (caller != node && may_call(world, caller, node))
            return false;
    }
    return true;
}

bool MoveFinder::may_call(World const& world, Node caller, Node callee) const {
    NodeFacts const& facts = room_.facts(caller, world.states[caller]);
    if (facts.life == Life::ended || facts.life == Life::dead)
        return false;
    auto const is_in = [callee](std::uint32_t nodes) { return (nodes >> callee & 1U) != 0; };
    bool const calls_back = job_.policies.reply == Reply::callback;
    if (job_.is_root(caller)) {
        NodeFacts const& mine = room_.facts(callee, world.states[callee]);
        return calls_back && !job_.is_root(callee) && !mine.anonymous;
    }
    if (facts.life == Life::running && static_cast<Phase>(facts.phase) >= Phase::ready)
        return false;
    RankId const rank = job_.rank_of(caller);
    if (job_.is_root(callee)) {
        std::uint32_t const root = callee - job_.processes;
        std::uint32_t const own = job_.partition.root_of(rank);
        if (own == root && !is_in(calls_own_root_[caller]))
            return !(calls_back && facts.checked_in);
        bool const second = job_.partition.is_boundary(rank) && job_.partition.previous_root(own) == root;
        return second && !is_in(calls_other_root_[caller]);
    }
    if (room_.facts(callee, world.states[callee]).anonymous)
        return false;
    for (std::uint32_t k = 0; (1U << k) < job_.nranks; ++k) {
        if (successor_of(rank, job_.nranks, std::uint64_t{1} << k) == job_.rank_of(callee) &&
            !is_in(calls_chord_[caller][k]))
            return true;
    }
    return false;
}

}  // namespace ronde::explore
