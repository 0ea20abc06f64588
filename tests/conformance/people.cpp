#include "people.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace ronde::conformance {
namespace {

[[noreturn]] void throw_errno(char const* what) { throw std::system_error(errno, std::generic_category(), what); }

net::Fd make_socket() {
    net::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket)
        throw_errno("socket");
    return socket;
}

sockaddr_in address(std::uint32_t host, std::uint16_t port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = host;
    in.sin_port = htons(port);
    return in;
}

sockaddr const* as_any(sockaddr_in const& in) { return static_cast<sockaddr const*>(static_cast<void const*>(&in)); }
sockaddr* as_any(sockaddr_in& in) { return static_cast<sockaddr*>(static_cast<void*>(&in)); }

std::uint16_t own_port(int socket) {
    sockaddr_in in{};
    socklen_t bytes = sizeof in;
    if (::getsockname(socket, as_any(in), &bytes) != 0)
        throw_errno("getsockname");
    return ntohs(in.sin_port);
}

tcp_info info_of(int socket) {
    tcp_info info{};
    socklen_t bytes = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0)
        throw_errno("TCP_INFO");
    return info;
}

Standing standing_of(int error) {
    switch (error) {
    case ECONNREFUSED: return Standing::refused;
    case ECONNRESET:
    case EPIPE: return Standing::reset;
    case ETIMEDOUT: return Standing::timed_out;
    default: return Standing::other;
    }
}

/// Reads all there is. `ended` is set when the stream is over.
std::size_t read_all_of(int socket, std::optional<Standing>& ended) {
    std::array<std::byte, 4'096> bytes{};
    std::size_t total = 0;
    for (;;) {
        ssize_t const count = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (count > 0) {
            total += static_cast<std::size_t>(count);
            continue;
        }
        if (count == 0)
            ended = Standing::ended;
        else if (errno != EAGAIN && errno != EINTR)
            ended = standing_of(errno);
        return total;
    }
}

}  // namespace

char const* name_of(Standing standing) noexcept {
    switch (standing) {
    case Standing::calling: return "still calling";
    case Standing::connected: return "connected";
    case Standing::refused: return "refused";
    case Standing::reset: return "reset";
    case Standing::timed_out: return "timed out";
    case Standing::ended: return "end of stream";
    case Standing::other: return "another error";
    }
    return "?";
}

Caller::Caller(Wire const& wire, std::uint16_t listener_port, Host home) {
    wire.enter(home);
    socket_ = make_socket();
    sockaddr_in const to = address(Wire::address_of(Host::listener), listener_port);
    if (::connect(socket_.get(), as_any(to), sizeof to) != 0 && errno != EINPROGRESS)
        throw_errno("connect");
    port_ = own_port(socket_.get());
}

tcp_info Caller::info() const { return info_of(socket_.get()); }

void Caller::note_error(int error) {
    if (error != 0 && !ended_)
        ended_ = standing_of(error);
}

Standing Caller::look() {
    if (ended_)
        return *ended_;
    int error = 0;
    socklen_t bytes = sizeof error;
    if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0)
        throw_errno("SO_ERROR");
    note_error(error);
    if (ended_)
        return *ended_;
    return info().tcpi_state == TCP_SYN_SENT ? Standing::calling : Standing::connected;
}

bool Caller::speak_if_connected() {
    if (spoken_ || look() != Standing::connected)
        return false;
    speak();
    return true;
}

void Caller::speak() {
    spoken_ = true;
    std::array<std::byte, kWordBytes> const word{};
    if (::send(socket_.get(), word.data(), word.size(), MSG_NOSIGNAL) < 0)
        note_error(errno);
}

void Caller::shut_down_writing() {
    if (::shutdown(socket_.get(), SHUT_WR) != 0)
        throw_errno("shutdown");
}

void Caller::close() { socket_.reset(); }

void Caller::reset() {
    linger const at_once{1, 0};
    if (::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) != 0)
        throw_errno("SO_LINGER");
    socket_.reset();
}

std::size_t Caller::read() { return read_all_of(socket_.get(), ended_); }

Owner::Owner(Wire const& wire, int backlog) {
    wire.enter(Host::listener);
    socket_ = make_socket();
    sockaddr_in const here = address(Wire::address_of(Host::listener), 0);
    if (::bind(socket_.get(), as_any(here), sizeof here) != 0 || ::listen(socket_.get(), backlog) != 0)
        throw_errno("listen");
    port_ = own_port(socket_.get());
}

void Owner::accept_all() {
    for (;;) {
        sockaddr_in from{};
        socklen_t bytes = sizeof from;
        net::Fd guest(::accept4(socket_.get(), as_any(from), &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!guest)
            break;
        guests_[ntohs(from.sin_port)].socket = std::move(guest);
    }
    read_all();
}

void Owner::read_all() {
    for (auto& [port, guest] : guests_) {
        if (guest.socket && !guest.ended)
            guest.heard_bytes += read_all_of(guest.socket.get(), guest.ended);
    }
}

std::uint32_t Owner::queue_length() const { return info_of(socket_.get()).tcpi_unacked; }

std::size_t Owner::heard_from() const {
    std::size_t count = 0;
    for (auto const& [port, guest] : guests_)
        count += guest.heard_bytes > 0 ? 1U : 0U;
    return count;
}

bool connects_to_itself(Wire const& wire) {
    wire.enter(Host::caller);
    net::Fd const socket = make_socket();
    sockaddr_in here = address(Wire::address_of(Host::caller), 0);
    if (::bind(socket.get(), as_any(here), sizeof here) != 0)
        throw_errno("bind");
    here.sin_port = htons(own_port(socket.get()));
    // Nothing of it leaves the host, so it is over before connect returns.
    (void)::connect(socket.get(), as_any(here), sizeof here);
    return info_of(socket.get()).tcpi_state == TCP_ESTABLISHED;
}

}  // namespace ronde::conformance
