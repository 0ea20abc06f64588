#include "launch/local.hpp"

#include "launch/clock.hpp"
#include "launch/local_child.hpp"
#include "net/os_failure.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <unordered_map>

namespace ronde::launch {

using protocol::TimeNs;

namespace {

/// Room for some hundred records on their way, where the user may have it.
constexpr int kPipeBytes = 1 << 20;

std::int64_t ns_of(timeval const& time) {
    return std::int64_t{time.tv_sec} * protocol::kSecondNs + std::int64_t{time.tv_usec} * protocol::kMicrosecondNs;
}

ChildEnd end_from(int status, rusage const& usage) {
    ChildEnd end;
    if (WIFEXITED(status))
        end.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    end.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
    constexpr std::uint64_t kKibibyte = 1024;
    end.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
    end.ended_ns = monotonic_ns();
    return end;
}

std::string fault_of(LocalOptions const& options) {
    if (options.count == 0 || options.count > protocol::kMaxRanks) {
        return fmt::format("{} processes asked for, expected 1 to {}", options.count, protocol::kMaxRanks);
    }
    bool const has_body = static_cast<bool>(options.body);
    if (has_body == !options.program.empty())
        return "give either a function or a program to run";
    return {};
}

}  // namespace

std::string describe(ChildEnd const& end) {
    if (end.exec_error != 0)
        return fmt::format("cannot be started: {}", net::describe_errno(end.exec_error));
    if (end.signal != 0) {
        char const* const name = ::sigabbrev_np(end.signal);
        return name == nullptr ? fmt::format("killed by signal {}", end.signal) : fmt::format("killed by SIG{}", name);
    }
    if (end.exit_status >= 0)
        return fmt::format("exit status {}", end.exit_status);
    return "ended, but other code of this process took its exit status";
}

struct LocalJob::State {
    struct Slot {
        pid_t process_id = 0;
        int exec_error = 0;
        std::optional<ChildEnd> end;
    };

    std::vector<Slot> slots;
    std::unordered_map<pid_t, std::uint32_t> rank_of;  ///< running children
    net::Fd results;
    net::Fd signals;
    net::Fd epoll;
    sigset_t signals_read{};
    sigset_t old_mask{};
    struct sigaction old_child_action {};
    bool mask_changed = false;
    TimeNs gate_opened_ns = 0;

    State() = default;
    State(State const&) = delete;
    State(State&&) = delete;
    State& operator=(State const&) = delete;
    State& operator=(State&&) = delete;
    ~State();

    [[nodiscard]] int watch_signals(bool forward);
    [[nodiscard]] int open_descriptors(net::Fd& results_end);
    [[nodiscard]] std::string fork_all(LocalOptions const& options);

    void kill_all(int signal) noexcept;
    void read_signals(std::vector<LocalEvent>& events);
    [[nodiscard]] std::vector<std::uint32_t> reap();
    void reap_by_scan(std::vector<std::uint32_t>& ended);
    void bury(std::uint32_t rank, ChildEnd const& end, std::vector<std::uint32_t>& ended);
    void read_results(std::vector<LocalEvent>& events);
};

LocalJob::State::~State() {
    kill_all(SIGKILL);
    for (auto const& [process_id, rank] : rank_of) {
        while (::waitpid(process_id, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (!mask_changed)
        return;
    ::sigaction(SIGCHLD, &old_child_action, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
}

/// Returns 0 or errno, as do the next ones.
int LocalJob::State::watch_signals(bool forward) {
    ::sigemptyset(&signals_read);
    ::sigaddset(&signals_read, SIGCHLD);
    if (forward) {
        for (int const signal : {SIGINT, SIGTERM, SIGHUP})
            ::sigaddset(&signals_read, signal);
    }
    if (int const fault = ::pthread_sigmask(SIG_BLOCK, &signals_read, &old_mask); fault != 0)
        return fault;
    mask_changed = true;
    // Under SIG_IGN the kernel would throw the children's exit statuses away.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    if (::sigaction(SIGCHLD, &standard, &old_child_action) != 0)
        return errno;
    signals.reset(::signalfd(-1, &signals_read, SFD_NONBLOCK | SFD_CLOEXEC));
    return signals ? 0 : errno;
}

int LocalJob::State::open_descriptors(net::Fd& results_end) {
    int ends[2] = {-1, -1};
    // O_DIRECT: one read(2) returns one packet, whatever its length.
    if (::pipe2(ends, O_CLOEXEC | O_DIRECT) != 0)
        return errno;
    results.reset(ends[0]);
    results_end.reset(ends[1]);
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK | O_DIRECT) != 0)
        return errno;
    ::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);

    epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll)
        return errno;
    for (int const fd : {results.get(), signals.get()}) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0)
            return errno;
    }
    return 0;
}

std::string LocalJob::State::fork_all(LocalOptions const& options) {
    net::Fd results_end;
    int gate[2] = {-1, -1};
    int fault = watch_signals(options.forward_signals);
    if (fault == 0)
        fault = open_descriptors(results_end);
    if (fault == 0 && ::pipe2(gate, O_CLOEXEC) != 0)
        fault = errno;
    if (fault != 0)
        return fmt::format("cannot prepare to start {} processes: {}", options.count, net::describe_errno(fault));
    net::Fd const gate_read(gate[0]);
    net::Fd gate_write(gate[1]);

    // What stands in a buffer would be written by every child once more.
    std::cout.flush();
    std::fflush(nullptr);
    Birth const birth{options, ::getpid(), gate_read.get(), results_end.get(), old_mask};
    slots.resize(options.count);
    for (std::uint32_t rank = 0; rank < options.count; ++rank) {
        pid_t const child = ::fork();
        if (child == 0)
            ChildStart::run(birth, rank);
        if (child < 0) {
            int const os_error = errno;
            // The gate opens when this function is left; nobody may walk through.
            kill_all(SIGKILL);
            return fmt::format(
                "cannot start process {} of {}: {}: raise the limit on processes (ulimit -u) or start fewer", rank + 1,
                options.count, net::describe_errno(os_error));
        }
        slots[rank].process_id = child;
        rank_of.emplace(child, rank);
    }
    gate_opened_ns = monotonic_ns();
    gate_write.reset();
    return {};
}

void LocalJob::State::kill_all(int signal) noexcept {
    for (auto const& [process_id, rank] : rank_of)
        ::kill(process_id, signal);
}

void LocalJob::State::read_signals(std::vector<LocalEvent>& events) {
    signalfd_siginfo info{};
    while (::read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        int const signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGCHLD)
            continue;
        // A terminal sends to its whole foreground group, children included.
        if (info.ssi_code != SI_KERNEL)
            kill_all(signal);
        LocalEvent event;
        event.kind = LocalEvent::Kind::signal;
        event.signal = signal;
        events.push_back(std::move(event));
    }
}

void LocalJob::State::bury(std::uint32_t rank, ChildEnd const& end, std::vector<std::uint32_t>& ended) {
    Slot& slot = slots[rank];
    rank_of.erase(slot.process_id);
    slot.process_id = 0;
    slot.end = end;
    ended.push_back(rank);
}

std::vector<std::uint32_t> LocalJob::State::reap() {
    std::vector<std::uint32_t> ended;
    while (!rank_of.empty()) {
        // A look without taking: the process may have other children, whose statuses belong to somebody else.
        siginfo_t info{};
        if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
            if (errno == EINTR)
                continue;
            reap_by_scan(ended);
            break;
        }
        if (info.si_pid == 0)
            break;
        auto const found = rank_of.find(info.si_pid);
        if (found == rank_of.end()) {
            // It stands in the way of the next look, too.
            reap_by_scan(ended);
            break;
        }
        std::uint32_t const rank = found->second;
        int status = 0;
        rusage usage{};
        if (::wait4(info.si_pid, &status, WNOHANG, &usage) == info.si_pid)
            bury(rank, end_from(status, usage), ended);
    }
    return ended;
}

void LocalJob::State::reap_by_scan(std::vector<std::uint32_t>& ended) {
    for (std::uint32_t rank = 0; rank < slots.size(); ++rank) {
        pid_t const process_id = slots[rank].process_id;
        if (process_id == 0)
            continue;
        int status = 0;
        rusage usage{};
        pid_t const answer = ::wait4(process_id, &status, WNOHANG, &usage);
        if (answer == process_id) {
            bury(rank, end_from(status, usage), ended);
        } else if (answer < 0 && errno == ECHILD) {
            ChildEnd lost;
            lost.ended_ns = monotonic_ns();
            bury(rank, lost, ended);
        }
    }
}

void LocalJob::State::read_results(std::vector<LocalEvent>& events) {
    std::array<std::byte, kPacketBytes> packet;
    for (;;) {
        ssize_t const got = ::read(results.get(), packet.data(), packet.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        if (got == 0) {
            // Every writer has ended or become another program; an open end would be reported as ready for ever.
            ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, results.get(), nullptr);
            results.reset();
            break;
        }
        if (got < static_cast<ssize_t>(sizeof(PacketHeader)))
            continue;
        PacketHeader header;
        std::memcpy(&header, packet.data(), sizeof header);
        std::span const record =
            std::span(packet).subspan(sizeof header, static_cast<std::size_t>(got) - sizeof header);
        if (header.rank >= slots.size())
            continue;
        if (header.kind == PacketHeader::exec_failed) {
            std::memcpy(&slots[header.rank].exec_error, record.data(), std::min(record.size(), sizeof(int)));
            continue;
        }
        LocalEvent event;
        event.kind = LocalEvent::Kind::record;
        event.rank = header.rank;
        event.record.assign(record.begin(), record.end());
        events.push_back(std::move(event));
    }
}

tl::expected<LocalJob, std::string> LocalJob::start(LocalOptions const& options) {
    if (std::string fault = fault_of(options); !fault.empty())
        return tl::unexpected(std::move(fault));
    auto state = std::make_unique<State>();
    if (std::string fault = state->fork_all(options); !fault.empty())
        return tl::unexpected(std::move(fault));
    return LocalJob(std::move(state));
}

LocalJob::LocalJob(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
LocalJob::LocalJob(LocalJob&&) noexcept = default;
LocalJob& LocalJob::operator=(LocalJob&&) noexcept = default;
LocalJob::~LocalJob() = default;

TimeNs LocalJob::gate_opened_ns() const noexcept { return state_->gate_opened_ns; }
int LocalJob::poll_fd() const noexcept { return state_->epoll.get(); }

std::vector<LocalEvent> LocalJob::handle_ready() {
    std::vector<LocalEvent> events;
    state_->read_signals(events);
    // First who has ended, then the records: what a child wrote before its end is in the pipe by then.
    std::vector<std::uint32_t> const ended = state_->reap();
    if (state_->results)
        state_->read_results(events);
    for (std::uint32_t const rank : ended) {
        State::Slot& slot = state_->slots[rank];
        slot.end->exec_error = slot.exec_error;
        LocalEvent event;
        event.kind = LocalEvent::Kind::ended;
        event.rank = rank;
        event.end = *slot.end;
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<LocalEvent> LocalJob::wait(TimeNs budget_ns) {
    TimeNs const deadline_ns = deadline_in(budget_ns);
    for (;;) {
        std::vector<LocalEvent> events = handle_ready();
        if (!events.empty() || running() == 0 || monotonic_ns() >= deadline_ns)
            return events;
        pollfd item{poll_fd(), POLLIN, 0};
        ::poll(&item, 1, poll_timeout_ms(deadline_ns));
    }
}

std::uint32_t LocalJob::count() const noexcept { return static_cast<std::uint32_t>(state_->slots.size()); }
std::uint32_t LocalJob::running() const noexcept { return static_cast<std::uint32_t>(state_->rank_of.size()); }
int LocalJob::process_id(std::uint32_t rank) const noexcept { return state_->slots[rank].process_id; }
std::optional<ChildEnd> LocalJob::end_of(std::uint32_t rank) const { return state_->slots[rank].end; }

bool LocalJob::kill(std::uint32_t rank, int signal) noexcept {
    pid_t const process_id = state_->slots[rank].process_id;
    return process_id > 0 && ::kill(process_id, signal) == 0;
}

void LocalJob::kill_all(int signal) noexcept { state_->kill_all(signal); }

}  // namespace ronde::launch
