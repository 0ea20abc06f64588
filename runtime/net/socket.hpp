/// Sockets as the bootstrap needs them: non-blocking, close-on-exec, bound to one address.
///
/// All functions are thread-safe (they keep no state) and set nothing but what their comment says.
#pragma once

#include "net/endpoint.hpp"
#include "net/fd.hpp"
#include "net/os_failure.hpp"

#include <tl/expected.hpp>

namespace ronde::net {

/// Ports first..last, both included; {0, 0}: the kernel chooses.
struct PortRange {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    [[nodiscard]] constexpr bool any() const { return first == 0; }
    [[nodiscard]] constexpr std::uint32_t size() const { return any() || last < first ? 0U : last - first + 1U; }
    friend constexpr bool operator==(PortRange, PortRange) = default;
};
/// "50000-50099" or "50000". Empty text is {0, 0}. The error says what is wrong with the text.
[[nodiscard]] tl::expected<PortRange, std::string> parse_port_range(std::string_view text);

struct ListenRequest {
    Endpoint at;             ///< its address; its port is used when `ports` is {0, 0} (0: the kernel chooses)
    PortRange ports;         ///< tried one after the other until one is free
    std::uint64_t seed = 0;  ///< where in `ports` to begin and in which stride to go on, so that ranks do not collide
    bool wildcard = false;   ///< accept on all addresses of the family; asked for by the user, never by default
};

struct ListeningSocket {
    Fd fd;
    Endpoint endpoint;  ///< where peers reach it: the requested address, even with `wildcard`, and the real port
};

/// A listener with the largest backlog the kernel grants (it cuts the number to somaxconn).
/// Never SO_REUSEPORT: two jobs on one port would be dealt each other's ranks. IPv6 listeners are IPv6 only.
/// Errors: address_in_use (of a range: every port is taken), bad_address, not_permitted, no_descriptors.
[[nodiscard]] tl::expected<ListeningSocket, OsFailure> listen_on(ListenRequest const& request);

/// Begins a connection with TCP_NODELAY. When the descriptor becomes writable, ask finish_connect().
/// `standing`: the connection already stands (the loopback often answers at once).
struct Connecting {
    Fd fd;
    bool standing = false;
};
/// `from` (its port too, unless 0) is bound first, when given.
[[nodiscard]] tl::expected<Connecting, OsFailure> start_connect(Endpoint const& to, Endpoint const* from = nullptr);

/// How a connection under way ended: Failure::none when it stands. Also notices a self-connection:
/// on the loopback, connecting to a free ephemeral port can meet itself (simultaneous open).
[[nodiscard]] OsFailure finish_connect(int fd) noexcept;

struct Accepted {
    AcceptOutcome outcome = AcceptOutcome::again;
    Fd fd;              ///< `accepted`: non-blocking, close-on-exec, TCP_NODELAY
    Endpoint peer;      ///< `accepted`: for messages only; a proxy may stand in between
    OsFailure failure;  ///< other outcomes but `again`
};
[[nodiscard]] Accepted accept_one(int listener) noexcept;

[[nodiscard]] tl::expected<Endpoint, OsFailure> local_endpoint(int fd) noexcept;
[[nodiscard]] tl::expected<Endpoint, OsFailure> peer_endpoint(int fd) noexcept;
/// Local and remote end are the same address and port.
[[nodiscard]] bool is_self_connection(int fd) noexcept;

/// The local address the kernel would use to reach `to`, by its routing table. Sends nothing.
[[nodiscard]] tl::expected<Endpoint, OsFailure> route_source(Endpoint const& to);

}  // namespace ronde::net
