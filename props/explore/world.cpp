#include "explore/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::explore {
namespace {

using namespace protocol;
using Stage = Connection::Stage;

constexpr std::uint8_t kNowhere = 0xff;

/// One move of one world.
class Mover {
public:
    Mover(MachineRoom& room, std::span<Fault const> faults, World& world, Fed* fed)
        : room_(room), job_(room.job()), faults_(faults), world_(world), fed_(fed) {}

    Broken run(Move move);
    [[nodiscard]] Change const& change() const { return change_; }
    /// Removes what nobody will see any more, and puts the rest into an order that does not depend on the past.
    void tidy();

private:
    struct Place {
        std::uint8_t connection = kNowhere;
        std::uint8_t end = 0;
    };

    void arrive(Move move);
    void accept(Connection& connection, Node node);
    void deliver(Move move);
    void ending(Move move);
    void sent(Move move);
    void timer(Node node);
    void haste(Node node);
    void ring_timer(Node node);
    void fault(Move move);
    void crash(Node node, bool reset);
    void drop(Move move);
    void stranger(Fault const& fault);

    void feed(Node node, Input const& input);
    void perform(Node node, Effect const& effect);
    void connect(Node node, Effect const& effect);
    void finish(Node node, bool lingers);
    void drop_queue(Node node, bool all, Listener listener);
    void check_hands(Node node);
    void leave(Connection& connection, unsigned end, Failure told);
    [[nodiscard]] Place find(Node node, Link link) const;
    /// To be changed: whoever looks for what a move changed looks here.
    Connection& touch(std::size_t place) {
        change_.connections |= std::uint64_t{1} << place;
        return world_.connections[place];
    }
    Connection& touch(Connection& connection) {
        return touch(static_cast<std::size_t>(&connection - world_.connections.data()));
    }
    Connection& add_connection() {
        Connection& connection = touch(world_.connection_count++);
        connection = Connection{};
        return connection;
    }
    void put(Node node, StateNumber state) {
        change_.nodes |= 1U << node;
        world_.states[node] = state;
    }
    void break_rule(Property property, std::string why) {
        if (!broken_)
            broken_ = {property, std::move(why)};
    }

    MachineRoom& room_;
    Job const& job_;
    std::span<Fault const> faults_;
    World& world_;
    Fed* fed_;
    Change change_;
    Broken broken_;
};

Broken Mover::run(Move move) {
    switch (move.kind) {
    case Move::Kind::start: feed(move.node, Input{}); break;
    case Move::Kind::arrive: arrive(move); break;
    case Move::Kind::accept: accept(touch(move.connection), move.node); break;
    case Move::Kind::connected: {
        Connection& connection = touch(move.connection);
        connection.ends[0].bits = static_cast<std::uint8_t>(connection.ends[0].bits | End::kTold);
        Input input;
        input.kind = EventKind::connected;
        input.link = connection.ends[0].link();
        input.authentic = false;
        feed(move.node, input);
        break;
    }
    case Move::Kind::refused: {
        Connection& connection = touch(move.connection);
        Input input;
        input.kind = EventKind::connect_failed;
        input.link = connection.ends[0].link();
        input.failure = Failure::refused;
        connection.ends[0].bits = static_cast<std::uint8_t>(connection.ends[0].bits | End::kOver);
        feed(move.node, input);
        break;
    }
    case Move::Kind::deliver: deliver(move); break;
    case Move::Kind::ending: ending(move); break;
    case Move::Kind::sent: sent(move); break;
    case Move::Kind::timer: timer(move.node); break;
    case Move::Kind::fault: fault(move); break;
    }
    return std::move(broken_);
}

void Mover::arrive(Move move) {
    Connection& connection = touch(move.connection);
    NodeFacts const& facts = room_.facts(connection.callee, world_.states[connection.callee]);
    bool const listens =
        facts.life == Life::running && (facts.bound >> static_cast<unsigned>(connection.listener) & 1U) != 0;
    if (!listens) {
        connection.stage = Stage::refused;
        return;
    }
    if (has_room(room_, world_, connection.callee, connection.listener))
        return accept(connection, connection.callee);
    connection.stage = Stage::queued;
    if (facts.credits[static_cast<std::size_t>(connection.listener)] == 0)
        return;  // nobody looks at this listener yet
    Input input;
    input.kind = EventKind::queued;
    input.listener = connection.listener;
    feed(connection.callee, input);
}

/// The slot is any free one: which one should not depend on the order of arrival.
void Mover::accept(Connection& connection, Node node) {
    std::uint32_t taken = 0;
    for (Connection const& other : world_.all()) {
        if (other.callee == node && other.stage == Stage::standing && other.ends[1].link_class == LinkClass::pending &&
            !other.ends[1].over())
            taken |= 1U << other.ends[1].link_index;
    }
    NodeFacts const& facts = room_.facts(node, world_.states[node]);
    std::uint32_t const credits = facts.credits[static_cast<std::size_t>(connection.listener)];
    std::uint32_t slot = preferred_door(job_, connection, credits);
    if ((taken >> slot & 1U) != 0) {
        slot = credits - 1U;
        while ((taken >> slot & 1U) != 0)
            --slot;
    }
    connection.stage = Stage::standing;
    connection.ends[1].link_class = LinkClass::pending;
    connection.ends[1].link_index = static_cast<std::uint8_t>(slot);
    Input input;
    input.kind = EventKind::accepted;
    input.listener = connection.listener;
    input.link = pending(slot);
    feed(node, input);
}

void Mover::deliver(Move move) {
    Connection& connection = touch(move.connection);
    Input const input = next_input(room_, connection, move.detail);
    connection.inbox[move.detail] = room_.mail().rest(connection.inbox[move.detail]);
    if (input.kind == EventKind::closed)
        leave(connection, move.detail, Failure::reset);
    feed(move.node, input);
}

void Mover::ending(Move move) {
    Connection& connection = touch(move.connection);
    Input const input = next_input(room_, connection, move.detail);
    // An end of stream leaves the other half open: the peer learns that it was closed too.
    leave(connection, move.detail, Failure::end_of_stream);
    feed(move.node, input);
}

void Mover::sent(Move move) {
    End& end = touch(move.connection).ends[move.detail];
    end.bits = static_cast<std::uint8_t>(end.bits & ~End::kSending);
    Input input;
    input.kind = EventKind::sent;
    input.link = end.link();
    feed(move.node, input);
}

void Mover::timer(Node node) {
    TimeNs const deadline_ns = room_.facts(node, world_.states[node]).deadline_ns;
    TimeNs const elapsed_ns = std::max<TimeNs>(deadline_ns, 0);
    for (Node other = 0; other < job_.nodes; ++other)
        put(other, room_.aged(other, world_.states[other], elapsed_ns));
    ring_timer(node);
}

/// Time moves on to the node's timer, for that node alone.
void Mover::haste(Node node) {
    TimeNs const deadline_ns = room_.facts(node, world_.states[node]).deadline_ns;
    put(node, room_.aged(node, world_.states[node], std::max<TimeNs>(deadline_ns, 0)));
    ring_timer(node);
}

void Mover::ring_timer(Node node) {
    StateNumber const before = world_.states[node];
    Input input;
    input.kind = EventKind::timer;
    feed(node, input);
    if (world_.states[node] == before)
        break_rule(Property::l4, "its timer is due again and again");
}

// --- faults -----------------------------------------------------------------------------------------------------

void Mover::fault(Move move) {
    Fault const& fault = faults_[move.detail];
    auto const free = std::find(world_.spent.begin(), world_.spent.end(), 0);
    *free = static_cast<std::uint8_t>(move.detail + 1U);
    std::sort(world_.spent.begin(), free + 1);
    switch (fault.kind) {
    case FaultKind::crash: return crash(fault.node, false);
    case FaultKind::crash_reset: return crash(fault.node, true);
    case FaultKind::drop: touch(move.connection).stage = Stage::lost; return;
    case FaultKind::timeout: return timer(fault.node);
    case FaultKind::haste: return haste(fault.node);
    case FaultKind::stranger: return stranger(fault);
    case FaultKind::reset:
        for (unsigned const end : {0U, 1U}) {
            touch(move.connection).inbox[end] = 0;
            touch(move.connection).ends[end].ending = Failure::reset;
        }
        return;
    }
}

void Mover::crash(Node node, bool reset) {
    put(node, room_.dead(node, world_.states[node]));
    for (Connection& connection : world_.all()) {
        for (unsigned const end : {0U, 1U}) {
            bool const attached = end == 0 || connection.stage == Stage::standing;
            if (connection.owner(end) != node || !attached || connection.ends[end].over())
                continue;
            touch(connection);
            if (reset && connection.stage != Stage::calling)
                connection.inbox[end ^ 1U] = 0;
            leave(connection, end, reset ? Failure::reset : Failure::end_of_stream);
            if (reset && !connection.ends[end ^ 1U].over())
                connection.ends[end ^ 1U].ending = Failure::reset;
        }
    }
    drop_queue(node, true, Listener::ring);
}

void Mover::stranger(Fault const& fault) {
    if (world_.connection_count == kMostConnections)
        return break_rule(Property::s6, "has more connections than an explored world can hold");
    Connection& connection = add_connection();
    connection.caller = static_cast<Node>(job_.nodes);
    connection.callee = fault.node;
    connection.listener = job_.is_root(fault.node) ? Listener::root : Listener::ring;
    connection.ends[0].bits = End::kTold;
    auto const say = [&](Message const& message) {
        connection.inbox[1] = room_.mail().push(connection.inbox[1], room_.mail().number_of(message));
    };
    if (fault.says == StrangerSays::nothing)
        return;
    if (fault.says == StrangerSays::garbage) {
        Message bytes;
        bytes.garbage = 1;
        return say(bytes);
    }
    Message message;
    Frame& frame = message.frame;
    frame.kind = FrameKind::hello;
    frame.payload_bytes = kNonceBytes;
    frame.c = job_.roots[0].session;
    if (job_.is_root(fault.node)) {
        frame.aux = purpose_of(LinkClass::root);
        frame.b = fault.node - job_.processes;
        frame.a = job_.partition.first_of(frame.b);
    } else {
        frame.aux = purpose_of(LinkClass::chord_out);
        frame.b = job_.rank_of(fault.node);
        frame.a = predecessor_of(frame.b, job_.nranks);
    }
    connection.hello = room_.mail().number_of(message) + 1U;
    say(message);
    message.forged = 1;
    if (job_.policies.auth == Auth::keyed) {
        frame.kind = FrameKind::proof;
        frame.payload_bytes = kTagBytes;
        say(message);
        if (job_.is_root(fault.node)) {
            frame.kind = FrameKind::check_in;
            frame.payload_bytes = kEntryBytes;
            frame.aux = static_cast<std::uint16_t>(frame.b);
            frame.b = job_.nranks;
            frame.c = std::uint64_t{digest_of(job_.policies)} << 32U | job_.roots[0].roots_digest;
            message.entries[0] = static_cast<Whose>(job_.processes + 1U);
            message.entry_count = 1;
            say(message);
        }
    }
    connection.ends[0].bits |= End::kOver;
    connection.ends[1].ending = Failure::end_of_stream;
}

// --- what a step does to the world ------------------------------------------------------------------------------

void Mover::feed(Node node, Input const& input) {
    if (fed_ != nullptr)
        *fed_ = {true, node, world_.states[node], input};
    Outcome const outcome = room_.step(node, world_.states[node], input);
    put(node, outcome.after);
    for (Effect const& effect : room_.effects_of(outcome))
        perform(node, effect);
    if (outcome.broken != 0) {
        Broken const broken = room_.broken_by(outcome);
        break_rule(broken.property, fmt::format("{} {}", job_.name_of(node), broken.why));
    }
    if (outcome.ready)
        check_hands(node);
}

Mover::Place Mover::find(Node node, Link link) const {
    for (std::uint8_t i = 0; i < world_.connection_count; ++i) {
        Connection const& connection = world_.connections[i];
        for (unsigned const end : {0U, 1U}) {
            if (connection.owner(end) == node && connection.ends[end].link() == link && !connection.ends[end].over())
                return {i, static_cast<std::uint8_t>(end)};
        }
    }
    return {};
}

void Mover::perform(Node node, Effect const& effect) {
    if (effect.kind == Effect::Kind::connect)
        return connect(node, effect);
    if (effect.kind == Effect::Kind::deafen)
        return drop_queue(node, false, effect.listener);
    if (effect.kind == Effect::Kind::finish)
        return finish(node, effect.lingers);
    Place const place = find(node, effect.link);
    if (place.connection == kNowhere)
        return break_rule(Property::seam, fmt::format("{} acts on a link that it does not have", job_.name_of(node)));
    Connection& connection = touch(place.connection);
    End& peer = connection.ends[place.end ^ 1U];
    switch (effect.kind) {
    case Effect::Kind::send: {
        if (place.end == 0 && !connection.ends[0].told())
            return break_rule(Property::seam, fmt::format("{} sends before it is connected", job_.name_of(node)));
        if (room_.mail()[effect.message].frame.kind == FrameKind::hello && place.end == 0)
            connection.hello = effect.message + 1U;
        std::uint32_t& inbox = connection.inbox[place.end ^ 1U];
        if (!peer.over() && peer.ending == Failure::none && !job_.is_stranger(connection.owner(place.end ^ 1U)))
            inbox = room_.mail().push(inbox, effect.message);
        if (effect.notify)
            connection.ends[place.end].bits |= End::kSending;
        return;
    }
    case Effect::Kind::pause: connection.ends[place.end].bits |= End::kPaused; return;
    case Effect::Kind::unpause:
        connection.ends[place.end].bits = static_cast<std::uint8_t>(connection.ends[place.end].bits & ~End::kPaused);
        return;
    case Effect::Kind::admit:
        if (find(node, effect.to).connection != kNowhere)
            return break_rule(Property::s3,
                              fmt::format("{} admits a second connection under one name", job_.name_of(node)));
        connection.ends[1].link_class = effect.to.link_class();
        connection.ends[1].link_index = static_cast<std::uint8_t>(effect.to.index());
        return;
    default: return leave(connection, place.end, Failure::end_of_stream);
    }
}

void Mover::connect(Node node, Effect const& effect) {
    if (find(node, effect.link).connection != kNowhere)
        return break_rule(Property::seam, fmt::format("{} connects a link that it has", job_.name_of(node)));
    if (world_.connection_count == kMostConnections)
        return break_rule(Property::s6, "has more connections than an explored world can hold");
    Connection& connection = add_connection();
    connection.caller = node;
    connection.callee = effect.target;
    connection.listener = effect.listener;
    connection.ends[0].link_class = effect.link.link_class();
    connection.ends[0].link_index = static_cast<std::uint8_t>(effect.link.index());
}

/// The driver of a machine that has finished closes all that it has. A root that lingers keeps its unproven ones.
void Mover::finish(Node node, bool lingers) {
    for (Connection& connection : world_.all()) {
        for (unsigned const end : {0U, 1U}) {
            bool const attached = end == 0 || connection.stage == Stage::standing;
            bool const stays = lingers && connection.ends[end].link_class == LinkClass::pending;
            if (connection.owner(end) == node && attached && !stays && !connection.ends[end].over())
                leave(connection, end, Failure::end_of_stream);
        }
    }
    if (!lingers)
        drop_queue(node, true, Listener::ring);
}

/// A listener goes: who was in its queue is reset.
void Mover::drop_queue(Node node, bool all, Listener listener) {
    for (Connection& connection : world_.all()) {
        if (connection.callee != node || connection.stage != Stage::queued || (!all && connection.listener != listener))
            continue;
        touch(connection).stage = Stage::standing;
        connection.ends[1].bits = static_cast<std::uint8_t>(connection.ends[1].bits | End::kOver);
        connection.inbox[1] = 0;  // as if it were said later
        if (!connection.ends[0].over() && connection.ends[0].ending == Failure::none)
            connection.ends[0].ending = Failure::reset;
    }
}

/// The owner of `end` leaves. What it sent still arrives, and then `told`.
void Mover::leave(Connection& connection, unsigned end, Failure told) {
    touch(connection).ends[end].bits = static_cast<std::uint8_t>((connection.ends[end].bits & End::kTold) | End::kOver);
    connection.inbox[end] = 0;
    End& peer = connection.ends[end ^ 1U];
    if (!peer.over() && peer.ending == Failure::none)
        peer.ending = told;
}

/// Who is ready holds the hands of its true neighbours, or held them until they left.
void Mover::check_hands(Node node) {
    if (job_.nranks == 1 || broken_)
        return;
    RankId const rank = job_.rank_of(node);
    for (unsigned const end : {0U, 1U}) {
        Place const place = find(node, end == 0 ? chord_out(0) : chord_in(0));
        if (place.connection == kNowhere)
            continue;
        Node const other = world_.connections[place.connection].owner(end ^ 1U);
        RankId const neighbour = end == 0 ? successor_of(rank, job_.nranks) : predecessor_of(rank, job_.nranks);
        if (job_.is_stranger(other) || job_.is_root(other) || job_.rank_of(other) != neighbour)
            break_rule(Property::s3, fmt::format("{} is ready and holds the hand of {} instead of rank {}",
                                                 job_.name_of(node), job_.name_of(other), neighbour));
    }
}

void Mover::tidy() {
    auto const gone = [&](Connection const& connection) { return is_gone(job_, connection); };
    std::span<Connection> const all = world_.all();
    auto const end = std::remove_if(all.begin(), all.end(), gone);
    world_.connection_count = static_cast<std::uint8_t>(end - all.begin());
    std::span<Connection> const left = world_.all();
    for (std::size_t i = 1; i < left.size(); ++i) {  // nearly sorted, and short
        for (std::size_t j = i; j > 0 && is_before(left[j], left[j - 1U]); --j)
            std::swap(left[j], left[j - 1U]);
    }
}

}  // namespace

World first_world(MachineRoom& room) {
    World world;
    Job const& job = room.job();
    for (Node node = 0; node < job.nodes; ++node) {
        world.states[node] = room.unborn(node);
        if (job.is_root(node))
            world.states[node] = room.step(node, world.states[node], Input{}).after;
    }
    return world;
}

Broken make_move(MachineRoom& room, std::span<Fault const> faults, World& world, Move move, Fed* fed) {
    Mover mover(room, faults, world, fed);
    Broken broken = mover.run(move);
    mover.tidy();
    return broken;
}

Broken change_world(MachineRoom& room, std::span<Fault const> faults, World& world, Move move, Change& change) {
    Mover mover(room, faults, world, nullptr);
    Broken broken = mover.run(move);
    change = mover.change();
    return broken;
}

}  // namespace ronde::explore
