/// The communicator: the ring as a program sees it. Blocking verbs on the caller's own thread, no hidden threads.
///
///     auto communicator = ronde::Communicator::connect(id, rank, nranks);
///     if (!communicator) { std::cerr << communicator.error().message() << '\n'; return 1; }
///     communicator->all_gather(whole, slice_bytes);
///
/// Every call ends: with success, or with an error that names the cause, no later than its deadline. After an error
/// the communicator has ended: all others that could be reached know why, and later calls return the same error.
#pragma once

#include "protocol/entry.hpp"
#include "protocol/error.hpp"
#include "protocol/units.hpp"

#include <ronde/unique_id.hpp>

#include <tl/expected.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace ronde::protocol {
struct Policies;
}

namespace ronde {

using protocol::Entry;
using protocol::Phase;
using protocol::RankId;

/// How something ended badly: the cause as a value and as text.
struct Failed {
    protocol::Verdict verdict;
    std::string text;  ///< one line; replaces the verdict's own when not empty

    /// One line: what happened, where, about whom.
    [[nodiscard]] std::string message() const;
    /// One line: what to do about it.
    [[nodiscard]] std::string remedy() const;
    [[nodiscard]] protocol::Code code() const noexcept { return verdict.error.code; }
};

using Outcome = tl::expected<void, Failed>;

/// Stops communicators from any thread, also while `connect` is still under way. Copies are the same switch.
/// Pressed once, it stays so: whatever is attached later ends at once.
class AbortSwitch {
public:
    AbortSwitch();
    /// Ends every attached communicator: its running verb returns within 100 ms with `aborted`, whatever its phase, and
    /// the others that can be reached are told. Thread-safe; may be called from callbacks, not from signal handlers.
    void press() noexcept;
    [[nodiscard]] bool pressed() const noexcept;

private:
    friend class Communicator;
    struct State;
    std::shared_ptr<State> state_;
};

/// Where a start stands, for people who wait.
struct Progress {
    Phase phase = Phase::created;  ///< of this rank
    bool hosts_root = false;       ///< the fields below are known only where a root is
    std::uint32_t checked_in = 0;  ///< over all roots of this process
    std::uint32_t expected = 0;
    protocol::Verdict missing;  ///< ranks that have not checked in, as ranges, of the first incomplete root
};

struct CommunicatorOptions {
    /// `ronde`, `nccl` or `article`. All ranks of a job must say the same.
    std::string profile = "ronde";
    /// Single choices instead of a profile; copied, automatic ones are resolved.
    protocol::Policies const* policies = nullptr;
    /// For the whole start, from the call of `connect` on.
    std::chrono::nanoseconds deadline = std::chrono::seconds(30);
    /// For each verb; zero: no limit.
    std::chrono::nanoseconds operation_deadline = std::chrono::nanoseconds::zero();
    /// Interface that this rank listens on, grammar of NCCL_SOCKET_IFNAME; empty: the environment's, or the one that
    /// leads to the root.
    std::string interface;
    std::string family;            ///< AF_INET, AF_INET6 or empty
    std::uint16_t first_port = 0;  ///< listen on a port of first_port..last_port; 0: the kernel chooses
    std::uint16_t last_port = 0;
    /// Identifies the device this rank drives; two ranks of one host must not name the same.
    std::uint64_t device_id = protocol::kNoDevice;
    /// The roots that this process hosts, or null. Their listeners are taken; `connect` returns when they have
    /// finished, so that nobody is left without an answer.
    RootHost* root = nullptr;
    /// Folder for flight recordings; empty: none.
    std::string record_directory;
    /// > 0: at most so many bytes per read and write. For tests.
    std::size_t max_io_bytes = 0;
    /// Bound on messages kept for receives that were not called yet.
    std::uint64_t mailbox_bytes = std::uint64_t{64} << 20;
    /// Called on the thread that is in `connect`, whenever something changed. Must not block.
    std::function<void(Progress const&)> on_progress;
    /// Attached from the beginning of `connect` on, besides the communicator's own abort().
    AbortSwitch const* abort_switch = nullptr;
};

/// What was counted since `connect` began; times on the monotonic clock.
struct CommunicatorStatistics {
    std::uint64_t frames_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t connects = 0;  ///< connections tried
    std::uint64_t accepts = 0;
    std::uint64_t unanswered = 0;  ///< connections that stood but were never answered
    std::uint64_t strangers = 0;   ///< connections of others that were turned away
    std::uint64_t retries = 0;     ///< connections that failed and were tried again
    std::int64_t started_ns = 0;
    std::int64_t table_ns = 0;                                           ///< when the table was complete; 0: never
    std::array<std::int64_t, protocol::kPhaseCount> phase_entered_ns{};  ///< 0: never
    std::string recording_trouble;  ///< why recording stopped ("…: No space left on device"), or empty
};

struct Joining;

/// One rank's place in the ring. Movable. One thread at a time, except for abort().
class Communicator {
public:
    /// Joins the job. Returns when the ring stands and the table is complete, or with the reason why not.
    [[nodiscard]] static tl::expected<Communicator, Failed>
    connect(UniqueId const& id, RankId rank, std::uint32_t nranks, CommunicatorOptions const& options = {});
    Communicator(Communicator&&) noexcept;
    Communicator& operator=(Communicator&&) noexcept;
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;
    /// Without close() before, the others see this rank as lost.
    ~Communicator();

    [[nodiscard]] RankId rank() const noexcept;
    [[nodiscard]] std::uint32_t nranks() const noexcept;
    /// All entries, by rank. Valid as long as this object.
    [[nodiscard]] std::span<const Entry> table() const noexcept;

    /// In place: `whole` holds nranks slices, mine is filled in; afterwards all are. Same `slice_bytes` everywhere.
    Outcome all_gather(std::span<std::byte> whole, std::size_t slice_bytes);
    /// Returns when all ranks have called it.
    Outcome barrier();
    /// The source's `buffer` is copied to everyone's. Same size everywhere.
    Outcome broadcast(std::span<std::byte> buffer, RankId source);
    /// Returns when the message was handed to the transport. Messages of one (sender, tag) arrive in order.
    Outcome send(RankId peer, std::uint64_t tag, std::span<const std::byte> message);
    /// Waits for the next message of (peer, tag), whose size must be the buffer's. Messages that arrive before are
    /// kept.
    Outcome recv(RankId peer, std::uint64_t tag, std::span<std::byte> buffer);

    /// From any thread, at any time; see AbortSwitch::press.
    void abort() noexcept;
    /// Leaves in order. Everyone who still needs this rank hears that it left.
    Outcome close();

    [[nodiscard]] CommunicatorStatistics statistics() const;

private:
    friend class AbortSwitch;
    friend tl::expected<Communicator, Failed> join(Joining&& joining);
    struct State;
    explicit Communicator(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

}  // namespace ronde
