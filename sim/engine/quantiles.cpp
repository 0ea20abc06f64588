#include "engine/quantiles.hpp"

#include "engine/draw.hpp"

namespace ronde::sim::detail {

namespace {

// Fixed point with 58 bits behind the point: ln 4096 = 8.3 still fits, and 4096 truncated sums err by 2^-44 together.
constexpr unsigned kFraction = 58;
constexpr std::uint64_t kOne = std::uint64_t{1} << kFraction;

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> kFraction);
}

/// ln(m / (m-1)), m >= 2: twice the area hyperbolic tangent of 1 / (2m-1), which converges fast.
constexpr std::uint64_t log_of_step(std::uint64_t m) {
    std::uint64_t const y = kOne / (2 * m - 1);
    std::uint64_t const square = times(y, y);
    std::uint64_t sum = 0;
    std::uint64_t odd = 1;
    for (std::uint64_t power = y; power != 0; power = times(power, square), odd += 2)
        sum += power / odd;
    return 2 * sum;
}

constexpr std::uint64_t kLogOfTwo = log_of_step(2);

constexpr std::uint64_t rounded(std::uint64_t value, unsigned fraction) {
    unsigned const drop = kFraction - fraction;
    return (value + (std::uint64_t{1} << (drop - 1))) >> drop;
}

/// Edge i is -ln(1 - i/4096). Above the last finite edge the mean is that edge + 1, so the slice ends at that edge + 2.
constexpr std::array<std::uint64_t, kQuantiles + 1> exponential_edges() {
    std::array<std::uint64_t, kQuantiles + 1> edges{};
    std::uint64_t edge = 0;
    for (std::size_t i = 1; i < kQuantiles; ++i) {
        edge += log_of_step(kQuantiles - i + 1);
        edges[i] = rounded(edge, kExponentialFraction);
    }
    edges[kQuantiles] = edges[kQuantiles - 1] + (std::uint64_t{2} << kExponentialFraction);
    return edges;
}

/// e^(i/256 * ln 2) by its series.
constexpr std::array<std::uint64_t, kPowers + 1> powers_of_two() {
    std::array<std::uint64_t, kPowers + 1> powers{};
    for (std::size_t i = 0; i <= kPowers; ++i) {
        std::uint64_t const x = kLogOfTwo / kPowers * i;
        std::uint64_t sum = 0;
        std::uint64_t n = 1;
        for (std::uint64_t term = kOne; term != 0; term = times(term, x) / n, ++n)
            sum += term;
        powers[i] = rounded(sum, kPowerFraction);
    }
    return powers;
}

constexpr auto kExponentialEdges = exponential_edges();
constexpr auto kPowerTable = powers_of_two();
static_assert(kPowerTable[kPowers] == std::uint64_t{2} << kPowerFraction);

}  // namespace

std::array<std::uint64_t, kQuantiles + 1> const kExponential = kExponentialEdges;
std::array<std::uint64_t, kPowers + 1> const kPowersOfTwo = kPowerTable;

}  // namespace ronde::sim::detail
