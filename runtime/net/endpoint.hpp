/// Endpoints: between the machine's plain values, the kernel's sockaddr and people's text.
#pragma once

#include "protocol/entry.hpp"

#include <sys/socket.h>

#include <optional>
#include <string>

namespace ronde::net {

using protocol::Endpoint;
using protocol::Family;

/// A sockaddr with its length, ready for bind(2) and connect(2). length 0: the endpoint has no family.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
    [[nodiscard]] sockaddr const* get() const noexcept;
    [[nodiscard]] sockaddr* get() noexcept;
};
[[nodiscard]] SocketAddress to_sockaddr(Endpoint const& endpoint) noexcept;

/// Family::none for anything that is neither AF_INET nor AF_INET6, or too short for its family.
/// An IPv4-mapped IPv6 address (::ffff:10.0.0.5) becomes the IPv4 address it stands for.
[[nodiscard]] Endpoint from_sockaddr(sockaddr const* address, socklen_t length) noexcept;

/// 127.0.0.1 or ::1.
[[nodiscard]] Endpoint loopback(Family family, std::uint16_t port = 0) noexcept;
/// 0.0.0.0 or ::.
[[nodiscard]] Endpoint wildcard(Family family, std::uint16_t port = 0) noexcept;

/// A literal IPv4 or IPv6 address without port and brackets; IPv6 may carry "%eth0" or "%3".
/// Never asks a name server. The scope of an interface that does not exist here makes it no address.
[[nodiscard]] std::optional<Endpoint> parse_address(std::string_view text, std::uint16_t port = 0);

/// "10.0.0.5:43117", "[fe80::1%eth0]:1", "[::1]:80"; "none" for Family::none.
/// A scope id is shown by its interface name where it has one, else by its number.
[[nodiscard]] std::string to_text(Endpoint const& endpoint);
/// The same without port and brackets.
[[nodiscard]] std::string address_text(Endpoint const& endpoint);

/// How far an address reaches. Decides which one is worth telling other hosts.
enum class Reach : std::uint8_t {
    none,          ///< no address, wildcard, multicast
    loopback,      ///< 127.0.0.0/8, ::1: this host only
    link_local_4,  ///< 169.254.0.0/16: often the same on every host
    link_local_6,  ///< fe80::/10: needs a scope, which means nothing elsewhere
    routable,      ///< everything else, private ranges included
};
[[nodiscard]] Reach reach_of(Endpoint const& endpoint) noexcept;

/// The same address, whatever the ports.
[[nodiscard]] bool same_address(Endpoint const& left, Endpoint const& right) noexcept;
/// Whether both lie in the same subnet of `prefix_bits`. Link-local IPv6 also needs equal scopes.
[[nodiscard]] bool same_subnet(Endpoint const& left, Endpoint const& right, std::uint32_t prefix_bits) noexcept;

}  // namespace ronde::net
