/// The rank's machine: from "created" to "ready" or to an error that names its cause, and the verbs after that.
///
/// A plain value driven through the seam (protocol/seam.hpp). It holds no table and no buffer: it says which
/// entries to learn and which to send. Thread-safety: none needed, a machine belongs to one driver.
#pragma once

#include "protocol/partition.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"
#include "protocol/told_backlog.hpp"

#include <array>
#include <type_traits>

namespace ronde::protocol {

/// What a rank is told at birth. Immutable, shared by reference: it must outlive the machine.
struct RankConfig {
    Policies policies;                  ///< resolved, see resolve()
    std::uint32_t nranks = 1;           ///< 1 .. kMaxRanks
    std::uint32_t nroots = 1;           ///< 1 .. min(nranks, kMaxRoots)
    RankId rank = 0;                    ///< 0 .. nranks-1
    std::uint32_t roots_digest = 0;     ///< hash of the root list, compared at check-in
    std::uint64_t session = 0;          ///< public part of the unique id
    std::uint64_t seed = 0;             ///< jitter is a pure function of (seed, rank, attempt)
    TimeNs budget_ns = 30 * kSecondNs;  ///< the overall deadline, counted from `start`
    bool root_promised = true;  ///< the id says that the root listens since before the id was known [clause 5.6]
    std::uint32_t root_backlog = kUsualBacklog;  ///< check-ins that may wait at a root at once, as the id tells it
    std::uint8_t version = kWireVersion;
};

/// One connection that this rank makes: when to try (again), and how long to wait for an answer.
struct Dial {
    enum class State : std::uint8_t { idle, pausing, connecting, greeting, open };
    TimeNs due_ns = kNever;  ///< pausing: (re)try, stagger included; connecting, greeting: give this socket up
    Link link;
    std::uint16_t attempt = 0;     ///< connections tried for this link
    std::uint16_t refusals = 0;    ///< "refused" in a row
    std::uint16_t unanswered = 0;  ///< connections that stood but were never answered
    std::int16_t last_os_error = 0;
    State state = State::idle;
    Failure last_failure = Failure::none;
    std::uint16_t reserved = 0;
};

/// One accepted connection that has not yet shown who it is.
enum class Door : std::uint8_t { free, silent, challenged };

/// All that a rank remembers. Trivially copyable and free of padding, so that a driver can hash, compare
/// and store it as bytes; everything in it is canonical (equal futures have equal bytes where that is cheap).
struct RankState {
    static constexpr std::uint32_t kDials = 3;  ///< root, previous root, one peer at a time
    static constexpr std::uint32_t kDoors = 4;  ///< bound on unproven connections [S6]

    enum Flag : std::uint16_t {
        kKnowsSuccessor = 1,  ///< its entry is in the table
        kTable = 2,           ///< all N entries are in the table
        kInspected = 4,       ///< the table was searched for duplicate devices
        kServedAll = 8,       ///< my part of the gather under way is out
        kRootOpen = 16,       ///< checked in, the connection stands
        kPreviousRootOpen = 32,
        kRootDone = 64,   ///< `done` was sent
        kMailSent = 128,  ///< the message under way is queued
        kCommitted = 256,
        kContested = 512,  ///< somebody waits behind full doors
        kTorn = 1024,      ///< chord_out(0) ended in the table's ring gather: what was sent there is lost
    };

    TimeNs deadline_ns = kNever;    ///< of the bootstrap, after ready of the operation under way
    std::uint64_t slice_bytes = 0;  ///< of the gather under way
    std::uint64_t tag = 0;          ///< of the send or receive under way
    Error error;
    std::array<Dial, kDials> dials{};
    std::array<TimeNs, kDoors> door_due_ns{kNever, kNever, kNever, kNever};  ///< its opening and the patience
    std::uint32_t out_open = 0;                                              ///< bit k: chord_out(k) is admitted
    std::uint32_t in_open = 0;                                               ///< bit k: chord_in(k) is admitted
    std::uint32_t gone_out = 0;   ///< bit k: the peer of chord_out(k) said bye
    std::uint32_t gone_in = 0;    ///< bit k: the peer of chord_in(k) said bye
    std::uint32_t served = 0;     ///< bit k: what chord_in(k) waits for in this operation is out
    std::uint32_t heard = 0;      ///< bit k: the window of round k arrived on chord_out(k), perhaps rounds ahead
    std::uint32_t operation = 0;  ///< number of the collective under way or last done; 0 is the table
    std::uint32_t window = 0;     ///< slices known, counted upwards from my own
    std::uint32_t from_prev = 0;  ///< ring gathers: slices (and lengths) arrived from the predecessor
    std::uint32_t from_next = 0;
    std::uint32_t turn = 0;        ///< ring gathers: turns completed
    std::uint32_t strangers = 0;   ///< connections dropped because they could not prove themselves
    std::uint32_t accepted = 0;    ///< connections taken at the doors, strangers included
    std::uint32_t peer = kNoRank;  ///< of the broadcast, send or receive under way
    std::uint32_t spoken = 0;      ///< bit k: a frame came on chord_out(k), so the other end has admitted me
    std::uint32_t mails = 0;       ///< messages sent, for their sequence numbers
    std::uint32_t early = 0;       ///< bit k: the next operation's token came early on chord_out(k)
    std::uint16_t flags = 0;       ///< RankState::Flag
    Phase phase = Phase::created;
    OperationKind doing = OperationKind::none;
    Gather algorithm = Gather::automatic;  ///< of the gather under way
    std::uint8_t listeners = 0;            ///< bit per bound Listener
    std::uint8_t callback_doors = 0;       ///< bit per door: it belongs to the callback listener
    std::uint8_t farewell = 0;             ///< links already told of the end
    std::array<Door, kDoors> doors{};
};

class Rank {
public:
    Rank() = default;
    explicit Rank(RankConfig const& config) noexcept : config_(&config) {}

    /// The one entry point. See the contract in protocol/seam.hpp.
    void step(Event const& event, Actions& actions) noexcept;
    /// Earliest time at which this machine wants a `timer` event; kNever when it only waits for the world.
    [[nodiscard]] TimeNs deadline() const noexcept;
    /// What to do with a frame whose header has arrived on `link`. Pure; ask again after every step while it says hold.
    [[nodiscard]] Reception reception(Link link, Frame const& frame) const noexcept;

    /// For simulators that compute an undisturbed gather around the ring as a whole: moves to where all of its frames
    /// but one have come and gone, and returns that one, the last slice from the predecessor. Feeding it completes
    /// the gather. Only while a gather around the ring is under way, and none of its frames was fed (checked).
    [[nodiscard]] Frame skip_to_last_slice() noexcept;

    /// For explorers: as if everything so far had happened `elapsed_ns` earlier. A machine looks only at differences
    /// between its times and `now`, so two states that differ by nothing but their age become equal bytes.
    void set_back(TimeNs elapsed_ns) noexcept;

    [[nodiscard]] Phase phase() const noexcept { return state_.phase; }
    [[nodiscard]] bool finished() const noexcept {
        return state_.phase == Phase::failed || state_.phase == Phase::closed;
    }
    [[nodiscard]] Error const& error() const noexcept { return state_.error; }
    [[nodiscard]] RankState const& state() const noexcept { return state_; }
    [[nodiscard]] RankConfig const& config() const noexcept { return *config_; }

private:
    friend class RankStep;
    RankConfig const* config_ = nullptr;
    RankState state_;
};

static_assert(std::has_unique_object_representations_v<RankState>);
static_assert(std::is_trivially_copyable_v<Rank> && sizeof(Rank) <= 256);

}  // namespace ronde::protocol
