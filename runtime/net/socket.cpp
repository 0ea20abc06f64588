#include "net/socket.hpp"

#include <fmt/format.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <numeric>

namespace ronde::net {

using protocol::Failure;

namespace {

tl::unexpected<OsFailure> failed(OsCall call, int os_error = errno) {
    return tl::unexpected(os_failure(call, os_error));
}

bool set_option(int fd, int level, int name, int value) noexcept {
    return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

tl::expected<Fd, OsFailure> new_socket(Family family) {
    int const domain = family == Family::ipv4 ? AF_INET : family == Family::ipv6 ? AF_INET6 : AF_UNSPEC;
    if (domain == AF_UNSPEC)
        return failed(OsCall::socket, EAFNOSUPPORT);
    Fd fd(::socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd)
        return failed(OsCall::socket);
    return fd;
}

/// One try on one port.
tl::expected<ListeningSocket, OsFailure> listen_once(ListenRequest const& request, std::uint16_t port) {
    auto fd = new_socket(request.at.family);
    if (!fd)
        return tl::unexpected(fd.error());

    // Without IPV6_V6ONLY a wildcard IPv6 listener would also take the port from IPv4.
    if (request.at.family == Family::ipv6 && !set_option(fd->get(), IPPROTO_IPV6, IPV6_V6ONLY, 1)) {
        return failed(OsCall::socket);
    }
    // A port that was asked for by number may have connections of a former job in TIME_WAIT, for a minute.
    // SO_REUSEADDR gets past those; it does not share the port with a living listener, as SO_REUSEPORT would. A
    // port that the kernel chooses is free of such, and the option would only let two of them meet (socket(7)).
    if (port != 0 && !set_option(fd->get(), SOL_SOCKET, SO_REUSEADDR, 1))
        return failed(OsCall::socket);

    Endpoint at = request.wildcard ? wildcard(request.at.family) : request.at;
    at.port = port;
    SocketAddress const address = to_sockaddr(at);
    if (::bind(fd->get(), address.get(), address.length) != 0)
        return failed(OsCall::bind);
    // With SO_REUSEADDR on both sides it is listen(2) and not bind(2) that notices the other listener.
    if (::listen(fd->get(), INT_MAX) != 0)
        return failed(OsCall::bind);

    auto const bound = local_endpoint(fd->get());
    if (!bound)
        return tl::unexpected(bound.error());
    ListeningSocket result;
    result.fd = std::move(*fd);
    result.endpoint = request.at;
    result.endpoint.port = bound->port;
    return result;
}

void set_no_delay(int fd) noexcept {
    // Fails only on sockets that are gone already, and those say so at the next read.
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

}  // namespace

tl::expected<PortRange, std::string> parse_port_range(std::string_view text) {
    if (text.empty())
        return PortRange{};
    auto const refuse = [&] {
        return tl::unexpected(
            fmt::format("'{}' is no port range; expected FIRST-LAST or one port, from 1 to 65535", text));
    };
    PortRange range;
    char const* const end = text.data() + text.size();
    auto const [after_first, first_fault] = std::from_chars(text.data(), end, range.first);
    if (first_fault != std::errc() || range.first == 0)
        return refuse();
    range.last = range.first;
    if (after_first != end) {
        if (*after_first != '-')
            return refuse();
        auto const [after_last, last_fault] = std::from_chars(after_first + 1, end, range.last);
        if (last_fault != std::errc() || after_last != end || range.last < range.first)
            return refuse();
    }
    return range;
}

tl::expected<ListeningSocket, OsFailure> listen_on(ListenRequest const& request) {
    if (request.ports.any())
        return listen_once(request, request.at.port);

    std::uint32_t const count = request.ports.size();
    if (count == 0)
        return failed(OsCall::bind, EINVAL);
    auto const start = static_cast<std::uint32_t>(request.seed % count);
    // A stride without a common divisor visits each port once.
    auto stride = static_cast<std::uint32_t>(1 + (request.seed >> 32) % count);
    while (std::gcd(stride, count) != 1)
        ++stride;

    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t const step = static_cast<std::uint32_t>((start + std::uint64_t{i} * stride) % count);
        auto listener = listen_once(request, static_cast<std::uint16_t>(request.ports.first + step));
        if (listener || listener.error().failure != Failure::address_in_use)
            return listener;
    }
    return failed(OsCall::bind, EADDRINUSE);
}

tl::expected<Connecting, OsFailure> start_connect(Endpoint const& to, Endpoint const* from) {
    // Linux reads a port of 0 as "refused", as if somebody had been asked.
    if (to.port == 0)
        return failed(OsCall::connect, EINVAL);
    auto fd = new_socket(to.family);
    if (!fd)
        return tl::unexpected(fd.error());
    set_no_delay(fd->get());
    if (from != nullptr) {
        SocketAddress const source = to_sockaddr(*from);
        if (::bind(fd->get(), source.get(), source.length) != 0)
            return failed(OsCall::bind);
    }
    SocketAddress const address = to_sockaddr(to);
    Connecting result;
    if (::connect(fd->get(), address.get(), address.length) == 0) {
        result.standing = true;
    } else if (errno != EINPROGRESS && errno != EINTR) {
        // After EINTR the connection goes on in the background, as after EINPROGRESS (connect(2), POSIX).
        return failed(OsCall::connect);
    }
    result.fd = std::move(*fd);
    return result;
}

OsFailure finish_connect(int fd) noexcept {
    int pending = 0;
    socklen_t length = sizeof pending;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &pending, &length) != 0)
        pending = errno;
    if (pending != 0)
        return os_failure(OsCall::connect, pending);
    if (is_self_connection(fd))
        return {Failure::self_connection, 0, OsCall::connect};
    return {Failure::none, 0, OsCall::connect};
}

Accepted accept_one(int listener) noexcept {
    Accepted result;
    SocketAddress peer;
    peer.length = sizeof peer.storage;
    Fd fd(::accept4(listener, peer.get(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    int const os_error = fd ? 0 : errno;
    result.outcome = accept_outcome_of(os_error);
    if (result.outcome == AcceptOutcome::accepted) {
        set_no_delay(fd.get());
        result.peer = from_sockaddr(peer.get(), peer.length);
        result.fd = std::move(fd);
    } else if (result.outcome != AcceptOutcome::again) {
        result.failure = os_failure(OsCall::accept, os_error);
    }
    return result;
}

tl::expected<Endpoint, OsFailure> local_endpoint(int fd) noexcept {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (::getsockname(fd, address.get(), &address.length) != 0)
        return failed(OsCall::socket);
    return from_sockaddr(address.get(), address.length);
}

tl::expected<Endpoint, OsFailure> peer_endpoint(int fd) noexcept {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (::getpeername(fd, address.get(), &address.length) != 0)
        return failed(OsCall::socket);
    return from_sockaddr(address.get(), address.length);
}

bool is_self_connection(int fd) noexcept {
    auto const local = local_endpoint(fd);
    auto const peer = peer_endpoint(fd);
    return local && peer && local->family != Family::none && *local == *peer;
}

tl::expected<Endpoint, OsFailure> route_source(Endpoint const& to) {
    int const domain = to.family == Family::ipv4 ? AF_INET : to.family == Family::ipv6 ? AF_INET6 : AF_UNSPEC;
    if (domain == AF_UNSPEC)
        return failed(OsCall::socket, EAFNOSUPPORT);
    // connect(2) on a datagram socket only looks up the route and remembers it.
    Fd const fd(::socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return failed(OsCall::socket);
    Endpoint target = to;
    if (target.port == 0)
        target.port = 9;
    SocketAddress const address = to_sockaddr(target);
    if (::connect(fd.get(), address.get(), address.length) != 0)
        return failed(OsCall::connect);
    auto source = local_endpoint(fd.get());
    if (source)
        source->port = 0;
    return source;
}

}  // namespace ronde::net
