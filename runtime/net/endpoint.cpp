#include "net/endpoint.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ronde::net {

namespace {

bool is_link_local_6(std::array<std::uint8_t, 16> const& address) {
    return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

/// Interface name or number, as it stands behind the percent sign. 0: no such interface.
std::uint32_t scope_named(std::string const& name) {
    if (std::uint32_t const index = if_nametoindex(name.c_str()); index != 0)
        return index;
    std::uint32_t number = 0;
    auto const [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    return fault == std::errc() && end == name.data() + name.size() ? number : 0;
}

}  // namespace

sockaddr const* SocketAddress::get() const noexcept { return reinterpret_cast<sockaddr const*>(&storage); }
sockaddr* SocketAddress::get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }

SocketAddress to_sockaddr(Endpoint const& endpoint) noexcept {
    SocketAddress result;
    if (endpoint.family == Family::ipv4) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(endpoint.port);
        std::memcpy(&address.sin_addr, endpoint.address.data(), 4);
        std::memcpy(&result.storage, &address, sizeof address);
        result.length = sizeof address;
    } else if (endpoint.family == Family::ipv6) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(endpoint.port);
        address.sin6_scope_id = endpoint.scope_id;
        std::memcpy(&address.sin6_addr, endpoint.address.data(), 16);
        std::memcpy(&result.storage, &address, sizeof address);
        result.length = sizeof address;
    }
    return result;
}

Endpoint from_sockaddr(sockaddr const* address, socklen_t length) noexcept {
    Endpoint result;
    if (address == nullptr || length < sizeof(sa_family_t))
        return result;
    if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, address, sizeof in);
        result.family = Family::ipv4;
        result.port = ntohs(in.sin_port);
        std::memcpy(result.address.data(), &in.sin_addr, 4);
    } else if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, address, sizeof in);
        result.port = ntohs(in.sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
            result.family = Family::ipv4;
            std::memcpy(result.address.data(), in.sin6_addr.s6_addr + 12, 4);
        } else {
            result.family = Family::ipv6;
            std::memcpy(result.address.data(), &in.sin6_addr, 16);
            // The kernel fills the scope in for some global addresses too, where it says nothing and would make
            // equal addresses unequal.
            if (is_link_local_6(result.address))
                result.scope_id = in.sin6_scope_id;
        }
    }
    return result;
}

Endpoint loopback(Family family, std::uint16_t port) noexcept {
    Endpoint result = wildcard(family, port);
    if (family == Family::ipv4) {
        result.address[0] = 127;
        result.address[3] = 1;
    } else if (family == Family::ipv6) {
        result.address[15] = 1;
    }
    return result;
}

Endpoint wildcard(Family family, std::uint16_t port) noexcept {
    Endpoint result;
    result.family = family;
    result.port = port;
    return result;
}

std::optional<Endpoint> parse_address(std::string_view text, std::uint16_t port) {
    Endpoint result;
    result.port = port;
    std::string const whole(text);
    in_addr four{};
    if (inet_pton(AF_INET, whole.c_str(), &four) == 1 && whole.find('\0') == std::string::npos) {
        result.family = Family::ipv4;
        std::memcpy(result.address.data(), &four, 4);
        return result;
    }
    std::size_t const percent = whole.find('%');
    std::string const bare = whole.substr(0, percent);
    in6_addr six{};
    if (bare.find('\0') != std::string::npos || inet_pton(AF_INET6, bare.c_str(), &six) != 1)
        return std::nullopt;
    result.family = Family::ipv6;
    std::memcpy(result.address.data(), &six, 16);
    if (percent != std::string::npos) {
        result.scope_id = scope_named(whole.substr(percent + 1));
        if (result.scope_id == 0)
            return std::nullopt;
        if (!is_link_local_6(result.address))
            result.scope_id = 0;
    }
    return result;
}

std::string address_text(Endpoint const& endpoint) {
    char text[INET6_ADDRSTRLEN] = {};
    if (endpoint.family == Family::ipv4) {
        return inet_ntop(AF_INET, endpoint.address.data(), text, sizeof text);
    }
    if (endpoint.family == Family::ipv6) {
        std::string result = inet_ntop(AF_INET6, endpoint.address.data(), text, sizeof text);
        if (endpoint.scope_id != 0) {
            char name[IF_NAMESIZE] = {};
            bool const known = if_indextoname(endpoint.scope_id, name) != nullptr;
            result += '%';
            result += known ? std::string(name) : std::to_string(endpoint.scope_id);
        }
        return result;
    }
    return "none";
}

std::string to_text(Endpoint const& endpoint) {
    switch (endpoint.family) {
    case Family::ipv4: return fmt::format("{}:{}", address_text(endpoint), endpoint.port);
    case Family::ipv6: return fmt::format("[{}]:{}", address_text(endpoint), endpoint.port);
    case Family::none: break;
    }
    return "none";
}

Reach reach_of(Endpoint const& endpoint) noexcept {
    auto const& a = endpoint.address;
    if (endpoint.family == Family::ipv4) {
        if (a[0] == 127)
            return Reach::loopback;
        if (a[0] == 169 && a[1] == 254)
            return Reach::link_local_4;
        bool const multicast_or_reserved = a[0] >= 224;
        return a[0] == 0 || multicast_or_reserved ? Reach::none : Reach::routable;
    }
    if (endpoint.family == Family::ipv6) {
        if (is_link_local_6(a))
            return Reach::link_local_6;
        if (a[0] == 0xff)
            return Reach::none;
        bool const zero_but_last = std::all_of(a.begin(), a.end() - 1, [](std::uint8_t byte) { return byte == 0; });
        if (zero_but_last && a[15] <= 1)
            return a[15] == 1 ? Reach::loopback : Reach::none;
        return Reach::routable;
    }
    return Reach::none;
}

bool same_address(Endpoint const& left, Endpoint const& right) noexcept {
    return left.family == right.family && left.address == right.address && left.scope_id == right.scope_id;
}

bool same_subnet(Endpoint const& left, Endpoint const& right, std::uint32_t prefix_bits) noexcept {
    if (left.family != right.family || left.family == Family::none)
        return false;
    if (left.family == Family::ipv6 && left.scope_id != right.scope_id)
        return false;
    std::uint32_t const length_bits = left.family == Family::ipv4 ? 32 : 128;
    std::uint32_t const bits = std::min(prefix_bits, length_bits);
    for (std::uint32_t byte = 0; byte * 8 < bits; ++byte) {
        std::uint32_t const bits_here = std::min<std::uint32_t>(8, bits - byte * 8);
        auto const mask = static_cast<std::uint8_t>(0xff00U >> bits_here);
        if ((left.address[byte] & mask) != (right.address[byte] & mask))
            return false;
    }
    return true;
}

}  // namespace ronde::net
