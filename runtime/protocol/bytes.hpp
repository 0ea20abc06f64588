/// Integers to and from little-endian bytes, the order of everything on the wire [clause 2.2].
///
/// Written byte by byte, so that the result does not depend on the host; compilers turn each into one move.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ronde::protocol {

/// Writes sizeof(Integer) bytes to `at`.
template <std::unsigned_integral Integer>
constexpr void store(std::byte* at, Integer value) noexcept {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        at[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8U * i));
    }
}

/// Reads sizeof(Integer) bytes from `at`.
template <std::unsigned_integral Integer>
[[nodiscard]] constexpr Integer load(std::byte const* at) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        value |= std::to_integer<std::uint64_t>(at[i]) << (8U * i);
    }
    return static_cast<Integer>(value);
}

/// Writes fields one after the other. The caller has checked that there is room for all of them.
class ByteWriter {
public:
    explicit constexpr ByteWriter(std::byte* at) noexcept : at_(at) {}

    template <std::unsigned_integral Integer>
    constexpr ByteWriter& put(Integer value) noexcept {
        store(at_, value);
        at_ += sizeof(Integer);
        return *this;
    }

private:
    std::byte* at_;
};

/// Reads fields one after the other. The caller has checked that all of them are there.
class ByteReader {
public:
    explicit constexpr ByteReader(std::byte const* at) noexcept : at_(at) {}

    template <std::unsigned_integral Integer>
    [[nodiscard]] constexpr Integer get() noexcept {
        Integer const value = load<Integer>(at_);
        at_ += sizeof(Integer);
        return value;
    }

private:
    std::byte const* at_;
};

}  // namespace ronde::protocol
