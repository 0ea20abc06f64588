/// Where a rank program runs: what a Communicator asks of whatever drives its rank, and of whatever runs its function.
///
/// A verb is the same everywhere: begin it at a RankPort, wait for a Milestone, look at how it ended. What differs is
/// who moves the bytes (sockets, or a pretended network) and who runs meanwhile:
///
///     place                     port                     waiting
///     the caller's own thread   NetPort, over epoll      OwnLoop: runs the loop until it is so
///     fibers in one process     NetPort                  parks the fiber; one loop turns for all
///     the pretend world         of sim/programs          parks the fiber; the world goes on
#pragma once

#include "protocol/rank.hpp"

#include <ronde/communicator.hpp>

#include <memory>
#include <span>

namespace ronde {

/// What a program may wait for. The end of its machine ends every wait.
enum class Milestone : std::uint8_t { ready, idle, finished };

/// One rank's machine, wherever it is driven. One thread, except for abort().
class RankPort {
public:
    RankPort() = default;
    RankPort(RankPort const&) = delete;
    RankPort& operator=(RankPort const&) = delete;
    RankPort(RankPort&&) = delete;
    RankPort& operator=(RankPort&&) = delete;
    /// Cuts what still stands, as if the process had died.
    virtual ~RankPort() = default;

    /// Begins a verb. Only when idle() after ready. `buffer` stays valid until idle(), finished() or abandon().
    virtual void operate(protocol::Operation const& operation, std::span<std::byte> buffer) = 0;
    /// The same for a send, whose buffer is only read.
    virtual void send(protocol::Operation const& operation, std::span<const std::byte> message) = 0;
    /// Leaves in order; finished() follows.
    virtual void close() = 0;
    /// Gives up; finished() follows. From any thread: it only leaves word.
    virtual void abort() noexcept = 0;
    /// Ends without a word, and has let go of every buffer when it returns: their memory is about to be gone.
    virtual void abandon() noexcept = 0;

    [[nodiscard]] virtual bool was_ready() const noexcept = 0;
    [[nodiscard]] virtual bool idle() const noexcept = 0;
    [[nodiscard]] virtual bool finished() const noexcept = 0;
    [[nodiscard]] bool reached(Milestone milestone) const noexcept {
        if (finished())
            return true;
        return milestone == Milestone::ready ? was_ready() : milestone == Milestone::idle && idle();
    }

    [[nodiscard]] virtual protocol::Rank const& machine() const noexcept = 0;
    /// N entries, complete from was_ready() on; valid as long as the port.
    [[nodiscard]] virtual std::span<const Entry> table() const = 0;
    [[nodiscard]] virtual protocol::Verdict verdict() const = 0;
    [[nodiscard]] virtual CommunicatorStatistics statistics() const = 0;
};

/// How the function that calls a verb waits for its end.
class Waiting {
public:
    Waiting() = default;
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;
    Waiting(Waiting&&) = delete;
    Waiting& operator=(Waiting&&) = delete;
    virtual ~Waiting() = default;

    /// Before a verb. False when another verb of the same communicator is under way.
    [[nodiscard]] virtual bool enter() noexcept { return true; }
    /// Returns when `port` has reached `milestone`. Leaves by an exception when the function itself is to end.
    virtual void until(RankPort& port, Milestone milestone) = 0;
    /// After a verb, and after the wait for the ring, which is entered from birth.
    virtual void leave(RankPort&) {}
    /// From any thread.
    virtual void abort(RankPort& port) noexcept { port.abort(); }
    /// The function is being unwound: no verb may wait any more.
    [[nodiscard]] virtual bool being_cancelled() const noexcept { return false; }
};

/// All that join() needs. The port is destroyed before what it waits with.
struct Joining {
    RankId rank = 0;
    std::uint32_t nranks = 1;
    protocol::TimeNs operation_budget_ns = protocol::kNever;
    AbortSwitch const* abort_switch = nullptr;
    std::unique_ptr<Waiting> waiting;
    std::unique_ptr<RankPort> port;  ///< started
};

/// Waits until the ring stands, and makes the communicator of it.
[[nodiscard]] tl::expected<Communicator, Failed> join(Joining&& joining);

/// What a program that waits at this machine waits for: "recv from rank 3, tag 7", "connect (gathering)", "close".
[[nodiscard]] std::string verb_under_way(protocol::Rank const& machine);

/// What was not given a limit has none.
[[nodiscard]] constexpr protocol::TimeNs budget_ns(std::chrono::nanoseconds deadline) {
    return deadline <= std::chrono::nanoseconds::zero() ? protocol::kNever
                                                        : static_cast<protocol::TimeNs>(deadline.count());
}

}  // namespace ronde
