/// What a pretend world has to say when it is over.
#pragma once

#include "engine/digest.hpp"
#include "protocol/error.hpp"
#include "world/depth_record.hpp"
#include "world/histogram.hpp"
#include "world/plan.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ronde::sim {

/// How a rank ended.
enum class End : std::uint8_t {
    ready,      ///< full table, both hands, and all gathers after it are complete
    failed,     ///< with an error that names its cause
    hanging,    ///< neither, when nothing more could happen or the limit of simulated time was reached
    dead,       ///< its process was ended by a fault
    not_there,  ///< never started
};
inline constexpr std::uint32_t kEnds = 5;

/// One rank's end, kept for every rank that is not ready.
struct RankEnd {
    RankId rank = kNoRank;
    End end = End::hanging;
    protocol::Phase phase = protocol::Phase::created;  ///< where it stood (failed: in which phase it failed)
    protocol::Error error;                             ///< failed: why
    TimeNs at_ns = 0;                                  ///< failed: when
    protocol::Verdict verdict = {};                    ///< failed: the error with the ranks that it names
};

/// What the listeners, and the packets on their way to them, went through.
struct Storm {
    std::uint64_t connects = 0;  ///< calls of connect
    std::uint64_t accepts = 0;
    std::uint64_t syn_drops = 0;  ///< SYNs that met a full accept queue
    std::uint64_t ack_drops = 0;  ///< final ACKs that did: each makes a ghost, at least for a while
    std::uint64_t ghosts = 0;     ///< connections that stood for the caller while the listener had no room
    std::uint64_t syn_retransmits = 0;
    std::uint64_t synack_retransmits = 0;
    std::uint64_t data_retransmits = 0;
    std::uint64_t packets_lost = 0;            ///< by the network
    std::uint64_t refused = 0;                 ///< SYNs answered by a reset: nobody listens
    std::uint64_t overflow_resets = 0;         ///< tcp_abort_on_overflow
    std::uint64_t resets = 0;                  ///< of connections that stood
    std::uint64_t strangers = 0;               ///< as the machines count them
    std::uint64_t answers_to_strangers = 0;    ///< frames that they have read
    std::uint64_t interrupted_calls = 0;       ///< by a signal, and made again
    std::uint32_t queue_high_water = 0;        ///< of any root's accept queue
    std::uint32_t backlog = 0;                 ///< what the root's listener got (asked for, clamped by somaxconn)
    std::uint32_t descriptors_high_water = 0;  ///< of any process
    std::uint32_t ports_high_water = 0;        ///< of any host, TIME_WAIT included
    /// Retransmission steps: how many connections stood after 0, 1, 2 ... retransmitted SYNs.
    std::array<std::uint64_t, 8> connects_after_retries{};
};

struct Outcome {
    std::string name;
    std::uint64_t seed = 0;
    std::uint32_t nranks = 0;
    std::uint32_t nroots = 0;
    Policies policies;  ///< resolved
    std::array<std::uint32_t, kEnds> ends{};
    std::vector<RankEnd> not_ready;  ///< in rank order

    TimeNs last_table_ns = kNever;  ///< when the last rank had the full table; kNever: not all had it
    TimeNs last_ready_ns = kNever;
    TimeNs simulated_ns = 0;   ///< when the world stood still
    RankId slowest = kNoRank;  ///< the last to have the table

    std::array<Histogram, protocol::kPhaseCount> phases;  ///< time that ranks spent in each phase they left
    std::array<RankId, protocol::kPhaseCount> slowest_in{};
    std::uint64_t frames = 0;  ///< sent by anybody
    std::uint64_t bytes = 0;   ///< of frames, headers included
    std::array<std::uint64_t, protocol::kFrameKindCount> frames_by_kind{};
    Storm storm;
    std::vector<QueueDepth> queue_depth;  ///< of root 0's accept queue (DepthRecord)

    std::string broken;  ///< the first promise that was seen broken ("rank 5 is ready with 7 of 8 entries"), or empty
    Digest128 digest;    ///< over every step: time, process, event, state
    std::uint64_t events = 0;          ///< steps of machines and events of the network
    std::uint64_t steps = 0;           ///< steps of machines
    std::uint64_t skipped_frames = 0;  ///< of the table's ring, computed as a whole instead of one by one
    /// Ring frames of ranks that waited for others were not played: the ring is too large for it. Who waits for whom is
    /// not affected; `frames` and `bytes` are without them.
    bool waiting_ring_unplayed = false;
    std::uint64_t world_bytes = 0;  ///< memory of the world at its fullest, as it accounts for it

    /// As if new, but keeps the memory it has.
    void clear();
    [[nodiscard]] bool all_ready() const { return ends[0] == nranks; }
    [[nodiscard]] std::uint32_t count(End end) const { return ends[static_cast<std::size_t>(end)]; }
};

[[nodiscard]] std::string_view name_of(End end) noexcept;

}  // namespace ronde::sim
