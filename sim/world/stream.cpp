/// Connections that stand: frames in order, ends, resets. And those that need no record.
///
/// A frame is planned once, at its arrival: lost segments and the ones behind them are repeated by the kernel, so a
/// loss or a partition that heals only makes the frame late, by 200, 400, 800, 1600 ... ms. Nothing overtakes on one
/// connection.
#include "forward/frame_key.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

using Stage = Connection::Stage;

/// Larger frames keep a record, so that what they do to the buffers is accounted for.
constexpr std::uint32_t kSmallFrameBytes = 1U << 16;
}  // namespace

// --- names ----------------------------------------------------------------------------------------------------------

/// The rank whose `quiet` bit would say that this connection stands.
ProcessId WorldState::quiet_owner(ProcessId process, Link link, std::uint32_t& bit) const {
    std::uint32_t const k = link.index();
    if (process < plan_.nranks) {
        switch (link.link_class()) {
        case LinkClass::chord_out: bit = 1U << k; return process;
        case LinkClass::chord_in:
            bit = 1U << k;
            return protocol::predecessor_of(process, plan_.nranks, std::uint64_t{1} << k);
        case LinkClass::root: bit = Process::kQuietRoot; return process;
        default: return kNoProcess;
        }
    }
    bool const root = process < plan_.nranks + plan_.nroots;
    if (!root || link.link_class() != LinkClass::member)
        return kNoProcess;
    protocol::Partition const partition{plan_.nranks, plan_.nroots};
    std::uint32_t const index = process - plan_.nranks;
    if (k >= partition.size_of(index))
        return kNoProcess;
    bit = Process::kQuietRoot;
    return partition.first_of(index) + k;
}

WorldState::Peer WorldState::quiet_peer(ProcessId process, Link link) const {
    std::uint32_t bit = 0;
    ProcessId const owner = quiet_owner(process, link, bit);
    if (owner == kNoProcess || (processes_[owner].quiet & bit) == 0)
        return {};
    return usual_peer(process, link, owner);
}

/// The other end of a connection that has its usual name, whether it stands or not.
WorldState::Peer WorldState::usual_peer(ProcessId process, Link link, ProcessId owner) const {
    std::uint32_t const k = link.index();
    switch (link.link_class()) {
    case LinkClass::chord_out:
        return {protocol::successor_of(process, plan_.nranks, std::uint64_t{1} << k), protocol::chord_in(k)};
    case LinkClass::chord_in: return {owner, protocol::chord_out(k)};
    case LinkClass::root: {
        protocol::Partition const partition{plan_.nranks, plan_.nroots};
        std::uint32_t const index = partition.root_of(process);
        return {plan_.nranks + index, protocol::member(process - partition.first_of(index))};
    }
    default: return {owner, protocol::kRootLink};
    }
}

/// Of a frame, or of the last slice of a gather that was computed as a whole.
ProcessId WorldState::sender_of(Occurrence const& occurrence) const {
    if (occurrence.connection != kNoConnection)
        return connections_[occurrence.connection].sides[1U - occurrence.side].process;
    if (occurrence.kind == Happening::ring_done)
        return protocol::predecessor_of(occurrence.process, plan_.nranks);
    if (occurrence.kind != Happening::quiet_frame)
        return kNoProcess;
    std::uint32_t bit = 0;
    return usual_peer(occurrence.process, occurrence.link, quiet_owner(occurrence.process, occurrence.link, bit))
        .process;
}

EndOf WorldState::find(ProcessId process, Link link) {
    EndOf const end = index_.find(process, link);
    return end.exists() ? end : wake_connection(process, link);
}

bool WorldState::exists(ProcessId process, Link link) const { return route_of(process, link).exists(); }

/// A connection has a record or a bit, never both. The bit is looked at first: it is of this process, or of the one at
/// the other end, whose line is needed anyway.
WorldState::Route WorldState::route_of(ProcessId process, Link link) const {
    if (Peer const peer = quiet_peer(process, link); peer.process != kNoProcess)
        return {{}, peer};
    return {index_.find(process, link), {}};
}

/// Gives a quiet connection its record again. No connection: {}.
EndOf WorldState::wake_connection(ProcessId process, Link link) {
    Peer const peer = quiet_peer(process, link);
    if (peer.process == kNoProcess)
        return {};
    std::uint32_t bit = 0;
    ProcessId const owner = quiet_owner(process, link, bit);
    processes_[owner].quiet &= ~bit;
    bool const calls = owner == process;
    ConnectionId const id = connections_.make();
    Connection& connection = connections_[id];
    connection.stage = Stage::standing;
    connection.listener = bit == Process::kQuietRoot ? Listener::root : Listener::ring;
    Side& mine = connection.sides[calls ? 0 : 1];
    Side& theirs = connection.sides[calls ? 1 : 0];
    mine.process = process;
    mine.link = link;
    theirs.process = peer.process;
    theirs.link = peer.link;
    for (Side& side : connection.sides)
        side.set(Side::kAttached);
    connection.sides[0].set(Side::kConnected);
    connection.sides[0].set(Side::kHoldsPort);
    index_.put({id, static_cast<std::uint8_t>(calls ? 0 : 1)});
    index_.put({id, static_cast<std::uint8_t>(calls ? 1 : 0)});
    return {id, static_cast<std::uint8_t>(calls ? 0 : 1)};
}

/// Whether a bit can say all there is to say about it; then it does.
void WorldState::rest_if_quiet(ConnectionId id) {
    Connection const& connection = connections_[id];
    if (connection.stage != Stage::standing || !steady_)
        return;
    for (Side const& side : connection.sides) {
        constexpr std::uint16_t unusual = Side::kOver | Side::kPaused | Side::kHeld | Side::kLost;
        if (!side.has(Side::kAttached) || (side.flags & unusual) != 0 || !side.unread.empty() ||
            processes_[side.process].has(Process::kCareful))
            return;
    }
    Side const& caller = connection.sides[0];
    Side const& listener = connection.sides[1];
    std::uint32_t bit = 0;
    if (quiet_owner(caller.process, caller.link, bit) != caller.process)
        return;
    std::uint32_t same_bit = 0;
    if (quiet_owner(listener.process, listener.link, same_bit) != caller.process || same_bit != bit)
        return;
    index_.remove(caller.process, caller.link);
    index_.remove(listener.process, listener.link);
    processes_[caller.process].quiet |= bit;
    connections_.free(id);
}

/// One occurrence less names this connection.
void WorldState::release(ConnectionId id) {
    Connection& connection = connections_[id];
    RONDE_CHECK(connection.references > 0, "references are counted");
    if (--connection.references > 0)
        return;
    bool const caller_over = connection.sides[0].has(Side::kOver);
    bool const listener_over = connection.sides[1].has(Side::kOver) || connection.stage != Stage::standing;
    if (caller_over && listener_over)
        return connections_.free(id);
    rest_if_quiet(id);
}

// --- frames out -----------------------------------------------------------------------------------------------------

void WorldState::transmit_on(Route route, ProcessId from, Link link, Frame const& frame, std::uint32_t content,
                             bool notify, std::uint8_t marks) {
    std::uint64_t const bytes = protocol::kHeaderBytes + std::uint64_t{frame.payload_bytes};
    ++out_.frames;
    out_.bytes += bytes;
    ++out_.frames_by_kind[static_cast<std::size_t>(frame.kind)];

    if (route.quiet.process != kNoProcess && (!steady_ || bytes > kSmallFrameBytes))
        route = {wake_connection(from, link), {}};
    if (route.quiet.process != kNoProcess) {
        ProcessId const to = route.quiet.process;
        Slot const slot = occurrences_.make();
        Occurrence& words = occurrences_[slot];
        words.kind = Happening::quiet_frame;
        words.process = to;
        words.link = route.quiet.link;
        words.content = content;
        words.frame = frame;
        words.marks = marks & Occurrence::kAllMarks;
        note_cause(slot);
        queue_.push(stamp_ns_ + hosts_.distance(processes_[from].host, processes_[to].host).least_ns(), slot);
        if (notify)
            later_.push_back(Event::sent(stamp_ns_, link));
        return;
    }
    EndOf const end = route.end;
    RONDE_CHECK(end.exists(), "a machine sends on connections that it has");
    Connection& connection = connections_[end.connection];
    auto const to_side = static_cast<std::uint8_t>(1U - end.side);
    Side& to = connection.sides[to_side];
    bool const fits = to.unread_bytes + bytes <= plan_.network.window_bytes;
    if (notify && fits)
        later_.push_back(Event::sent(stamp_ns_, link));
    else if (notify)
        marks |= Occurrence::kOwesSent;
    to.unread_bytes += static_cast<std::uint32_t>(bytes);
    TimeNs const at_ns = arrival_ns(connection, to_side, bytes, &frame);
    Slot const slot = occurrences_.make();
    Occurrence& words = occurrences_[slot];
    words.kind = Happening::frame;
    words.side = to_side & 1U;
    words.connection = end.connection;
    words.process = to.process;
    words.content = content;
    words.frame = frame;
    words.marks = marks & Occurrence::kAllMarks;
    if (at_ns == kNever) {
        forget_content(words);
        return occurrences_.free(slot);
    }
    ++connection.references;
    note_cause(slot);
    queue_.push(at_ns, slot);
}

/// A box in between (conntrack, NAT) forgets connections that were idle, and drops what comes later without a word.
bool WorldState::is_forgotten_on_the_way(Connection const& connection) const {
    TimeNs expires_ns = kNever;
    TimeNs last_ns = connection.sent_ns;
    for (Side const& side : connection.sides) {
        if (Hardship const* const hard = hardship(side.process); hard != nullptr)
            expires_ns = std::min(expires_ns, hard->expires_ns);
        last_ns = std::max(last_ns, side.last_arrival_ns);
    }
    return expires_ns != kNever && stamp_ns_ - last_ns > expires_ns;
}

TimeNs WorldState::arrival_ns(Connection& connection, std::uint8_t to_side, std::uint64_t bytes, Frame const* frame) {
    Side& to = connection.sides[to_side];
    ProcessId const from = connection.sides[1U - to_side].process;
    std::uint32_t const from_host = processes_[from].host;
    std::uint32_t const to_host = processes_[to.process].host;
    TimeNs const opens_ns = way_open_ns(from, to.process);
    if (opens_ns == kNever || is_forgotten_on_the_way(connection))
        return kNever;
    TimeNs at_ns = stamp_ns_;
    std::uint32_t const most_tries = hosts_.plan_of(from_host).data_retries;
    for (std::uint32_t tries = 0; at_ns < opens_ns || (is_lost(connection, from_host, to_host) && tries < most_tries);
         ++tries) {
        at_ns += data_pause_ns(plan_.network, tries);
        ++out_.storm.data_retransmits;
    }
    bool const in_ring = frame != nullptr && is_ring_frame(connection.sides[1U - to_side].link, *frame);
    at_ns += in_ring ? ring_delay_ns(connection, to_side, *frame) : delay_ns(connection, from_host, to_host);
    if (Hardship const* const hard = hardship(from); hard != nullptr && hard->piece_bytes > 0 && bytes > 0)
        at_ns += static_cast<TimeNs>((bytes - 1U) / hard->piece_bytes) * hard->piece_every_ns;
    at_ns = std::max(at_ns, to.last_arrival_ns);
    at_ns += transmission_ns(bytes, plan_.network.bytes_per_second);
    to.last_arrival_ns = at_ns;
    return at_ns;
}

// --- frames in ------------------------------------------------------------------------------------------------------

void WorldState::on_quiet_frame(Slot slot) {
    Occurrence const& occurrence = occurrences_[slot];
    // Since it was sent the connection may have got a record (and then comes behind nothing), or may have ended.
    if (!exists(occurrence.process, occurrence.link))
        return forget(slot);
    submit(slot);
}

void WorldState::on_frame(Slot slot) {
    Occurrence& occurrence = occurrences_[slot];
    ConnectionId const id = occurrence.connection;
    Connection& connection = connections_[id];
    Side& side = connection.sides[occurrence.side];
    if (connection.stage == Stage::gone || side.has(Side::kOver)) {
        if (side.has(Side::kOver) && connection.stage == Stage::standing)
            send_rst(id, static_cast<std::uint8_t>(1U - occurrence.side));
        return forget(slot);
    }
    if (connection.stage == Stage::forgotten) {
        send_rst(id, 0);
        return forget(slot);
    }
    if (connection.stage == Stage::requested) {
        append(side.unread, slot);
        if (enter_queue(id, true) || (connection.marks & Connection::kDataAgain) != 0)
            return;
        connection.marks |= Connection::kDataAgain;
        plan_for(now_ns_ + plan_.network.data_retransmit_ns, Happening::data_again, id, 1);
        return;
    }
    if (connection.stage == Stage::queued || is_put_aside(side))
        return append(side.unread, slot);
    occurrence.process = side.process;
    submit(slot);
}

/// Whether what arrives joins what nobody reads. Not while the process has more to look at: earlier frames of this
/// connection may be among that, and the later ones go behind them.
bool WorldState::is_put_aside(Side const& side) const {
    return side.is_not_read() && processes_[side.process].inbox.empty();
}

/// What has arrived while nobody read it is noticed now, in order. `first`: before what the process has not looked at
/// yet, since later frames of the same connection may be among that.
void WorldState::hand_over_unread(ConnectionId id, std::uint8_t side_number, bool first) {
    Side& side = connections_[id].sides[side_number];
    if (side.has(Side::kOver) || side.has(Side::kPaused) || side.has(Side::kHeld) || side.unread.empty())
        return;
    SlotList& inbox = processes_[side.process].inbox;
    SlotList& unread = side.unread;
    for (Slot slot = unread.head; slot != kNoSlot; slot = occurrences_[slot].next)
        occurrences_[slot].process = side.process;
    if (inbox.empty()) {
        inbox = unread;
    } else if (first) {
        occurrences_[unread.tail].next = inbox.head;
        inbox.head = unread.head;
    } else {
        occurrences_[inbox.tail].next = unread.head;
        inbox.tail = unread.tail;
    }
    unread = {};
    wake(side.process);
}

/// A process has read a frame: there is room in the buffers again.
void WorldState::consumed(ConnectionId id, std::uint8_t side_number, Occurrence const& frame) {
    Connection& connection = connections_[id];
    Side& side = connection.sides[side_number];
    side.unread_bytes -= std::min(side.unread_bytes, protocol::kHeaderBytes + frame.frame.payload_bytes);
    if ((frame.marks & Occurrence::kOwesSent) == 0)
        return;
    auto const writer_side = static_cast<std::uint8_t>(1U - side_number);
    Side const& writer = connection.sides[writer_side];
    if (writer.has(Side::kOver))
        return;
    Slot const slot =
        plan_for(stamp_ns_ + delay_ns(connection, processes_[side.process].host, processes_[writer.process].host),
                 Happening::sent, id, writer_side);
    occurrences_[slot].process = writer.process;
}

// --- ends -----------------------------------------------------------------------------------------------------------

/// The process's books are cleared; the connection itself may live on towards the peer.
void WorldState::detach(ConnectionId id, std::uint8_t side_number) {
    Connection& connection = connections_[id];
    Side& side = connection.sides[side_number];
    if (!side.has(Side::kAttached))
        return;
    Link const link = side.link;
    Listener const listener = connection.listener;
    ProcessId const process = side.process;
    index_.remove(process, link);
    side.reset(Side::kAttached);
    side.reset(Side::kHeld);
    --processes_[process].descriptors;
    if (link.link_class() == LinkClass::pending)
        free_door(process, link.index(), listener);
    SlotList unread = connections_[id].sides[side_number].unread;
    connections_[id].sides[side_number].unread = {};
    ++connections_[id].references;
    while (!unread.empty())
        forget(take_first(unread));
    --connections_[id].references;
}

void WorldState::close_end(ConnectionId id, std::uint8_t side_number, bool reset) {
    ++connections_[id].references;
    vanish_end(id, side_number);
    Connection& connection = connections_[id];
    auto const other = static_cast<std::uint8_t>(1U - side_number);
    Side const& mine = connection.sides[side_number];
    Side const& theirs = connection.sides[other];
    bool const stood = connection.stage == Stage::standing || connection.stage == Stage::queued ||
                       (connection.stage == Stage::requested && mine.has(Side::kConnected));
    if (stood && !theirs.has(Side::kOver)) {
        if (reset)
            send_rst(id, other);
        else if (!mine.has(Side::kShut))
            send_fin(id, other);
    }
    release(id);
}

/// The FIN of a half-close: the other end reads to the end of the stream, and what it says still arrives here.
void WorldState::shut_down_writing(ConnectionId id, std::uint8_t side_number) {
    Side& mine = connections_[id].sides[side_number];
    if (mine.has(Side::kOver) || mine.has(Side::kShut))
        return;
    mine.set(Side::kShut);
    send_fin(id, static_cast<std::uint8_t>(1U - side_number));
}

void WorldState::send_fin(ConnectionId id, std::uint8_t to_side) {
    ProcessId const peer = connections_[id].sides[to_side].process;
    TimeNs const at_ns = arrival_ns(connections_[id], to_side, 0);
    if (at_ns != kNever)
        occurrences_[plan_for(at_ns, Happening::fin, id, to_side)].process = peer;
}

void WorldState::vanish_end(ConnectionId id, std::uint8_t side_number) {
    Connection& connection = connections_[id];
    Side& side = connection.sides[side_number];
    if (side.has(Side::kOver))
        return;
    bool const caller_first = side_number == 0 && (side.has(Side::kShut) ||
                                                   (!connection.sides[1].has(Side::kLost) && !side.has(Side::kLost)));
    side.set(Side::kOver);
    bool const holds_port = side.has(Side::kHoldsPort);
    side.reset(Side::kHoldsPort);
    ProcessId const process = side.process;
    detach(id, side_number);
    if (!holds_port)
        return;
    // Whoever closes first keeps the port for a while; a call that never stood, or was closed by the peer, does not.
    std::uint32_t const host = processes_[process].host;
    TimeNs const wait_ns = hosts_.plan_of(host).time_wait_ns;
    bool const waits = caller_first && connections_[id].stage == Stage::standing && wait_ns > 0;
    if (!waits)
        return hosts_.free_port(host);
    hosts_.free_port_later(host, stamp_ns_ + wait_ns);
}

void WorldState::on_fin(Slot slot) {
    Occurrence& occurrence = occurrences_[slot];
    ConnectionId const id = occurrence.connection;
    Connection& connection = connections_[id];
    Side& side = connection.sides[occurrence.side];
    if (side.has(Side::kOver) || connection.stage == Stage::gone || connection.stage == Stage::forgotten)
        return forget(slot);
    side.set(Side::kLost);
    occurrence.kind = Happening::closed;
    occurrence.failure = Failure::end_of_stream;
    if (connection.stage == Stage::requested)
        return on_frame(slot);  // a ghost's: it tries to enter the queue as data do
    if (connection.stage != Stage::standing || is_put_aside(side))
        return append(side.unread, slot);
    occurrence.process = side.process;
    submit(slot);
}

void WorldState::on_rst(ConnectionId id, std::uint8_t side_number) {
    Connection& connection = connections_[id];
    Side& side = connection.sides[side_number];
    if (side.has(Side::kOver))
        return;
    bool const calling = side_number == 0 && !side.has(Side::kConnected);
    if (!calling)
        ++out_.storm.resets;
    side.set(Side::kLost);
    if (side_number == 1 && connection.stage == Stage::requested) {  // tcp_check_req: a reset ends a request
        uncount(listener_of(side.process, connection.listener), connection);
        connection.stage = Stage::gone;
        SlotList unread = side.unread;
        side.unread = {};
        while (!unread.empty())
            forget(take_first(unread));
        return;
    }
    if (!side.has(Side::kAttached) && connection.stage != Stage::queued)
        return;
    Slot const slot = tell(side.process, calling ? Happening::connect_failed : Happening::closed);
    Occurrence& occurrence = occurrences_[slot];
    occurrence.failure = calling ? Failure::refused : Failure::reset;
    occurrence.connection = id;
    occurrence.side = side_number & 1U;
    ++connection.references;
    // Still in the accept queue: it is accepted, what it said is read, and then it is found reset.
    if (!side.has(Side::kAttached))
        return append(side.unread, slot);
    submit(slot);
}

}  // namespace ronde::sim
