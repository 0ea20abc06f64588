/// Starts the ranks of a job as processes of this host and looks after them.
///
/// Needs one descriptor for each of: result pipe, signals, epoll; not one for each child. The parent goes on with its
/// own work: poll_fd() becomes readable when there is something to do, and handle_ready() does it without waiting.
#pragma once

#include "net/fd.hpp"
#include "protocol/units.hpp"

#include <tl/expected.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ronde::launch {

/// What a forked child is given.
class Child {
public:
    /// Longest record that travels in one piece (PIPE_BUF less a header).
    static constexpr std::size_t kMaxRecordBytes = 4088;

    [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    /// Hands a record to the parent, whole. Waits while the parent is behind. False when the parent is gone or
    /// the record is too long.
    bool send(std::span<const std::byte> record) const noexcept;

private:
    friend class ChildStart;
    std::uint32_t rank_ = 0;
    std::uint32_t count_ = 0;
    int results_ = -1;
};

struct LocalOptions {
    std::uint32_t count = 1;

    /// Either a function that runs in a forked child (no exec); its return value is the exit status …
    std::function<int(Child const&)> body;
    /// … or a program and its arguments, looked up in PATH. Exactly one of the two.
    std::vector<std::string> program;

    /// Program only: set (or unset, with nullopt) on top of the inherited environment. RONDE_RANK, RONDE_WORLD_SIZE,
    /// RONDE_LOCAL_RANK and RONDE_LOCAL_SIZE are set for each child.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;

    /// Descriptors that children keep besides 0, 1 and 2; all others are closed in them.
    std::vector<int> keep;
    /// … and those that only rank 0 keeps, such as root listeners.
    std::vector<int> keep_in_rank0;

    /// SIGINT, SIGTERM, SIGHUP sent to this process go to the children, and come back as an event.
    /// (What the terminal sends reaches the children by itself.)
    bool forward_signals = true;
};

/// How a child ended and what it used.
struct ChildEnd {
    int exit_status = -1;              ///< exit status, or -1 when a signal ended it
    int signal = 0;                    ///< the signal that ended it, or 0
    int exec_error = 0;                ///< errno: the program could not be started
    std::int64_t cpu_ns = 0;           ///< user and system time
    std::uint64_t peak_rss_bytes = 0;  ///< without exec this starts at what was shared with the parent
    protocol::TimeNs ended_ns = 0;     ///< CLOCK_MONOTONIC, when it was noticed

    [[nodiscard]] bool ok() const noexcept { return exit_status == 0; }
};
/// "exit status 3", "killed by SIGKILL", "cannot start prog: No such file or directory (ENOENT)".
[[nodiscard]] std::string describe(ChildEnd const& end);

/// Something that happened. Records of a child come before its end.
struct LocalEvent {
    enum class Kind : std::uint8_t { record, ended, signal };
    Kind kind = Kind::record;
    std::uint32_t rank = 0;         ///< record, ended
    int signal = 0;                 ///< signal: one that this process received and passed on
    std::vector<std::byte> record;  ///< record
    ChildEnd end;                   ///< ended
};

/// A running job. Not thread-safe; make it before other threads exist: SIGCHLD (and the signals to forward) are blocked
/// in the calling thread for as long as it lives, and a thread that does not block them would swallow them. Children
/// die (SIGKILL) with the thread that started them and with this object.
class LocalJob {
public:
    /// Forks all children, then opens the gate: none begins before all exist. Errors (one line): no processes left
    /// (EAGAIN; those that were forked are gone again), descriptors, both or neither of body and program.
    [[nodiscard]] static tl::expected<LocalJob, std::string> start(LocalOptions const& options);
    LocalJob(LocalJob&&) noexcept;
    LocalJob& operator=(LocalJob&&) noexcept;
    LocalJob(LocalJob const&) = delete;
    LocalJob& operator=(LocalJob const&) = delete;
    ~LocalJob();  ///< kills and reaps what still runs, restores the signal mask

    /// CLOCK_MONOTONIC when the gate was opened.
    [[nodiscard]] protocol::TimeNs gate_opened_ns() const noexcept;
    /// An epoll descriptor, for any loop of the caller's. To be watched level-triggered: what happens while
    /// handle_ready() is at work may be left for its next call.
    [[nodiscard]] int poll_fd() const noexcept;
    /// Everything that happened since. Never waits.
    [[nodiscard]] std::vector<LocalEvent> handle_ready();
    /// Waits for poll_fd() at most `budget_ns` (kNever: without limit) and handles it; empty when time ran out.
    [[nodiscard]] std::vector<LocalEvent> wait(protocol::TimeNs budget_ns);

    [[nodiscard]] std::uint32_t count() const noexcept;
    [[nodiscard]] std::uint32_t running() const noexcept;
    /// 0 once the child has ended and was reaped.
    [[nodiscard]] int process_id(std::uint32_t rank) const noexcept;
    /// Nothing while it runs.
    [[nodiscard]] std::optional<ChildEnd> end_of(std::uint32_t rank) const;
    /// Sends a signal; false when that child has ended already.
    bool kill(std::uint32_t rank, int signal) noexcept;
    void kill_all(int signal) noexcept;

private:
    struct State;
    explicit LocalJob(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

}  // namespace ronde::launch
