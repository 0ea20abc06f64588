/// The root's machine: the meeting point of one block of ranks. It is not a rank; it can live in rank 0's
/// process, in a process of its own, or k times.
#pragma once

#include "protocol/partition.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <span>
#include <type_traits>

namespace ronde::protocol {

enum class RootPhase : std::uint8_t {
    created,
    collecting,   ///< waits for check-ins; hands out as the policy says
    handing_out,  ///< everyone is here; successors or tables are on their way
    committing,   ///< waits until every rank reported table and hands
    judging,      ///< tells everyone the verdict
    finished,     ///< done; whoever comes now is told that this id was used
    failed,       ///< done; whoever comes now is told why
};
inline constexpr std::uint32_t kRootPhaseCount = 7;

inline constexpr std::uint32_t kMaxRootDoors = 256;  ///< bound on unproven connections [S6]

struct RootConfig {
    Policies policies;                  ///< `automatic` choices are resolved by the machine once nranks is known
    std::uint32_t expected_nranks = 0;  ///< 0: the first check-in says it
    std::uint32_t nroots = 1;
    std::uint32_t root_index = 0;
    std::uint32_t roots_digest = 0;
    std::uint64_t session = 0;
    std::uint32_t pending_limit = kMaxRootDoors;  ///< unproven connections at once, 1 .. kMaxRootDoors
    std::uint8_t version = kWireVersion;
    /// When nobody's deadline is known yet the root waits without limit, unless this says otherwise.
    TimeNs budget_ns = kNever;
};

/// At the deadline a root that has everyone asks those that are not done whether they are still there [6.6].
enum class RollCall : std::uint8_t { none, calling, called, last_wait };

/// What the root remembers of one check-in. 40 bytes.
struct RootRecord {
    std::uint64_t incarnation = 0;
    std::uint64_t host_id = 0;
    std::uint64_t device_id = kNoDevice;
    TimeNs lost_ns = kNever;  ///< its connection was reset: when it is given up
    std::uint32_t process_id = 0;
    std::uint32_t flags = 0;  ///< RootRecord::Flag
    enum Flag : std::uint32_t {
        kCheckedIn = 1,
        kConnected = 2,
        kServed = 4,
        kDone = 8,
        kTold = 16,
        kPresent = 32,  ///< answered the roll call
    };
};

/// One accepted connection at the root that has not yet checked in.
struct RootDoor {
    enum class State : std::uint8_t { free, silent, challenged, proven };
    TimeNs due_ns = kNever;  ///< its opening and the patience
    RankId proven_rank = kNoRank;
    State state = State::free;
    std::uint8_t reserved[3] = {};
};

/// Memory that the driver lends to a root: records for each expected check-in and an index over
/// devices of a power of two >= 2 * records. Must outlive the root; may be moved by Root::provide.
struct RootRoom {
    std::span<RootRecord> records;
    std::span<std::uint32_t> device_index;

    /// Elements that `device_index` needs for `count` records.
    [[nodiscard]] static constexpr std::uint32_t index_size(std::uint32_t count) {
        return 1U << (log2_ceil(count) + 1U);
    }
};

class Root {
public:
    Root() = default;
    explicit Root(RootConfig const& config) noexcept : config_(&config), policies_(config.policies) {}

    /// Lends memory for records; value-initialised elements beyond those in use. Called before `start`,
    /// or to answer `reserve` (then the same event is fed again).
    void provide(RootRoom room) noexcept { room_ = room; }

    void step(Event const& event, Actions& actions) noexcept;
    [[nodiscard]] TimeNs deadline() const noexcept;
    [[nodiscard]] Reception reception(Link link, Frame const& frame) const noexcept;

    /// For explorers: as if everything so far had happened `elapsed_ns` earlier (see Rank::set_back); the records too.
    void set_back(TimeNs elapsed_ns) noexcept;

    [[nodiscard]] RootPhase phase() const noexcept { return phase_; }
    /// The round is over (for good or bad); the driver may close the listener, or keep it so that late
    /// comers hear a reason instead of silence.
    [[nodiscard]] bool finished() const noexcept {
        return phase_ == RootPhase::finished || phase_ == RootPhase::failed;
    }
    /// How the round ended; code ok while it has not, and when it ended well.
    [[nodiscard]] Verdict const& verdict() const noexcept { return verdict_; }
    /// The payload of every verdict frame that this root sends: verdict(), or to late comers of a round that
    /// ended well, that the id is consumed.
    [[nodiscard]] Verdict notice() const noexcept;
    /// 0 until the first check-in (or the config) says it.
    [[nodiscard]] std::uint32_t nranks() const noexcept { return nranks_; }
    /// Check-ins this root waits for, and those it has, the extra one of the next block included.
    [[nodiscard]] std::uint32_t expected() const noexcept { return expected_; }
    [[nodiscard]] std::uint32_t checked_in() const noexcept { return checked_in_; }
    [[nodiscard]] std::uint32_t done() const noexcept { return done_; }
    /// Connections taken at the doors, strangers included; and strangers.
    [[nodiscard]] std::uint32_t accepted() const noexcept { return accepted_; }
    [[nodiscard]] std::uint32_t strangers() const noexcept { return strangers_; }
    /// Ranks that have not checked in, as ranges; what a progress line or a verdict lists.
    [[nodiscard]] Verdict missing() const noexcept;

private:
    /// Those whose record has none of `flags`.
    [[nodiscard]] Verdict ranks_without(std::uint32_t flags) const noexcept;
    /// All that claim the device of `local_id`.
    [[nodiscard]] Verdict sharers_of(std::uint32_t local_id) const noexcept;
    /// Of those that `is_listed` picks by their record.
    template <class IsListed>
    [[nodiscard]] Verdict listed(IsListed const& is_listed) const noexcept;

    friend class RootStep;
    RootConfig const* config_ = nullptr;
    RootRoom room_;
    TimeNs deadline_ns_ = kNever;     ///< earliest deadline any rank told, less a margin
    TimeNs margin_ns_ = 0;            ///< what deadline_ns_ leaves before that rank gives up by itself
    TimeNs doors_due_ns_ = kNever;    ///< no door is due before this; may be early
    TimeNs next_loss_ns_ = kNever;    ///< earliest RootRecord::lost_ns
    TimeNs sharers_due_ns_ = kNever;  ///< one device was claimed twice: until then others may claim it, too [6.4]
    std::uint32_t nranks_ = 0;
    std::uint32_t expected_ = 0;
    std::uint32_t checked_in_ = 0;
    std::uint32_t done_ = 0;
    std::uint32_t strangers_ = 0;
    std::uint32_t accepted_ = 0;
    std::uint32_t hurried_ = 0;        ///< silent doors in a row that made room for others; stops at a bound
    std::uint32_t sharer_ = kNoRank;   ///< local id of one of those who claim one device
    std::uint32_t cursor_ = 0;         ///< next record of a long answer
    std::uint32_t served_ = 0;         ///< hand-outs done
    RankId reference_rank_ = kNoRank;  ///< whose numbers the others are compared with; kNoRank: the root's own
    std::uint32_t policy_digest_ = 0;
    Policies policies_;                     ///< resolved as soon as nranks is known
    std::array<std::uint32_t, 4> calls_{};  ///< call-back profiles: local ids owed a call, oldest first
    std::uint32_t call_count_ = 0;
    RootPhase phase_ = RootPhase::created;
    bool contested_ = false;  ///< somebody waits behind full doors
    RollCall roll_call_ = RollCall::none;
    [[maybe_unused]] std::uint8_t reserved_ = 0;
    std::uint32_t callback_attempt_ = 0;
    std::uint32_t callback_target_ = kNoRank;
    TimeNs callback_due_ns_ = kNever;
    Verdict verdict_;
    std::array<RootDoor, kMaxRootDoors> doors_{};
};

static_assert(std::has_unique_object_representations_v<Root>);  // explorers compare its bytes
static_assert(std::is_trivially_copyable_v<Root>);

}  // namespace ronde::protocol
