#include "bare_star.hpp"

#include "launch/local.hpp"
#include "net/fd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): more than C has
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace ronde::bench {
namespace {

constexpr std::size_t kEntryBytes = 64;

std::int64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool write_all(int fd, std::byte const* data, std::size_t bytes) {
    while (bytes > 0) {
        ssize_t const n = ::send(fd, data, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool read_all(int fd, std::byte* data, std::size_t bytes) {
    while (bytes > 0) {
        ssize_t const n = ::recv(fd, data, bytes, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

void no_delay(int fd) {
    int const on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// sockaddr's own way of being two types at once.
template <class To, class From>
To* address_as(From* from) {
    return static_cast<To*>(static_cast<void*>(from));
}

int run_leaf(launch::Child const& child, sockaddr_in center) {
    int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::connect(fd, address_as<sockaddr>(&center), sizeof center) != 0)
        return 1;
    no_delay(fd);
    std::array<std::byte, kEntryBytes> mine{};
    std::vector<std::byte> table(std::size_t{child.count()} * kEntryBytes);
    if (!write_all(fd, mine.data(), mine.size()) || !read_all(fd, table.data(), table.size()))
        return 1;
    std::int64_t const held_ns = now_ns();
    return child.send(std::as_bytes(std::span(&held_ns, 1))) ? 0 : 1;
}

/// The center: takes everyone in, then serves everyone.
bool run_center(int listener, std::uint32_t ranks) {
    net::Fd const epoll(::epoll_create1(EPOLL_CLOEXEC));
    std::vector<net::Fd> leaves;
    std::vector<std::byte> table(std::size_t{ranks} * kEntryBytes);
    leaves.reserve(ranks);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = ranks;
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, listener, &event) != 0)
        return false;
    std::uint32_t heard = 0;
    std::array<epoll_event, 256> events{};
    while (heard < ranks) {
        int const count = ::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), 10'000);
        if (count <= 0)
            return false;
        for (int i = 0; i < count; ++i) {
            std::uint32_t const who = events[static_cast<std::size_t>(i)].data.u32;
            if (who < ranks) {
                std::byte* const place = table.data() + std::size_t{who} * kEntryBytes;
                if (!read_all(leaves[who].get(), place, kEntryBytes))
                    return false;
                ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, leaves[who].get(), nullptr);
                ++heard;
                continue;
            }
            for (;;) {
                int const fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
                if (fd < 0)
                    break;
                no_delay(fd);
                event.data.u32 = static_cast<std::uint32_t>(leaves.size());
                leaves.emplace_back(fd);
                if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0)
                    return false;
            }
        }
    }
    return std::all_of(leaves.begin(), leaves.end(),
                       [&](net::Fd const& leaf) { return write_all(leaf.get(), table.data(), table.size()); });
}

}  // namespace

tl::expected<std::int64_t, std::string> bare_star_ns(std::uint32_t ranks) {
    net::Fd const listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in center{};
    center.sin_family = AF_INET;
    center.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof center;
    if (::bind(listener.get(), address_as<sockaddr>(&center), length) != 0 || ::listen(listener.get(), 65'535) != 0 ||
        ::getsockname(listener.get(), address_as<sockaddr>(&center), &length) != 0)
        return tl::unexpected(std::string("bare star: cannot listen: ") + std::strerror(errno));
    launch::LocalOptions options;
    options.count = ranks;
    options.body = [&](launch::Child const& child) { return run_leaf(child, center); };
    auto job = launch::LocalJob::start(options);
    if (!job)
        return tl::unexpected(job.error());
    std::int64_t const begin_ns = job->gate_opened_ns();
    if (!run_center(listener.get(), ranks))
        return tl::unexpected(std::string("bare star: the center lost a leaf"));
    std::int64_t last_ns = begin_ns;
    while (job->running() > 0) {
        auto const events = job->wait(10'000'000'000);
        if (events.empty())
            return tl::unexpected(std::string("bare star: a leaf does not end"));
        for (launch::LocalEvent const& happened : events) {
            if (happened.kind == launch::LocalEvent::Kind::ended && !happened.end.ok())
                return tl::unexpected("bare star: " + launch::describe(happened.end));
            if (happened.kind != launch::LocalEvent::Kind::record)
                continue;
            std::int64_t held_ns = 0;
            std::memcpy(&held_ns, happened.record.data(), sizeof held_ns);
            last_ns = std::max(last_ns, held_ns);
        }
    }
    return last_ns - begin_ns;
}

}  // namespace ronde::bench
