#include "explore/parts.hpp"

#include <algorithm>

namespace ronde::explore {
namespace {

using namespace protocol;
using Kind = Move::Kind;
using Stage = Connection::Stage;

bool is_harmless(Fault const& fault) { return fault.kind == FaultKind::drop || fault.kind == FaultKind::stranger; }

bool is_calm(Job const& job, FaultPlan const& plan) {
    ExploreSettings const& settings = job.settings;
    bool const flawed = settings.twin || settings.same_device || settings.told || settings.narrow;
    bool const survives = job.policies.auth == Auth::keyed && job.policies.deadlines == Deadlines::everywhere;
    return !flawed && std::all_of(plan.list.begin(), plan.list.end(),
                                  [&](Fault const& fault) { return survives && is_harmless(fault); });
}

bool is_at_door(Connection const& connection) {
    return connection.stage == Stage::standing && connection.ends[1].link_class == LinkClass::pending &&
           !connection.ends[1].over();
}

bool is_before_door(Connection const& connection) {
    return connection.stage == Stage::calling || connection.stage == Stage::queued;
}

}  // namespace

PartFinder::PartFinder(MachineRoom const& room, FaultPlan const& plan, bool links)
    : room_(room), job_(room.job()), plan_(plan), links_(links), calm_(is_calm(job_, plan)),
      lingers_(job_.policies.reply == Reply::same_connection && job_.policies.verdicts == Verdicts::everyone &&
               job_.policies.auth == Auth::keyed) {}

bool PartFinder::is_local(World const& world, Move move) const {
    bool const at_connection = move.kind == Kind::arrive || move.kind == Kind::connected ||
                               move.kind == Kind::deliver || move.kind == Kind::ending;
    if (!at_connection)
        return false;
    NodeFacts const& facts = room_.facts(move.node, world.states[move.node]);
    bool const gone = facts.life == Life::ended || facts.life == Life::dead;
    bool const may_fail = !job_.is_root(move.node) && !calm_ && !gone;
    if (may_fail || fault_may_interfere(world, move) || !is_only_stranger(world, world.connections[move.connection]))
        return false;
    if (gone)
        return move.kind == Kind::arrive;  // refused, whatever else comes
    if (facts.life != Life::running || facts.deadline_ns <= 0)
        return false;
    return job_.is_root(move.node) ? is_local_at_root(world, move) : is_local_at_rank(world, move);
}

/// Whether a fault that may still happen ends the process, moves the clock or takes something from the connection.
bool PartFinder::fault_may_interfere(World const& world, Move move) const {
    if (plan_.list.empty())
        return false;
    if (!plan_.each_once)
        return true;
    Connection const& connection = world.connections[move.connection];
    for (std::size_t number = 0; number < plan_.list.size(); ++number) {
        if (!plan_.is_left(world, number))
            continue;
        Fault const& fault = plan_.list[number];
        switch (fault.kind) {
        case FaultKind::timeout: return true;
        case FaultKind::crash:
            if (fault.node == move.node)
                return true;
            break;
        case FaultKind::crash_reset:
        case FaultKind::haste:
            if (fault.node == connection.caller || fault.node == connection.callee)
                return true;
            break;
        case FaultKind::drop:
        case FaultKind::reset:
            if (fault.node == connection.caller)
                return true;
            break;
        case FaultKind::stranger: break;  // finds_its_door, is_contended
        }
    }
    return false;
}

std::uint32_t PartFinder::strangers_to_come(World const& world, Node node, bool claims) const {
    std::uint32_t count = 0;
    for (std::size_t number = 0; number < plan_.list.size(); ++number) {
        Fault const& fault = plan_.list[number];
        bool const comes = fault.kind == FaultKind::stranger && fault.node == node && plan_.is_left(world, number);
        count += comes && (!claims || fault.says == StrangerSays::claim) ? 1U : 0U;
    }
    return count;
}

/// Strangers would share a door, so two of them at one process are not told apart from the order in which they came.
bool PartFinder::is_only_stranger(World const& world, Connection const& connection) const {
    if (!job_.is_stranger(connection.caller))
        return true;
    return strangers_to_come(world, connection.callee, false) == 0 &&
           std::none_of(world.all().begin(), world.all().end(), [&](Connection const& other) {
               return &other != &connection && other.callee == connection.callee && job_.is_stranger(other.caller);
           });
}

bool PartFinder::calls_no_more(World const& world, Node caller) const {
    if (job_.is_stranger(caller))
        return true;
    Life const life = room_.facts(caller, world.states[caller]).life;
    return life == Life::dead || life == Life::ended;
}

/// Whether it gets the same door, whoever else comes first.
bool PartFinder::finds_its_door(World const& world, Connection const& connection) const {
    Node const node = connection.callee;
    NodeFacts const& facts = room_.facts(node, world.states[node]);
    bool const listens = (facts.bound >> static_cast<unsigned>(connection.listener) & 1U) != 0;
    std::uint32_t const doors = facts.credits[static_cast<std::size_t>(connection.listener)];
    if (!listens || doors == 0)
        return false;
    if (!job_.is_stranger(connection.caller) &&
        room_.facts(connection.caller, world.states[connection.caller]).deadline_ns <= 0)
        return false;  // it may give this call up, and call again
    std::uint32_t const mine = preferred_door(job_, connection, doors);
    std::uint32_t at_doors = strangers_to_come(world, node, false);
    std::uint32_t wanted = at_doors != 0 ? 1U << stranger_door(job_, node, doors) : 0U;
    bool distinct = at_doors <= 1;
    for (Connection const& other : world.all()) {
        if (other.callee != node || !(is_at_door(other) || is_before_door(other)))
            continue;
        ++at_doors;
        std::uint32_t const bit = 1U << preferred_door(job_, other, doors);
        bool const the_same = &other != &connection && preferred_door(job_, other, doors) == mine;
        if (the_same)
            return false;
        distinct = distinct && (wanted & bit) == 0;
        wanted |= bit;
    }
    // Whoever does not get the door that it would have takes one of the last, of which a root has more than enough.
    return job_.is_root(node) ? at_doors + job_.processes <= doors : distinct;
}

/// Whether somebody else claims, or may claim, to be the same neighbour.
bool PartFinder::is_contended(World const& world, Connection const& connection) const {
    auto const chord_of = [&](Connection const& other) {
        if (job_.is_stranger(other.caller))
            return other.hello != 0 ? 0U : kMaxChords;
        return other.ends[0].link_class == LinkClass::chord_out ? other.ends[0].link_index : kMaxChords;
    };
    std::uint32_t const chord = chord_of(connection);
    if (chord == kMaxChords)
        return false;
    if (job_.is_stranger(connection.caller))
        return true;  // whom it pretends to be may come
    if (chord == 0 && strangers_to_come(world, connection.callee, true) != 0)
        return true;
    return std::any_of(world.all().begin(), world.all().end(), [&](Connection const& other) {
        return &other != &connection && other.callee == connection.callee && !other.ends[1].over() &&
               chord_of(other) == chord;
    });
}

FrameKind PartFinder::next_frame(World const& world, Move move) const {
    return room_.mail()[room_.mail().front(world.connections[move.connection].inbox[move.detail])].frame.kind;
}

/// Hello and proof change a door, and nothing that a verdict or the end of the round would change. A check-in, and
/// `done`, are counted: they commute with each other as long as nothing ends the round.
bool PartFinder::is_local_at_root(World const& world, Move move) const {
    Connection const& connection = world.connections[move.connection];
    if (!lingers_)
        return false;
    if (move.kind == Kind::arrive)
        return finds_its_door(world, connection);
    bool const at_door = move.detail == 1 && is_at_door(connection);
    if (move.kind == Kind::ending)
        return at_door && calls_no_more(world, connection.caller);
    if (move.kind != Kind::deliver)
        return false;
    FrameKind const kind = next_frame(world, move);
    if (at_door && (kind == FrameKind::hello || kind == FrameKind::proof))
        return true;
    bool const star = job_.policies.gather == Gather::star;
    return links_ && calm_ && star && (kind == FrameKind::check_in || kind == FrameKind::done);
}

/// A rank that fails closes everything, which commutes with nothing: so only where nobody fails. There it is a hello
/// that touches only its door, and a call that is answered; a proof gives the rank a hand, which is more than a part.
bool PartFinder::is_local_at_rank(World const& world, Move move) const {
    Connection const& connection = world.connections[move.connection];
    bool const keyed = job_.policies.auth == Auth::keyed;
    if (move.kind == Kind::arrive)
        return keyed && finds_its_door(world, connection);
    if (move.kind == Kind::connected)
        return keyed;
    bool const at_door = move.detail == 1 && is_at_door(connection);
    if (move.kind == Kind::ending)
        return at_door && calls_no_more(world, connection.caller);
    if (at_door && is_contended(world, connection))
        return false;
    bool const greets = keyed && at_door && next_frame(world, move) == FrameKind::hello;
    return links_ || greets;
}

}  // namespace ronde::explore
