/// The 128 bytes of a unique id; <ronde/unique_id.hpp> has the table.
#pragma once

#include "protocol/entry.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ronde::detail {

/// Little-endian unsigned integer at an offset, on machines of either byte order.
template <typename Integer>
Integer load(std::span<const std::byte> bytes, std::size_t at) {
    std::uint64_t wide = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        wide |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
    return static_cast<Integer>(wide);
}

template <typename Integer>
void store(std::span<std::byte> bytes, std::size_t at, Integer value) {
    std::uint64_t const wide = value;
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes[at + i] = static_cast<std::byte>(wide >> (8 * i));
}

struct IdLayout {
    static constexpr std::size_t kMagicAt = 0;
    static constexpr std::size_t kVersionAt = 2;
    static constexpr std::size_t kCountsAt = 3;
    static constexpr std::size_t kChecksumAt = 4;
    static constexpr std::size_t kSessionAt = 8;
    static constexpr std::size_t kSecretAt = 16;
    static constexpr std::size_t kRootsAt = 48;
    static constexpr std::size_t kRootBytes = 20;

    static constexpr std::uint16_t kMagic = 0x6f72;  ///< 'r', 'o'
    static constexpr std::uint8_t kVersion = 1;
    static constexpr std::uint32_t kCountMask = 0x0f;
    static constexpr std::uint32_t kPromisedBit = 0x10;
    static constexpr std::uint32_t kBacklogShift = 5;

    /// Over everything but the checksum itself. Finds damage, not forgery: whoever can change an id has its secret.
    [[nodiscard]] static std::uint32_t checksum_of(std::span<const std::byte> id) noexcept;

    static void store_root(protocol::Endpoint const& root, std::span<std::byte> out) noexcept;
    /// Family::none for a family byte that means nothing.
    [[nodiscard]] static protocol::Endpoint load_root(std::span<const std::byte> in) noexcept;
};

}  // namespace ronde::detail
