/// The seam between a machine and the world.
///
/// A driver owns sockets, clocks, tables and user buffers; a machine owns every decision. To write a driver:
/// wait for the world or for `deadline()`; make one event with a `now` that never decreases; call `step`;
/// perform the actions in order; whatever they lead to comes back only as later events; never re-enter.
///
///     for (Event event = Event::start(now());; event = wait(machine.deadline())) {
///         Actions actions;
///         machine.step(event, actions);
///         for (Action const& action : actions) perform(action);
///         while (actions.more()) {                     // a long answer comes in bounded pieces
///             machine.step(Event::resume(event.now), actions.clear());
///             for (Action const& action : actions) perform(action);
///         }
///         if (machine.finished()) break;
///     }
///
/// Rules, each of them a property that the tests hold every driver and machine to:
///  - Events are values. A payload span is valid during its step only.
///  - At most kMaxActions actions per step [S6]; `more()` asks for `resume` before anything else is fed.
///  - An event that the transition table does not list for the machine's phase changes nothing.
///  - `step` neither throws, allocates, blocks, reads a clock, nor draws a random number.
///  - What a driver answers by itself comes before what the world does next: `collected` (and the frames already taken)
///    before any later event of that machine, `sent` before a `closed` of the same link.
///  - After `close` of a link, or its `closed`/`connect_failed` event, the driver feeds nothing more for it.
#pragma once

#include "protocol/frame.hpp"
#include "protocol/units.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace ronde::protocol {

enum class EventKind : std::uint8_t {
    start,           ///< begin; the first event of every machine
    listening,       ///< a listener is bound
    listen_failed,   ///< it could not be bound: failure, os_error
    timer,           ///< `now` has reached deadline()
    connected,       ///< a connection that was asked for stands. authentic: it was admitted before (cached mail link)
    connect_failed,  ///< it could not be made: failure, os_error
    accepted,        ///< a connection was taken, within the granted credit; link: pending(slot)
    queued,          ///< somebody waits at a listener whose credit is used up (edge, not level)
    frame,           ///< a whole frame arrived (its payload too). authentic: its tag was checked and fits
    closed,          ///< the connection ended: end_of_stream, reset, or malformed
    sent,            ///< everything queued on the link has been handed to the transport (asked for by Send::notify)
    inspected,       ///< answer to `inspect`: the duplicate devices found in the table, or none
    operate,         ///< the program wants a collective or point-to-point operation
    collected,       ///< answer to `collect`: a waiting message was moved to the program's buffer
    abort,           ///< the program gives up
    close,           ///< the program is done
    resume,          ///< go on with a long answer
    accept_failed,   ///< half a second of tries could not take one who waits (again after each further try): failure,
                     ///< os_error
};
inline constexpr std::uint32_t kEventKindCount = 18;

enum class OperationKind : std::uint8_t { none, all_gather, barrier, broadcast, send, receive };

/// One call of a verb. At most one is under way per machine.
struct Operation {
    OperationKind kind = OperationKind::none;
    std::uint8_t reserved[3] = {};
    RankId peer = kNoRank;          ///< broadcast: the source; send: receiver; receive: sender
    std::uint64_t tag = 0;          ///< send, receive
    std::uint64_t slice_bytes = 0;  ///< all_gather: of one rank's slice; broadcast, send, receive: of the buffer
    TimeNs budget_ns = kNever;      ///< how long it may take; kNever: no limit
    friend constexpr bool operator==(Operation const&, Operation const&) = default;
};

/// One input of a machine. Use the makers; fields that a kind does not use stay at their defaults.
struct Event {
    TimeNs now = 0;
    EventKind kind = EventKind::start;
    Listener listener = Listener::ring;
    Failure failure = Failure::none;
    bool authentic = false;
    std::int32_t os_error = 0;
    Link link;
    DevicePair devices;
    Frame frame;
    Operation operation;
    std::span<const std::byte>
        payload;  ///< frame: Entry of check_in and successor, Verdict of verdict; may be empty for slices

    static Event start(TimeNs now) { return of(now, EventKind::start); }
    static Event timer(TimeNs now) { return of(now, EventKind::timer); }
    static Event resume(TimeNs now) { return of(now, EventKind::resume); }
    static Event abort(TimeNs now) { return of(now, EventKind::abort); }
    static Event close(TimeNs now) { return of(now, EventKind::close); }
    static Event collected(TimeNs now) { return of(now, EventKind::collected); }
    static Event listening(TimeNs now, Listener listener) { return of(now, EventKind::listening, listener); }
    static Event listen_failed(TimeNs now, Listener listener, Failure failure, std::int32_t os_error = 0) {
        return failed(of(now, EventKind::listen_failed, listener), failure, os_error);
    }
    static Event connected(TimeNs now, Link link, bool already_admitted = false) {
        Event event = of(now, EventKind::connected, link);
        event.authentic = already_admitted;
        return event;
    }
    static Event connect_failed(TimeNs now, Link link, Failure failure, std::int32_t os_error = 0) {
        return failed(of(now, EventKind::connect_failed, link), failure, os_error);
    }
    static Event accepted(TimeNs now, Listener listener, Link slot) {
        Event event = of(now, EventKind::accepted, slot);
        event.listener = listener;
        return event;
    }
    static Event queued(TimeNs now, Listener listener) { return of(now, EventKind::queued, listener); }
    static Event accept_failed(TimeNs now, Listener listener, Failure failure, std::int32_t os_error = 0) {
        return failed(of(now, EventKind::accept_failed, listener), failure, os_error);
    }
    static Event arrived(TimeNs now, Link link, Frame const& frame, std::span<const std::byte> payload,
                         bool authentic = true) {
        Event event = of(now, EventKind::frame, link);
        event.frame = frame;
        event.payload = payload;
        event.authentic = authentic;
        return event;
    }
    static Event closed(TimeNs now, Link link, Failure failure, std::int32_t os_error = 0) {
        return failed(of(now, EventKind::closed, link), failure, os_error);
    }
    static Event sent(TimeNs now, Link link) { return of(now, EventKind::sent, link); }
    static Event inspected(TimeNs now, DevicePair devices) {
        Event event = of(now, EventKind::inspected);
        event.devices = devices;
        return event;
    }
    static Event operate(TimeNs now, Operation const& operation) {
        Event event = of(now, EventKind::operate);
        event.operation = operation;
        return event;
    }

private:
    static Event of(TimeNs now, EventKind kind, Link link = {}) {
        Event event;
        event.now = now;
        event.kind = kind;
        event.link = link;
        return event;
    }
    static Event of(TimeNs now, EventKind kind, Listener listener) {
        Event event = of(now, kind);
        event.listener = listener;
        return event;
    }
    static Event failed(Event event, Failure failure, std::int32_t os_error) {
        event.failure = failure;
        event.os_error = os_error;
        return event;
    }
};

enum class ActionKind : std::uint8_t {
    listen,   ///< make sure that `listener` is bound; answer with listening or listen_failed
    accept,   ///< from now on let `credits` connections of `listener` be pending at once; slots are 0..credits-1
    admit,    ///< the connection `link` (a pending one) is from now on named `to`
    connect,  ///< make `link` to rank `rank` (chord, mail, callback) or root `rank` (root, previous_root)
    send,     ///< queue `frame` on `link`, its payload taken from `source`
    learn,    ///< entries first..first+count-1 (mod N) of this step's frame are true from now on
    pause,    ///< stop reading from `link`
    unpause,  ///< read again
    close,    ///< end `link`: what is queued is still sent, then FIN; no `closed` event follows
    deafen,   ///< close `listener`
    inspect,  ///< search the table for duplicate devices; answer with inspected
    /// A message `rank`/`tag` may wait: move it to the program's buffer and answer collected, or stay silent. One of
    /// another size than the buffer is dropped, and its frame fed again, without its payload and before anything else:
    /// the machine then ends with bad_argument, as it does when such a message comes later.
    collect,
    park,      ///< this step's message is not asked for yet: keep it until `collect`
    reserve,   ///< root: provide records for `count` ranks (Root::provide), then feed the same event again
    complete,  ///< the operation under way is done
    ready,     ///< the bootstrap is done: full table, both hands
    finish,    ///< the end: send what is queued, close everything, report error() (ok after close)
};
inline constexpr std::uint32_t kActionKindCount = 17;

/// Where a frame's payload comes from. Slices wrap around: first + i is taken modulo N.
enum class Source : std::uint8_t {
    none,
    handshake,  ///< nonces and tags: the driver's auth codec fills them in
    entry,      ///< my own entry (check_in); at the root: entry `first` of the table (successor)
    table,      ///< `count` entries from `first`
    operation,  ///< `count` slices from `first` of the operation's buffer (all_gather), or all of it
    verdict,    ///< what ended it: Rank::error() with the ranges that the driver keeps, Root::notice()
};

/// One output of a machine.
struct Action {
    ActionKind kind = ActionKind::listen;
    Listener listener = Listener::ring;
    Source source = Source::none;
    bool notify = false;  ///< send: feed `sent` when the link's queue has drained
    Link link;
    Link to;                ///< admit
    RankId rank = kNoRank;  ///< connect, collect; admit: the peer
    std::uint32_t first = 0;
    std::uint32_t count = 0;  ///< also: credits, ranks to reserve
    std::uint64_t tag = 0;    ///< collect
    Frame frame;              ///< send; payload_bytes is set
};

inline constexpr std::uint32_t kMaxActions = 32;

/// What one step asks for, in order. Lives on the driver's stack and is used again and again.
class Actions {
public:
    Actions& clear() noexcept {
        count_ = 0;
        more_ = false;
        return *this;
    }
    [[nodiscard]] bool more() const noexcept { return more_; }
    [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
    [[nodiscard]] std::uint32_t room() const noexcept { return kMaxActions - count_; }
    [[nodiscard]] Action const* begin() const noexcept { return items_.data(); }
    [[nodiscard]] Action const* end() const noexcept { return items_.data() + count_; }
    [[nodiscard]] Action const& operator[](std::size_t i) const noexcept { return items_[i]; }

    /// For machines only. Exceeding the bound is a broken invariant and stops the process.
    Action& push(ActionKind kind) noexcept;
    void ask_for_more() noexcept { more_ = true; }

private:
    std::array<Action, kMaxActions> items_;
    std::uint32_t count_ = 0;
    bool more_ = false;
};

/// Whether a frame may be read now, and where its payload belongs. Asked by drivers as soon as a header
/// is there, so that payloads go straight to their place and a peer that is ahead waits in the socket.
struct Reception {
    enum class Kind : std::uint8_t {
        take,    ///< read the payload to `source` (table, operation), or to a small buffer (none), then feed `frame`
        mail,    ///< a message nobody asked for yet: read it into memory of the driver's, feed `frame`, expect `park`
        hold,    ///< not yet: leave it unread, ask again after the next step
        refuse,  ///< feed `frame` without its payload; the machine will end the connection
    };
    Kind kind = Kind::take;
    Source source = Source::none;
    std::uint32_t first = 0;  ///< table, operation: first slice
    std::uint32_t count = 0;
};

[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;
[[nodiscard]] std::string_view name_of(ActionKind kind) noexcept;
[[nodiscard]] std::string_view name_of(OperationKind kind) noexcept;

}  // namespace ronde::protocol
