/// Random numbers by name instead of by turn.
///
/// draw(seed, stream, counter) is a pure function: there is no state to advance, so one more draw somewhere changes no
/// other draw, and draws can be made in any order, on any thread. The same numbers from every compiler. Not for
/// secrets.
#pragma once

#include <cstdint>

namespace ronde::sim {

namespace detail {

__extension__ using Wide = unsigned __int128;  // a type of both compilers that the standard does not know

/// A bijection of 64 bits in which every output bit depends on every input bit: xorshift and multiplication, twice.
/// [the finalizer of splitmix64, with Stafford's thirteenth set of constants]
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31U);
}

inline constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15U;  // 2^64 / golden ratio, odd

constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64U);
}

}  // namespace detail

/// 64 uniform bits of (seed, stream) at `counter`. All three may be any number; neighbours are unrelated.
class Draws {
public:
    constexpr Draws(std::uint64_t seed, std::uint64_t stream) noexcept
        : key_(detail::mix(detail::mix(seed + detail::kGolden) + detail::kGolden * stream)) {}

    [[nodiscard]] constexpr std::uint64_t at(std::uint64_t counter) const noexcept {
        return detail::mix(key_ + detail::kGolden * counter);
    }

private:
    std::uint64_t key_;
};

[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) noexcept {
    return Draws{seed, stream}.at(counter);
}

/// A number below `n` (n >= 1) out of 64 uniform bits, monotone in them. No number is more likely than another by more
/// than n / 2^64 (for 2^32 numbers: one part in 2^32), which no run of ronde can notice.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t n) noexcept {
    return detail::high_product(bits, n);
}

}  // namespace ronde::sim
