#include "launch/local_child.hpp"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace ronde::launch {

static_assert(kPacketBytes == PIPE_BUF);

namespace {

/// What shells answer for a program that cannot be started.
constexpr int kCannotStart = 127;

/// For kernels before 5.9, which have no close_range(2).
void close_all_but_slowly(std::vector<int> const& kept) {
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr)
        return;
    std::vector<int> open;
    while (dirent const* const item = ::readdir(folder)) {
        int fd = -1;
        char const* const end = item->d_name + std::strlen(item->d_name);
        if (std::from_chars(item->d_name, end, fd).ptr == end && fd != ::dirfd(folder))
            open.push_back(fd);
    }
    ::closedir(folder);
    for (int const fd : open) {
        if (!std::binary_search(kept.begin(), kept.end(), fd))
            ::close(fd);
    }
}

/// `kept` sorted, without duplicates.
void close_all_but(std::vector<int> const& kept) {
    unsigned next = 0;
    for (int const fd : kept) {
        auto const current = static_cast<unsigned>(fd);
        if (current > next && ::close_range(next, current - 1, 0) != 0)
            return close_all_but_slowly(kept);
        next = current + 1;
    }
    if (::close_range(next, UINT_MAX, 0) != 0)
        close_all_but_slowly(kept);
}

void keep_only(Birth const& birth, std::uint32_t rank) {
    LocalOptions const& options = birth.options;
    std::vector<int> kept{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, birth.gate, birth.results};
    kept.insert(kept.end(), options.keep.begin(), options.keep.end());
    if (rank == 0)
        kept.insert(kept.end(), options.keep_in_rank0.begin(), options.keep_in_rank0.end());
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    kept.erase(kept.begin(), std::lower_bound(kept.begin(), kept.end(), 0));
    close_all_but(kept);
}

void wait_at_gate(int gate) {
    char byte = 0;
    while (::read(gate, &byte, 1) < 0 && errno == EINTR) {
    }
    ::close(gate);
}

bool write_packet(int pipe, PacketHeader const& header, std::span<const std::byte> record) noexcept {
    std::array<std::byte, kPacketBytes> packet;
    std::memcpy(packet.data(), &header, sizeof header);
    if (!record.empty())
        std::memcpy(packet.data() + sizeof header, record.data(), record.size());
    std::size_t const bytes = sizeof header + record.size();
    for (;;) {
        ssize_t const written = ::write(pipe, packet.data(), bytes);
        if (written >= 0)
            return static_cast<std::size_t>(written) == bytes;
        if (errno != EINTR)
            return false;
    }
}

void set_environment(LocalOptions const& options, std::uint32_t rank) {
    std::string const rank_text = std::to_string(rank);
    std::string const count_text = std::to_string(options.count);
    for (char const* const name : {"RONDE_RANK", "RONDE_LOCAL_RANK"})
        ::setenv(name, rank_text.c_str(), 1);
    for (char const* const name : {"RONDE_WORLD_SIZE", "RONDE_LOCAL_SIZE"})
        ::setenv(name, count_text.c_str(), 1);
    for (auto const& [name, value] : options.environment) {
        if (value)
            ::setenv(name.c_str(), value->c_str(), 1);
        else
            ::unsetenv(name.c_str());
    }
}

/// One reader is enough for what is typed; the others see an empty input.
void silence_stdin() {
    int const null = ::open("/dev/null", O_RDONLY);
    if (null > STDIN_FILENO) {
        ::dup2(null, STDIN_FILENO);
        ::close(null);
    }
}

void pass_on(std::vector<int> const& descriptors) {
    for (int const fd : descriptors) {
        if (int const flags = ::fcntl(fd, F_GETFD); flags >= 0)
            ::fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
    }
}

[[noreturn]] void become_program(Birth const& birth, std::uint32_t rank) {
    LocalOptions const& options = birth.options;
    if (rank != 0)
        silence_stdin();
    pass_on(options.keep);
    if (rank == 0)
        pass_on(options.keep_in_rank0);
    set_environment(options, rank);
    std::vector<char*> arguments;
    for (std::string const& argument : options.program)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());

    int const os_error = errno;
    // A parent that cannot be told is gone, and takes this process along.
    static_cast<void>(
        write_packet(birth.results, {rank, PacketHeader::exec_failed}, std::as_bytes(std::span(&os_error, 1))));
    ::_exit(kCannotStart);
}

}  // namespace

bool Child::send(std::span<const std::byte> record) const noexcept {
    return record.size() <= kMaxRecordBytes && write_packet(results_, {rank_, PacketHeader::record}, record);
}

void ChildStart::run(Birth const& birth, std::uint32_t rank) noexcept {
    // The signal comes when the parent's thread dies; a parent that died before this line is noticed by the next.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != birth.parent)
        ::_exit(kCannotStart);
    ::pthread_sigmask(SIG_SETMASK, &birth.signal_mask, nullptr);
    keep_only(birth, rank);
    wait_at_gate(birth.gate);
    if (!birth.options.program.empty())
        become_program(birth, rank);

    // A reader that has left shows up as EPIPE, and not as the end of this process.
    ::signal(SIGPIPE, SIG_IGN);
    Child child;
    child.rank_ = rank;
    child.count_ = birth.options.count;
    child.results_ = birth.results;
    int const status = birth.options.body(child);
    std::cout.flush();
    std::fflush(nullptr);
    // Not exit(3): what the parent registered there (files to remove, reports to write) is the parent's to do.
    ::_exit(status & 0xff);
}

}  // namespace ronde::launch
