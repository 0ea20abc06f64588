/// The two records that a pretend world is made of: what will happen, and the connections it happens on.
///
/// Both live in slabs (world/slab.hpp) and are named by index; neither owns memory.
#pragma once

#include "engine/event_queue.hpp"
#include "protocol/frame.hpp"
#include "world/observer.hpp"

#include <cstdint>

namespace ronde::sim {

using Slot = std::uint32_t;  ///< of an Occurrence
using ConnectionId = std::uint32_t;
inline constexpr ConnectionId kNoConnection = 0xffff'ffffU;

/// Packets on their way, timers of the kernel, and things that a process will notice. The first group concerns a
/// connection, the second one the process that it names.
enum class Happening : std::uint8_t {
    // --- in the network and in the kernels --------------------------------------------------------------------------
    syn,           ///< arrives at the listener's host
    syn_again,     ///< the caller's kernel repeats it
    synack,        ///< arrives at the caller
    synack_again,  ///< the listener's kernel repeats it
    ack,           ///< the last of the three, arrives at the listener's host
    data_again,    ///< the caller's kernel repeats what a full accept queue made the listener's drop
    rst,           ///< arrives at `side`
    fin,           ///< arrives at `side`, behind all data
    frame,         ///< arrives at `side`
    quiet_frame,   ///< arrives on a connection that has no record, see Connection
    fault,         ///< fault number `content` begins
    ring_begun,    ///< every rank has begun its gather around the ring
    // --- noticed by a process ---------------------------------------------------------------------------------------
    start,
    timer,
    work,   ///< it has CPU again
    knock,  ///< somebody is in the accept queue of `listener`
    connected,
    connect_failed,  ///< failure
    closed,          ///< failure
    sent,            ///< the peer has read on, a blocked writer may go on
    operate,         ///< its program makes the next call
    ring_done,       ///< the last slice of a gather that was computed as a whole
    give_up,         ///< its program aborts
};

/// One thing that happens at a time. 56 bytes.
struct Occurrence {
    Happening kind = Happening::start;
    std::uint8_t side : 1 = 0;   ///< of the connection: 0 the caller, 1 the listener
    std::uint8_t marks : 7 = 0;  ///< Mark
    protocol::Failure failure = protocol::Failure::none;
    protocol::Listener listener = protocol::Listener::ring;
    Slot next = kNoSlot;  ///< in the list it waits in
    ConnectionId connection = kNoConnection;
    ProcessId process = kNoProcess;  ///< whom it is for
    std::uint32_t content = 0;       ///< frame: what its payload says (world/contents.hpp); fault: its number
    protocol::Link link;             ///< quiet_frame: the receiver's name for the connection
    enum Mark : std::uint8_t {
        kNonsense = 1,  ///< frame: bytes that are none
        kForged = 2,    ///< frame: its tag does not fit
        kOwesSent = 4,  ///< frame: the writer is blocked until it is read
        kAllMarks = 7,
    };
    protocol::Frame frame;
};
static_assert(sizeof(Occurrence) == 56);

/// A first-in first-out list of occurrences.
struct SlotList {
    Slot head = kNoSlot;
    Slot tail = kNoSlot;
    [[nodiscard]] bool empty() const { return head == kNoSlot; }
};

/// One end of a connection. 32 bytes.
struct Side {
    ProcessId process = kNoProcess;
    protocol::Link link;             ///< the process's name for it
    SlotList unread;                 ///< arrived, but not yet taken by the process
    TimeNs last_arrival_ns = 0;      ///< at this end; nothing may overtake it
    std::uint32_t unread_bytes = 0;  ///< on the way to this end or waiting here
    std::uint16_t reserved = 0;
    enum Flag : std::uint16_t {
        kAttached = 1,    ///< the process knows it by `link`
        kOver = 2,        ///< this end is closed
        kPaused = 4,      ///< by the machine
        kHeld = 8,        ///< the machine asked to ask again
        kConnected = 16,  ///< the caller's connect has returned
        kSaidHello = 32,
        kHoldsPort = 64,
        kLost = 128,  ///< the end of the stream or a reset has been noticed
        kShut = 256,  ///< this end has said that it is done with writing, and still reads
    };
    std::uint16_t flags = 0;
    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
    /// The process leaves what arrives where it is.
    [[nodiscard]] bool is_not_read() const { return has(kPaused) || has(kHeld) || !unread.empty(); }
    void set(Flag flag) { flags = static_cast<std::uint16_t>(flags | flag); }
    void reset(Flag flag) { flags = static_cast<std::uint16_t>(flags & ~flag); }
};

/// A TCP connection, from the first SYN on.
///
/// A connection that stands, carries nothing, and joins two ranks under their usual names (chord_out k and chord_in k,
/// or root and member) needs no record: a bit per chord says all of it. It gets one again when something unusual
/// happens. That is what lets 10^6 ranks hold 20 connections each.
struct Connection {
    enum class Stage : std::uint8_t {
        calling,    ///< SYN sent, not yet taken by the listener's host
        requested,  ///< SYN-ACK sent; when the caller has it, it believes to be connected
        queued,     ///< in the accept queue
        standing,   ///< accepted
        forgotten,  ///< the listener's kernel gave the request up: what comes for it is answered by RST
        gone,
    };
    Side sides[2];
    std::uint64_t key = 0;              ///< names its draws, whatever else happens in the world
    TimeNs sent_ns = 0;                 ///< the last SYN or SYN-ACK
    std::uint32_t references = 0;       ///< occurrences that name it
    ConnectionId next = kNoConnection;  ///< in the accept queue
    Stage stage = Stage::calling;
    protocol::Listener listener = protocol::Listener::ring;
    std::uint8_t syn_tries = 0;
    std::uint8_t synack_tries = 0;
    std::uint8_t data_tries = 0;
    enum Mark : std::uint8_t {
        kSwallowed = 1,     ///< a ghost by fault: the listener never knows of it
        kGhost = 2,         ///< stood for the caller while the queue had no room
        kDataAgain = 4,     ///< a retransmission is planned
        kCallerClosed = 8,  ///< first
        kCookie = 16,       ///< the listener's kernel keeps no request, all it knows is in its SYN-ACK
        kCounted = 32,      ///< among the listener's requests
    };
    std::uint8_t marks = 0;
    std::uint16_t draws = 0;  ///< made for it so far
};
static_assert(sizeof(Connection) <= 96);

}  // namespace ronde::sim
