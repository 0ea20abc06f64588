/// Endpoint and Entry: what a rank registers, and what the table holds N of.
#pragma once

#include "protocol/units.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ronde::protocol {

enum class Family : std::uint8_t { none = 0, ipv4 = 4, ipv6 = 6 };

/// A transport address without operating-system types. 24 bytes, the same on the wire [clause 2.5].
/// IPv4 uses the first four address bytes; ports and scope are plain integers (host order).
struct Endpoint {
    Family family = Family::none;
    std::uint8_t reserved = 0;
    std::uint16_t port = 0;
    std::uint32_t scope_id = 0;
    std::array<std::uint8_t, 16> address{};

    friend constexpr bool operator==(Endpoint const&, Endpoint const&) = default;
    friend constexpr auto operator<=>(Endpoint const&, Endpoint const&) = default;
};
static_assert(sizeof(Endpoint) == 24);

/// "No device to guard": such ranks never collide in the duplicate-device check.
inline constexpr std::uint64_t kNoDevice = 0xffff'ffff'ffff'ffffU;

/// What one rank tells all others about itself: 64 bytes, fixed, the same in memory (little-endian
/// machines) and on the wire [clause 2.6].
struct Entry {
    Endpoint endpoint;          ///< the rank's ring listener
    std::uint64_t host_id = 0;  ///< hash of host name and boot id; equal on one host only
    std::uint64_t device_id = kNoDevice;
    std::uint64_t incarnation = 0;  ///< drawn once per process start; tells a retry from a second process
    std::uint32_t process_id = 0;
    std::uint32_t flags = 0;  ///< reserved, 0
    std::uint32_t rank = kNoRank;
    std::uint16_t callback_port = 0;  ///< call-back profiles: where the root answers (same address)
    std::uint16_t reserved = 0;

    friend constexpr bool operator==(Entry const&, Entry const&) = default;
};
static_assert(sizeof(Entry) == 64);
inline constexpr std::uint32_t kEntryBytes = 64;

/// Serialises to exactly kEntryBytes little-endian bytes. `out.size() >= kEntryBytes`.
void encode_entry(Entry const& entry, std::span<std::byte> out) noexcept;
/// Reads kEntryBytes. `in.size() >= kEntryBytes`. Any byte pattern yields some Entry; meaning is checked by its users.
[[nodiscard]] Entry decode_entry(std::span<const std::byte> in) noexcept;

/// Two ranks that claim one device of one host, or {kNoRank, kNoRank} [clause 6.4].
struct DevicePair {
    RankId first = kNoRank;
    RankId second = kNoRank;
};

/// Searches a whole table for a device claimed twice. O(N log N), allocates its own index.
/// Of several pairs the one with the lowest second, then lowest first rank is returned.
[[nodiscard]] DevicePair find_duplicate_device(std::span<const Entry> table);

}  // namespace ronde::protocol
