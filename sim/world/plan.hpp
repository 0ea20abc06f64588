/// WorldPlan: everything that describes a pretend world before it starts. Plain data; equal plans and equal seeds
/// give equal worlds, to the bit.
///
/// A scenario file is one way to make a plan, a generator of random worlds another. `World` (world/world.hpp) runs it.
#pragma once

#include "engine/distribution.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ronde::sim {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kNever;
using protocol::kNoRank;
using protocol::kSecondNs;
using protocol::Policies;
using protocol::RankId;
using protocol::TimeNs;

/// What one machine offers to the processes on it. The defaults are those of a Linux server.
struct HostPlan {
    std::uint32_t cores = 0;        ///< shared by its processes; 0: a core for each
    TimeNs accept_service_ns = 0;   ///< CPU that accept(2) and what belongs to it cost the accepting process
    TimeNs message_service_ns = 0;  ///< CPU that a frame costs whoever receives it
    std::uint32_t descriptor_limit = 1U << 20;  ///< per process
    std::uint32_t ports = 28'232;               ///< ephemeral ports, shared by all processes of the host
    TimeNs time_wait_ns = 60 * kSecondNs;       ///< how long the side that closed first keeps its port
    std::uint32_t somaxconn = 4'096;            ///< upper bound on every backlog
    bool abort_on_overflow = false;    ///< tcp_abort_on_overflow: a full accept queue resets instead of dropping
    std::uint32_t syn_retries = 6;     ///< tcp_syn_retries
    std::uint32_t synack_retries = 5;  ///< tcp_synack_retries
    std::uint32_t data_retries = 15;   ///< tcp_retries2
    std::uint64_t memory_bytes = 0;    ///< for the root's records; 0: enough
    friend bool operator==(HostPlan const&, HostPlan const&) = default;
};

/// Hosts first .. first+count-1 differ from WorldPlan::host.
struct HostOverride {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    HostPlan host;
};

/// One-way delays by distance, and what the network does to packets.
struct NetworkPlan {
    Distribution same_host = Distribution::constant(5 * kMicrosecondNs);
    Distribution same_rack = Distribution::constant(20 * kMicrosecondNs);
    Distribution cross_rack = Distribution::constant(20 * kMicrosecondNs);
    std::uint32_t hosts_per_rack = 0;                  ///< 0: all hosts stand in one rack
    std::uint64_t bytes_per_second = 0;                ///< of one connection in one direction; 0: no limit
    std::uint32_t loss_per_million = 0;                ///< of every packet
    TimeNs first_retransmit_ns = kSecondNs;            ///< of a SYN or a SYN-ACK; doubles
    TimeNs data_retransmit_ns = 200 * kMillisecondNs;  ///< of data and FIN; doubles
    std::uint64_t window_bytes = 2'500'000;  ///< what one direction of a connection holds unread, both buffers
};

/// The delay or the loss between hosts `from` and `to`, in that direction (both directions: two overrides).
struct LinkOverride {
    std::uint32_t from_host = 0;
    std::uint32_t to_host = 0;
    std::optional<Distribution> delay;
    std::optional<std::uint32_t> loss_per_million;
};

/// A set of ranks, as ranges: "0-15, 17".
struct RankRange {
    RankId first = 0;
    std::uint32_t count = 1;
    friend bool operator==(RankRange const&, RankRange const&) = default;
};

/// Whom a fault is about.
enum class Target : std::uint8_t {
    ranks,  ///< Fault::ranks
    root,   ///< root number Fault::index
    host,   ///< host number Fault::index, and all processes on it
};

enum class FaultKind : std::uint8_t {
    // --- processes ------------------------------------------------------------------------------------------
    never,    ///< does not start at all
    late,     ///< starts `duration_ns` later than it would
    slow,     ///< every service takes `amount` times as long
    pause,    ///< stands still for `duration_ns` (SIGSTOP, a suspended machine); its kernel goes on
    crash,    ///< ends as `death` says
    restart,  ///< crashes and is back as a new process after `duration_ns`
    abort,    ///< the program gives up
    // --- the world between -----------------------------------------------------------------------------------
    reset,      ///< the connections of the target are reset, `amount` of them at most (0: all)
    refuse,     ///< whoever connects to the target is refused, for `duration_ns`
    hang,       ///< whoever connects to the target gets no answer, for `duration_ns`
    ghost,      ///< connections to the target stand for the caller only, for `duration_ns`
    partition,  ///< nothing passes between the target and the others, for `duration_ns`
    one_way,    ///< nothing from the target arrives at the others, for `duration_ns`
    expire,     ///< a connection idle for `duration_ns` is forgotten by a box in between
    trickle,    ///< what the target sends travels in pieces of `amount` bytes, `duration_ns` apart
    // --- the kernel below the target ----------------------------------------------------------------------------
    no_descriptors,  ///< the next `amount` calls of connect and accept fail with EMFILE
    no_ports,        ///< the next `amount` calls of connect fail with EADDRNOTAVAIL
    address_in_use,  ///< its listener cannot be bound: EADDRINUSE
    unreachable,     ///< the next `amount` calls of connect fail with EHOSTUNREACH
    interrupted,     ///< the next `amount` calls are interrupted by a signal (EINTR) and made again
    // --- people who have no business here -------------------------------------------------------------------------
    stranger,  ///< connects to a listener of the target; `stranger` says what it does there
    // --- members who disagree ---------------------------------------------------------------------------------------
    duplicate,      ///< a second process claims the target rank
    same_device,    ///< the target registers the device that rank `amount` registers
    wrong_nranks,   ///< the target was told that the job has `amount` ranks
    wrong_roots,    ///< the target has another list of roots
    wrong_profile,  ///< the target follows profile `amount` (protocol::Profile)
    wrong_version,  ///< the target speaks wire version `amount`
    stale_id,       ///< the target holds the id of an earlier job
};
inline constexpr std::uint32_t kFaultKinds = 28;

/// Part of how a process is born, whatever the trigger says: nothing happens later.
[[nodiscard]] bool is_from_birth(FaultKind kind) noexcept;

/// How a process leaves the world.
enum class Death : std::uint8_t {
    fin,     ///< the kernel closes its connections in order (a killed process)
    reset,   ///< ... and resets those with unread bytes, here: all
    silent,  ///< the host vanishes: nothing is sent, nothing is answered
};

enum class StrangerKind : std::uint8_t {
    silent,         ///< connects and says nothing
    closes,         ///< connects and leaves (a port scan)
    resets,         ///< connects and resets
    garbage,        ///< bytes that are no frame
    http,           ///< GET / HTTP/1.1
    half_hello,     ///< the first bytes of a hello, and then nothing
    other_session,  ///< a valid hello of another job
    no_proof,       ///< a fitting hello, and then nothing
    bad_proof,      ///< a fitting hello, and a proof made without the secret
    wrong_numbers,  ///< a valid frame that only members may send, as the first word
    half_closes,    ///< a fitting hello, then it is done with writing (shutdown) and reads what comes
};
inline constexpr std::uint32_t kStrangerKinds = 11;

/// What sets a fault off: a time, or a rank that enters a phase (whichever of the two is given; both: the later).
struct Trigger {
    TimeNs at_ns = 0;
    RankId rank = kNoRank;  ///< kNoRank: time alone
    protocol::Phase phase = protocol::Phase::created;
};

struct Fault {
    FaultKind kind = FaultKind::crash;
    Target target = Target::ranks;
    std::vector<RankRange> ranks;
    std::uint32_t index = 0;  ///< root or host number
    Trigger when;
    TimeNs duration_ns = kNever;
    std::uint64_t amount = 0;
    Death death = Death::fin;
    StrangerKind stranger = StrangerKind::silent;
    protocol::Listener listener = protocol::Listener::ring;  ///< where a stranger knocks
    std::uint32_t times = 1;                                 ///< strangers: how many come
    Distribution every = Distribution::constant(0);          ///< ... and how long after one another
};

/// When the processes start.
struct ArrivalPlan {
    Distribution skew = Distribution::constant(0);  ///< each process starts so long after time 0 ...
    std::uint32_t wave_hosts = 0;                   ///< ... or after its wave: so many hosts are started at once
    TimeNs wave_every_ns = 0;
    std::uint32_t stragglers_per_million = 0;            ///< so many of the ranks come later,
    Distribution straggler = Distribution::constant(0);  ///< by so much
};

struct WorldPlan {
    std::string name = "world";
    std::uint64_t seed = 1;
    std::uint32_t nranks = 4;           ///< 1 .. protocol::kMaxRanks
    std::uint32_t nroots = 1;           ///< 1 .. protocol::kMaxRoots
    Policies policies;                  ///< not resolved: the world resolves them for its size
    TimeNs budget_ns = 30 * kSecondNs;  ///< of every rank, from its start

    std::vector<std::uint32_t> ranks_per_host{8};  ///< repeated until all ranks have a host: {8}, or {8, 4, 2}
    HostPlan host;
    std::vector<HostOverride> hosts;
    NetworkPlan network;
    std::vector<LinkOverride> links;
    ArrivalPlan arrival;
    std::vector<Fault> faults;

    /// Where the roots live: each on a host of its own after those of the ranks, or on that of its first rank.
    bool roots_on_own_hosts = true;
    HostPlan root_host;                   ///< of own hosts
    std::uint32_t root_backlog = 16'384;  ///< asked for; somaxconn may clamp it
    std::uint32_t rank_backlog = 128;
    std::uint32_t root_pending_limit = 256;  ///< unproven connections that a root serves at once

    std::uint32_t gathers_after_ready = 0;  ///< all_gathers that every rank makes when it is ready
    std::uint64_t gather_slice_bytes = 64;
    /// Whether an undisturbed gather of the table around the ring may be computed as a whole
    /// (forward/ring_forward.hpp).
    bool fast_forward = true;
    /// Which of the things that happen at the same instant comes first is asked of the oracle (Choice::order) instead
    /// of being given. Nothing overtakes on one connection.
    bool any_order = false;
    TimeNs simulated_limit_ns = 3'600 * kSecondNs;  ///< the world is stopped here: whoever still waits then hangs
};

/// Why a plan cannot be run, in one line that names the field, or an empty text.
[[nodiscard]] std::string contradiction_in(WorldPlan const& plan);

[[nodiscard]] std::string_view name_of(FaultKind kind) noexcept;
[[nodiscard]] std::string_view name_of(Target target) noexcept;
[[nodiscard]] std::string_view name_of(Death death) noexcept;
[[nodiscard]] std::string_view name_of(StrangerKind kind) noexcept;

}  // namespace ronde::sim
