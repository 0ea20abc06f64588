/// The curves behind Distribution, in fixed point: what 64 uniform bits are of the standard exponential and of the
/// standard normal distribution, and powers of two. Integers alone.
///
/// A curve is cut into 4096 slices of equal probability; the upper 12 bits choose the slice, the next 32 the place on
/// the straight line between its edges. The outermost edges, which would lie at infinity, stand where the mean of
/// their slice is that of the true curve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ronde::sim::detail {

inline constexpr std::size_t kQuantiles = 4096;
inline constexpr std::size_t kHalfQuantiles = kQuantiles / 2;

inline constexpr unsigned kNormalFraction = 28;       ///< bits behind the point of a normal quantile
inline constexpr unsigned kExponentialFraction = 32;  ///< ... of an exponential quantile
inline constexpr unsigned kExponentFraction = 32;     ///< ... of the argument of power_of_two
inline constexpr unsigned kPowerFraction = 31;        ///< ... of its result

/// Edges of the upper half of the standard normal distribution, from 0 to 3.99.
extern std::array<std::uint32_t, kHalfQuantiles + 1> const kHalfNormal;
/// Edges of the exponential distribution with mean 1, from 0 to 10.32.
extern std::array<std::uint64_t, kQuantiles + 1> const kExponential;
/// 2^(i / 256), i = 0 .. 256.
inline constexpr std::size_t kPowers = 256;
extern std::array<std::uint64_t, kPowers + 1> const kPowersOfTwo;

/// Standard normal, times 2^kNormalFraction. normal_at(~bits) == -normal_at(bits).
[[nodiscard]] inline std::int64_t normal_at(std::uint64_t bits) {
    // The sign without a branch: nobody could predict it.
    std::uint64_t const lower = bits >> 63U ^ 1U;
    std::uint64_t const half = (bits ^ (std::uint64_t{0} - lower)) << 1U;
    std::size_t const i = half >> 53U;
    std::uint64_t const between = half >> 21U & 0xffff'ffffU;
    std::uint64_t const step = kHalfNormal[i + 1] - kHalfNormal[i];
    auto const z = static_cast<std::int64_t>(kHalfNormal[i] + (step * between >> 32U));
    auto const sign = -static_cast<std::int64_t>(lower);
    return (z ^ sign) - sign;
}

/// Exponential with mean 1, times 2^kExponentialFraction.
[[nodiscard]] inline std::uint64_t exponential_at(std::uint64_t bits) {
    std::size_t const i = bits >> 52U;
    // 28 bits: the last step is 2.0, which is 34 bits long.
    std::uint64_t const between = bits >> 24U & 0x0fff'ffffU;
    return kExponential[i] + ((kExponential[i + 1] - kExponential[i]) * between >> 28U);
}

/// 2^(fraction / 2^32), fraction of 0 .. 2^32-1, times 2^kPowerFraction; to one part in a million, never too small.
[[nodiscard]] inline std::uint64_t power_of_two(std::uint32_t fraction) {
    std::size_t const i = fraction >> 24U;
    std::uint64_t const between = fraction & 0x00ff'ffffU;
    return kPowersOfTwo[i] + ((kPowersOfTwo[i + 1] - kPowersOfTwo[i]) * between >> 24U);
}

}  // namespace ronde::sim::detail
