/// Ethernet, IPv4 and TCP around a payload, as on a wire [RFC 894, RFC 791, RFC 9293].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ronde::viz {

struct TcpFlag {
    static constexpr std::uint8_t kFin = 0x01;
    static constexpr std::uint8_t kSyn = 0x02;
    static constexpr std::uint8_t kReset = 0x04;
    static constexpr std::uint8_t kPush = 0x08;
    static constexpr std::uint8_t kAck = 0x10;
};

struct PacketAddress {
    std::uint32_t ipv4 = 0;
    std::uint16_t port = 0;
};

struct Packet {
    PacketAddress from;
    PacketAddress to;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = 0;
    std::uint16_t identification = 0;    ///< of the IPv4 header
    std::span<const std::byte> payload;  ///< at most 65 000 bytes
};

/// The whole packet with its checksums, without the checksum of Ethernet. A SYN has the options for the size of
/// segments and the scale of windows. Hardware addresses are made from the IPv4 addresses.
[[nodiscard]] std::vector<std::byte> packet_bytes(Packet const& packet);

/// One's complement sum of 16-bit words in network order, as IPv4 and TCP use it; `sum` is what came before. An odd
/// last byte counts as the upper half of a word.
[[nodiscard]] std::uint32_t add_to_checksum(std::uint32_t sum, std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::uint16_t checksum_of(std::uint32_t sum) noexcept;

}  // namespace ronde::viz
