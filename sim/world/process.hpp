/// What the pretend world knows about each process and each listener besides its machine.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"
#include "world/occurrence.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

namespace ronde::sim {

/// How long a kernel waits after it has sent the same data `tries` times more than once. The first repetition is a
/// probe for a lost tail (tcp_send_loss_probe), which does not count for the doubling; that stops at TCP_RTO_MAX, two
/// minutes.
[[nodiscard]] constexpr TimeNs data_pause_ns(NetworkPlan const& network, std::uint32_t tries) {
    constexpr std::uint32_t most_doublings = 9;
    return network.data_retransmit_ns << std::min(tries == 0 ? 0 : tries - 1, most_doublings);
}

/// Who waits at a listener. Most listeners have nobody at most times, and then no such record.
struct AcceptQueue {
    ConnectionId head = kNoConnection;
    ConnectionId tail = kNoConnection;
    std::uint32_t length = 0;
    std::uint32_t requests = 0;  ///< SYN-ACKs sent whose last ACK has not found room; without those for a cookie
    std::uint32_t young = 0;     ///< ... and whose SYN-ACK was not repeated yet
};

/// A port that may be bound. 8 bytes.
struct ListenerState {
    static constexpr std::uint32_t kNobody = 0xffff'ffffU;
    static constexpr std::uint32_t kMostCredits = (1U << 12U) - 1U;
    static constexpr std::uint32_t kMostPauses = (1U << 4U) - 1U;

    std::uint32_t queue = kNobody;   ///< of an AcceptQueue
    std::uint32_t credits : 12 = 0;  ///< granted by the machine
    std::uint32_t pending : 12 = 0;  ///< accepted, neither admitted nor dropped
    std::uint32_t pauses : 4 = 0;    ///< accepts in a row that failed for lack of descriptors
    std::uint32_t bound : 1 = 0;
    std::uint32_t knocking : 1 = 0;    ///< a `knock` waits for the process
    std::uint32_t queue_told : 1 = 0;  ///< the machine knows that somebody waits
};
static_assert(sizeof(ListenerState) == 8 && protocol::kMaxRootDoors <= ListenerState::kMostCredits);

enum class ProcessKind : std::uint8_t { rank, root, stranger };

/// A rank's machine on lines of its own: worlds are larger than caches, and each line costs a trip.
struct alignas(64) Machine : protocol::Rank {
    using protocol::Rank::Rank;
};

/// One process, one line. Those of ranks 0 .. N-1 come first, so that a healthy world needs no table from rank to
/// process.
struct alignas(64) Process {
    TimeNs busy_until_ns = 0;
    TimeNs timer_ns = kNever;  ///< the `timer` that is planned; others in the queue are forgotten
    TimeNs phase_since_ns = 0;
    SlotList inbox;      ///< what it has not yet noticed
    ListenerState ring;  ///< roots have theirs in RootProcess
    std::uint32_t host = 0;
    std::uint32_t descriptors = 0;  ///< in use
    std::uint32_t quiet = 0;        ///< bit k: chord_out(k) stands without a record; kQuietRoot: the root's connection
    std::uint32_t known = 0;        ///< entries that it has learned, from its own upwards
    std::uint32_t known_below = 0;  ///< ... and from its own downwards
    ProcessKind kind : 2 = ProcessKind::rank;
    std::uint8_t phase : 6 = 0;  ///< protocol::Phase or RootPhase
    std::uint8_t doors = 0;      ///< ranks: bit per slot in use
    enum Flag : std::uint16_t {
        kStarted = 1,
        kDead = 2,        ///< the process is gone
        kVanished = 4,    ///< ... and with it its host: not even resets come back
        kWorking = 8,     ///< a `work` is planned
        kOver = 16,       ///< its machine has finished
        kReady = 32,      ///< it was ready
        kCareful = 64,    ///< faults are about its connections: they keep their records
        kTriggers = 128,  ///< its phases set faults off
        kAbsent = 256,    ///< does not start at all
        kHolding = 512,   ///< some of its connections hold a frame back
        kOwnConfig = 1024,
        kSlow = 2048,
    };
    std::uint16_t flags = 0;

    static constexpr std::uint32_t kQuietRoot = 1U << 31;
    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
    void set(Flag flag) { flags = static_cast<std::uint16_t>(flags | flag); }
    void reset(Flag flag) { flags = static_cast<std::uint16_t>(flags & ~flag); }
    void enter(std::uint8_t next) { phase = next & 0x3fU; }
    [[nodiscard]] bool alive() const { return has(kStarted) && !has(kDead); }
};
static_assert(sizeof(Process) == 64);

/// The part of a root that its driver keeps: records, table, doors.
struct RootProcess {
    protocol::RootConfig config;
    protocol::Root machine;
    std::vector<protocol::RootRecord> records;
    std::vector<std::uint32_t> device_index;
    std::vector<ProcessId> table;  ///< who checked in, by number within the block
    std::uint32_t table_version = 0;
    std::uint64_t doors[4] = {};  ///< bit per slot in use
    ListenerState listener;
    std::uint32_t table_content = 0;       ///< content of its last table frame ...
    std::uint32_t table_content_of = ~0U;  ///< ... and the version it shows

    /// `visit(slot)` for each slot in use, ascending.
    template <class Visit>
    void each_door(Visit visit) const {
        for (std::uint32_t word = 0; word < std::size(doors); ++word) {
            for (std::uint64_t left = doors[word]; left != 0; left &= left - 1U)
                visit(word * 64U + static_cast<std::uint32_t>(std::countr_zero(left)));
        }
    }
    /// As if new, but for `config` and `machine`, which are given to it next. Keeps the memory it has.
    void clear() {
        records.clear();
        device_index.clear();
        table.clear();
        table_version = 0;
        std::fill(std::begin(doors), std::end(doors), 0);
        listener = {};
        table_content = 0;
        table_content_of = ~0U;
    }
};

/// A process that faults have added: a restarted or second member, or a stranger.
struct ExtraProcess {
    RankId rank = kNoRank;  ///< whom it claims to be
    StrangerKind stranger = StrangerKind::silent;
    ProcessId target = kNoProcess;  ///< strangers: at whose listener
    protocol::Listener listener = protocol::Listener::ring;
};

/// What is remembered of a process only when something unusual is planned for it.
struct Hardship {
    TimeNs paused_until_ns = 0;
    TimeNs refuses_until_ns = 0;
    TimeNs hangs_until_ns = 0;
    TimeNs ghosts_until_ns = 0;
    TimeNs cut_until_ns = 0;     ///< nothing passes to or from other hosts
    TimeNs mute_until_ns = 0;    ///< nothing passes from it to other hosts
    TimeNs expires_ns = kNever;  ///< idle connections are forgotten
    TimeNs piece_every_ns = 0;
    std::uint64_t piece_bytes = 0;
    TimeNs slow_until_ns = 0;
    std::uint32_t slowness = 1;
    std::uint64_t no_descriptors = 0;
    std::uint64_t no_ports = 0;
    std::uint64_t unreachable = 0;
    std::uint64_t interrupted = 0;
    bool listen_fails = false;
    bool stale_id = false;
    RankId device_of = kNoRank;
    TimeNs late_ns = 0;
};

/// Messages that come before anybody asks for them wait by receiver, sender and tag, in the order of their arrival.
struct MailKey {
    ProcessId receiver = kNoProcess;
    RankId from = kNoRank;
    std::uint64_t tag = 0;
    friend auto operator<=>(MailKey const&, MailKey const&) = default;
};
struct ParkedMessage {
    protocol::Frame frame;
    std::uint32_t content = 0;  ///< its bytes, if somebody looks at them
};

}  // namespace ronde::sim
