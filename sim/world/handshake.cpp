/// Connections until they stand, the way Linux makes them.
///
/// SYN, SYN-ACK, ACK. A listener's accept queue holds backlog + 1 connections (net/ipv4: sk_acceptq_is_full). A SYN
/// that meets a full queue is dropped, and the caller's kernel repeats it after 1, 2, 4 ... s. The last ACK that meets
/// a full queue is dropped too: the caller believes to be connected (a ghost) and sends its data, which is dropped and
/// repeated after 200, 200, 400, 800 ... ms, while the listener's kernel repeats its SYN-ACK; each of the two tries to
/// enter the queue again. With tcp_abort_on_overflow the ACK is answered by a reset instead.
///
/// Requests between SYN-ACK and queue are bounded by the backlog as well. Beyond it the listener answers with a cookie
/// (tcp_syncookies): it keeps nothing, so it repeats nothing and resets nobody; the caller's data are all that can
/// still open the queue. docs/calibration.md shows each of these on a real kernel and here.
///
/// A timer of a retransmission is planned only when the loss is decided already, so a healthy call has none.
#include "engine/draw.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ronde::sim {
namespace {

using Stage = Connection::Stage;

/// accept(2) without descriptors is tried again after 1, 2, 4 ... 128, 128 ms. The machine hears of it from the
/// eleventh failure in a row on, after 511 ms; the real driver tries less often, and tells it as late.
constexpr TimeNs kAcceptPauseNs = kMillisecondNs;
constexpr std::uint32_t kLongestAcceptPause = 7;
constexpr std::uint32_t kLongScarcity = 10;
constexpr std::uint32_t kRankDoors = protocol::RankState::kDoors;
/// How long a cookie is good (MAX_SYNCOOKIE_AGE: the minute in which it was made, and the next one).
constexpr TimeNs kCookieLifeNs = 120 * kSecondNs;
/// A queue of requests that is more than half full gives up old ones early, but none before its second repetition.
constexpr std::uint32_t kSmallestRequestQueue = 8;
constexpr std::uint32_t kFewestSynackRetries = 2;

/// How often a SYN-ACK is repeated before the request is forgotten: fewer times when the queue of requests is more than
/// half full and most of it is old (reqsk_timer_handler).
std::uint32_t synack_retries_of(AcceptQueue const& queue, std::uint32_t backlog, std::uint32_t retries) {
    if (2 * queue.requests <= std::max(kSmallestRequestQueue, backlog))
        return retries;
    for (std::uint32_t young = 2 * queue.young; retries > kFewestSynackRetries && queue.requests >= young; young *= 2)
        --retries;
    return retries;
}

}  // namespace

ListenerState& WorldState::listener_of(ProcessId process, Listener listener) {
    switch (listener) {
    case Listener::ring: return processes_[process].ring;
    case Listener::callback: return callback_listeners_[process];
    case Listener::root: break;
    }
    return root_of(process).listener;
}

std::uint32_t WorldState::backlog_of(ProcessId process, Listener listener) const {
    std::uint32_t const asked = listener == Listener::root ? plan_.root_backlog : plan_.rank_backlog;
    return std::min(asked, hosts_.plan_of(processes_[process].host).somaxconn);
}

// --- queues of listeners --------------------------------------------------------------------------------------------

AcceptQueue WorldState::who_waits(ListenerState const& listener) const {
    return listener.queue == ListenerState::kNobody ? AcceptQueue{} : accept_queues_[listener.queue];
}

AcceptQueue& WorldState::queue_of(ListenerState& listener) {
    if (listener.queue == ListenerState::kNobody)
        listener.queue = accept_queues_.make();
    return accept_queues_[listener.queue];
}

void WorldState::forget_queue_if_empty(ListenerState& listener) {
    if (listener.queue == ListenerState::kNobody)
        return;
    AcceptQueue const& queue = accept_queues_[listener.queue];
    if (queue.length > 0 || queue.requests > 0)
        return;
    accept_queues_.free(listener.queue);
    listener.queue = ListenerState::kNobody;
}

/// It has become a request.
void WorldState::count(ListenerState& listener, Connection& connection) {
    connection.marks |= Connection::kCounted;
    AcceptQueue& queue = queue_of(listener);
    ++queue.requests;
    ++queue.young;
}

/// It has entered the queue, or is no request any more.
void WorldState::uncount(ListenerState& listener, Connection& connection) {
    if ((connection.marks & Connection::kCounted) == 0)
        return;
    connection.marks = static_cast<std::uint8_t>(connection.marks & ~Connection::kCounted);
    AcceptQueue& queue = queue_of(listener);
    --queue.requests;
    queue.young -= connection.synack_tries == 0 ? 1U : 0U;
    forget_queue_if_empty(listener);
}

// --- the caller -----------------------------------------------------------------------------------------------------

protocol::Failure WorldState::call(ProcessId caller, Link link, ProcessId target, Listener listener) {
    Process& process = processes_[caller];
    HostPlan const& host = hosts_.plan_of(process.host);
    ++out_.storm.connects;
    interrupt(caller);
    if (process.descriptors >= host.descriptor_limit)
        return Failure::no_descriptors;
    if (!hosts_.take_port(process.host, now_ns_))
        return Failure::no_ports;
    ++process.descriptors;
    out_.storm.descriptors_high_water = std::max(out_.storm.descriptors_high_water, process.descriptors);

    ConnectionId const id = connections_.make();
    Connection& connection = connections_[id];
    connection.listener = listener;
    connection.key = draw(std::uint64_t{caller} << 32U | link.value, target, static_cast<std::uint64_t>(stamp_ns_));
    connection.sides[0].process = caller;
    connection.sides[0].link = link;
    connection.sides[0].set(Side::kAttached);
    connection.sides[0].set(Side::kHoldsPort);
    connection.sides[1].process = target;
    index_.put({id, 0});
    send_syn(id);
    return Failure::none;
}

void WorldState::send_syn(ConnectionId id) {
    Connection& connection = connections_[id];
    ProcessId const caller = connection.sides[0].process;
    ProcessId const target = connection.sides[1].process;
    connection.sent_ns = stamp_ns_;
    std::uint32_t const from = processes_[caller].host;
    std::uint32_t const to = processes_[target].host;
    if (!passes(caller, target) || is_lost(connection, from, to))
        return syn_again_later(id);
    plan_for(stamp_ns_ + delay_ns(connection, from, to), Happening::syn, id, 1);
}

void WorldState::syn_again_later(ConnectionId id) {
    Connection const& connection = connections_[id];
    plan_for(std::max(now_ns_, connection.sent_ns + (plan_.network.first_retransmit_ns << connection.syn_tries)),
             Happening::syn_again, id, 0);
}

void WorldState::on_syn_again(ConnectionId id) {
    Connection& connection = connections_[id];
    if (connection.sides[0].has(Side::kOver) || connection.stage != Stage::calling)
        return;
    ProcessId const caller = connection.sides[0].process;
    if (connection.syn_tries >= hosts_.plan_of(processes_[caller].host).syn_retries) {
        connection.stage = Stage::gone;
        Slot const slot = tell(caller, Happening::connect_failed);
        occurrences_[slot].failure = Failure::timed_out;
        occurrences_[slot].connection = id;
        ++connection.references;
        return submit(slot);
    }
    ++connection.syn_tries;
    ++out_.storm.syn_retransmits;
    send_syn(id);
}

void WorldState::on_synack(ConnectionId id) {
    Connection& connection = connections_[id];
    Side& caller = connection.sides[0];
    if (caller.has(Side::kOver) && !caller.has(Side::kConnected)) {  // it has given up: its kernel answers with a reset
        if (connection.stage == Stage::requested) {
            uncount(listener_of(connection.sides[1].process, connection.listener), connection);
            connection.stage = Stage::gone;
        }
        return;
    }
    std::uint32_t const from = processes_[caller.process].host;
    std::uint32_t const to = processes_[connection.sides[1].process].host;
    bool const arrives = passes(caller.process, connection.sides[1].process) && !is_lost(connection, from, to);
    if (arrives)
        plan_for(now_ns_ + delay_ns(connection, from, to), Happening::ack, id, 1);
    else
        synack_again_later(id);
    if (caller.has(Side::kConnected))
        return;
    caller.set(Side::kConnected);
    std::size_t const retries =
        std::min<std::size_t>(connection.syn_tries, out_.storm.connects_after_retries.size() - 1U);
    ++out_.storm.connects_after_retries[retries];
    Slot const slot = tell(caller.process, Happening::connected);
    occurrences_[slot].connection = id;
    ++connection.references;
    submit(slot);
}

// --- the listener's host --------------------------------------------------------------------------------------------

void WorldState::on_syn(ConnectionId id) {
    Connection& connection = connections_[id];
    if (connection.sides[0].has(Side::kOver) || connection.stage != Stage::calling)
        return;
    ProcessId const target = connection.sides[1].process;
    Process const& process = processes_[target];
    Hardship const* const hard = hardship(target);
    bool const silent = process.has(Process::kVanished) || (hard != nullptr && hard->hangs_until_ns > now_ns_);
    if (silent)
        return syn_again_later(id);
    bool const refuses = hard != nullptr && hard->refuses_until_ns > now_ns_;
    ListenerState& listener = listener_of(target, connection.listener);
    if (refuses || listener.bound == 0) {
        ++out_.storm.refused;
        connection.stage = Stage::gone;
        return send_rst(id, 0);
    }
    AcceptQueue const waiting = who_waits(listener);
    std::uint32_t const backlog = backlog_of(target, connection.listener);
    if (hard != nullptr && hard->ghosts_until_ns > now_ns_) {
        connection.marks |= Connection::kSwallowed;
        ++out_.storm.ghosts;
    } else if (waiting.length > backlog) {
        ++out_.storm.syn_drops;
        return syn_again_later(id);
    } else if (waiting.requests > backlog) {  // inet_csk_reqsk_queue_is_full
        connection.marks |= Connection::kCookie;
    } else {
        count(listener, connection);
    }
    connection.stage = Stage::requested;
    send_synack(id);
}

void WorldState::send_synack(ConnectionId id) {
    Connection& connection = connections_[id];
    ProcessId const caller = connection.sides[0].process;
    ProcessId const target = connection.sides[1].process;
    std::uint32_t const from = processes_[target].host;
    std::uint32_t const to = processes_[caller].host;
    bool const lost = !passes(target, caller) || is_lost(connection, from, to);
    if (lost && !connection.sides[0].has(Side::kConnected)) {
        // The caller repeats its SYN before the listener repeats its answer: the SYN was sent first.
        uncount(listener_of(target, connection.listener), connection);
        connection.marks &= static_cast<std::uint8_t>(~(Connection::kCookie | Connection::kSwallowed));
        connection.stage = Stage::calling;
        return syn_again_later(id);
    }
    connection.sent_ns = now_ns_;
    if (lost)
        return synack_again_later(id);
    plan_for(now_ns_ + delay_ns(connection, from, to), Happening::synack, id, 0);
}

void WorldState::synack_again_later(ConnectionId id) {
    Connection const& connection = connections_[id];
    if ((connection.marks & (Connection::kSwallowed | Connection::kCookie)) != 0)
        return;
    plan_for(std::max(now_ns_, connection.sent_ns + (plan_.network.first_retransmit_ns << connection.synack_tries)),
             Happening::synack_again, id, 1);
}

void WorldState::on_synack_again(ConnectionId id) {
    Connection& connection = connections_[id];
    if (connection.stage != Stage::requested)
        return;
    ProcessId const target = connection.sides[1].process;
    ListenerState& listener = listener_of(target, connection.listener);
    std::uint32_t const retries = hosts_.plan_of(processes_[target].host).synack_retries;
    std::uint32_t const backlog = backlog_of(target, connection.listener);
    if (connection.synack_tries >= synack_retries_of(who_waits(listener), backlog, retries)) {
        uncount(listener, connection);
        connection.stage = Stage::forgotten;
        SlotList unread =
            connection.sides[1].unread;  // a ghost's words, which nobody will read; the caller repeats them
        connection.sides[1].unread = {};
        while (!unread.empty())
            forget(take_first(unread));
        return;
    }
    if ((connection.marks & Connection::kCounted) != 0 && connection.synack_tries == 0)
        --queue_of(listener).young;
    ++connection.synack_tries;
    ++out_.storm.synack_retransmits;
    send_synack(id);
}

void WorldState::on_ack(ConnectionId id) {
    if (connections_[id].stage == Stage::requested && !enter_queue(id, false))
        synack_again_later(id);
}

/// The caller's last ACK, or data that carries it, meets the accept queue. False: dropped.
bool WorldState::enter_queue(ConnectionId id, bool by_data) {
    Connection& connection = connections_[id];
    if ((connection.marks & Connection::kSwallowed) != 0)
        return true;  // nobody ever looks at it
    ProcessId const target = connection.sides[1].process;
    ListenerState& listener = listener_of(target, connection.listener);
    bool const cookie = (connection.marks & Connection::kCookie) != 0;
    if (listener.bound == 0 || (cookie && now_ns_ - connection.sent_ns > kCookieLifeNs)) {
        uncount(listener, connection);
        connection.stage = Stage::gone;
        send_rst(id, 0);
        return true;
    }
    if (who_waits(listener).length > backlog_of(target, connection.listener)) {
        if (!cookie && hosts_.plan_of(processes_[target].host).abort_on_overflow) {
            ++out_.storm.overflow_resets;
            uncount(listener, connection);
            connection.stage = Stage::gone;
            send_rst(id, 0);
            return true;
        }
        if (!by_data)
            ++out_.storm.ack_drops;
        if ((connection.marks & Connection::kGhost) == 0) {
            connection.marks |= Connection::kGhost;
            ++out_.storm.ghosts;
        }
        return false;
    }
    AcceptQueue& queue = queue_of(listener);
    ++queue.length;
    uncount(listener, connection);
    connection.stage = Stage::queued;
    connection.next = kNoConnection;
    ++connection.references;  // the queue's
    if (queue.head == kNoConnection)
        queue.head = id;
    else
        connections_[queue.tail].next = id;
    queue.tail = id;
    listener.queue_told = 0;
    if (processes_[target].kind == ProcessKind::root)
        note_queue(target);
    knock(target, connections_[id].listener);
    return true;
}

/// What a ghost has sent is sent again.
void WorldState::on_data_again(ConnectionId id) {
    Connection& connection = connections_[id];
    connection.marks = static_cast<std::uint8_t>(connection.marks & ~Connection::kDataAgain);
    if (connection.stage == Stage::forgotten) {
        ++out_.storm.data_retransmits;
        return send_rst(id, 0);
    }
    if (connection.sides[1].unread.empty() || connection.stage != Stage::requested)
        return;
    ++out_.storm.data_retransmits;
    if (enter_queue(id, true))
        return;
    ++connection.data_tries;
    connection.marks |= Connection::kDataAgain;
    plan_for(now_ns_ + data_pause_ns(plan_.network, connection.data_tries), Happening::data_again, id, 1);
}

void WorldState::send_rst(ConnectionId id, std::uint8_t to_side) {
    Connection& connection = connections_[id];
    ProcessId const to = connection.sides[to_side].process;
    ProcessId const from = connection.sides[1U - to_side].process;
    bool const vanished = processes_[from].has(Process::kVanished);  // its host has no kernel left to answer
    if (vanished || connection.sides[to_side].has(Side::kOver) || !passes(from, to))
        return;
    TimeNs const at_ns = std::max(stamp_ns_ + delay_ns(connection, processes_[from].host, processes_[to].host),
                                  connection.sides[to_side].last_arrival_ns);
    plan_for(at_ns, Happening::rst, id, to_side);
}

// --- accept ---------------------------------------------------------------------------------------------------------

void WorldState::knock(ProcessId process, Listener which) {
    ListenerState& listener = listener_of(process, which);
    if (listener.knocking != 0 || listener.bound == 0 || who_waits(listener).length == 0)
        return;
    if (listener.pending >= listener.credits && (listener.queue_told != 0 || listener.credits == 0))
        return;
    listener.knocking = 1;
    Slot const slot = tell(process, Happening::knock);
    occurrences_[slot].listener = which;
    // Not handled on the spot even when there is CPU: the process may be in the middle of a step.
    append(processes_[process].inbox, slot);
    wake(process);
}

void WorldState::accept_one(ProcessId id, Listener which) {
    ListenerState& listener = listener_of(id, which);
    Process& process = processes_[id];
    listener.knocking = 0;
    if (listener.bound == 0 || who_waits(listener).length == 0 || process.has(Process::kDead))
        return;
    if (listener.pending >= listener.credits) {
        listener.queue_told = 1;
        return feed(id, Event::queued(stamp_ns_, which));
    }
    interrupt(id);
    bool scarce = process.descriptors >= hosts_.plan_of(process.host).descriptor_limit;
    if (Hardship const* const hard = hardship(id); hard != nullptr && hard->no_descriptors > 0) {
        --hardship_of(id).no_descriptors;
        scarce = true;
    }
    if (scarce) {
        bool const for_long = listener.pauses == kLongScarcity;
        TimeNs const pause_ns = kAcceptPauseNs << std::min<std::uint32_t>(listener.pauses, kLongestAcceptPause);
        listener.pauses = (for_long ? kLongScarcity : listener.pauses + 1U) & ListenerState::kMostPauses;
        listener.knocking = 1;
        Slot const slot = plan_at(stamp_ns_ + pause_ns, Happening::knock, id);
        occurrences_[slot].listener = which;
        if (for_long)
            feed(id, Event::accept_failed(stamp_ns_, which, Failure::no_descriptors));
        return;
    }
    listener.pauses = 0;
    listener.queue_told = 0;  // if more wait, the machine hears it again
    AcceptQueue& queue = queue_of(listener);
    ConnectionId const connection_id = queue.head;
    Connection& connection = connections_[connection_id];
    queue.head = connection.next;
    if (queue.head == kNoConnection)
        queue.tail = kNoConnection;
    --queue.length;
    forget_queue_if_empty(listener);
    ++listener.pending;
    ++out_.storm.accepts;
    ++process.descriptors;
    out_.storm.descriptors_high_water = std::max(out_.storm.descriptors_high_water, process.descriptors);
    if (process.kind == ProcessKind::root)
        note_queue(id);

    Link const door = protocol::pending(take_door(id));
    connection.stage = Stage::standing;
    connection.sides[1].link = door;
    connection.sides[1].set(Side::kAttached);
    index_.put({connection_id, 1});
    feed(id, Event::accepted(stamp_ns_, which, door));
    hand_over_unread(connection_id, 1, false);
    release(connection_id);  // the queue's reference
    knock(id, which);
}

std::uint32_t WorldState::take_door(ProcessId id) {
    Process& process = processes_[id];
    if (process.kind != ProcessKind::root) {
        auto const slot = static_cast<std::uint32_t>(std::countr_one(process.doors));
        RONDE_CHECK(slot < kRankDoors, "credits are no more than doors");
        process.doors = static_cast<std::uint8_t>(process.doors | 1U << slot);
        return slot;
    }
    RootProcess& root = root_of(id);
    std::uint32_t word = 0;
    while (root.doors[word] == ~std::uint64_t{0})
        ++word;
    auto const bit = static_cast<std::uint32_t>(std::countr_one(root.doors[word]));
    root.doors[word] |= std::uint64_t{1} << bit;
    return word * 64U + bit;
}

void WorldState::free_door(ProcessId id, std::uint32_t slot, Listener which) {
    Process& process = processes_[id];
    if (process.kind == ProcessKind::root)
        root_of(id).doors[slot / 64U] &= ~(std::uint64_t{1} << (slot % 64U));
    else
        process.doors = static_cast<std::uint8_t>(process.doors & ~(1U << slot));
    --listener_of(id, which).pending;
    knock(id, which);
}

/// The listener is closed: its kernel resets whoever is in the queue, and answers nobody else.
void WorldState::drop_listener(ProcessId id, Listener which) {
    ListenerState& listener = listener_of(id, which);
    if (listener.bound == 0)
        return;
    listener.bound = 0;
    --processes_[id].descriptors;
    if (listener.queue == ListenerState::kNobody)
        return;
    AcceptQueue& queue = queue_of(listener);
    ConnectionId const first = std::exchange(queue.head, kNoConnection);
    queue.tail = kNoConnection;
    queue.length = 0;
    forget_queue_if_empty(listener);
    for (ConnectionId at = first; at != kNoConnection;) {
        Connection& connection = connections_[at];
        ConnectionId const next = connection.next;
        connection.stage = Stage::gone;
        if (!processes_[id].has(Process::kVanished))
            send_rst(at, 0);
        release(at);
        at = next;
    }
}

}  // namespace ronde::sim
