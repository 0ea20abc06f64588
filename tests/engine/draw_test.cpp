// Chance by name: good enough that nobody can tell, and the same everywhere.
#include "engine/draw.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

namespace ronde::sim {
namespace {

constexpr std::uint32_t kDraws = 1U << 16U;
constexpr double kHalfOfThem = kDraws / 2.0;

TEST(Draw, IsTheSameFromEveryCompiler) {
    static_assert(draw(0, 0, 0) == 0x33fe'8bd4'f9c5'7863U);  // by the compiler, and below by the machine
    EXPECT_EQ(draw(0, 0, 0), 0x33fe'8bd4'f9c5'7863U);
    EXPECT_EQ(draw(42, 1, 7), 0x0fab'ea9e'693c'672fU);
    EXPECT_EQ(draw(~0ULL, ~0ULL, ~0ULL), 0x7ccd'8063'376c'23afU);
    EXPECT_EQ((Draws{42, 1}.at(7)), draw(42, 1, 7));
}

/// Four ways to walk through the names: the neighbours of each must be unrelated.
const std::array<std::uint64_t (*)(std::uint64_t), 4> kWalks{
    [](std::uint64_t i) { return draw(1, 1, i); }, [](std::uint64_t i) { return draw(1, i, 1); },
    [](std::uint64_t i) { return draw(i, 1, 1); }, [](std::uint64_t i) { return draw(1, i << 32U, i); }};

TEST(Draw, EveryBitIsSetHalfOfTheTime) {
    for (auto const& walk : kWalks) {
        std::array<std::uint32_t, 64> ones{};
        for (std::uint64_t i = 0; i < kDraws; ++i) {
            for (unsigned bit = 0; bit < 64; ++bit)
                ones[bit] += static_cast<std::uint32_t>(walk(i) >> bit & 1U);
        }
        // Standard deviation: sqrt(65536) / 2 = 128. Five of them either way.
        for (std::uint32_t const count : ones)
            EXPECT_NEAR(count, kHalfOfThem, 5 * 128);
    }
}

TEST(Draw, NeighboursDifferInHalfOfTheirBits) {
    for (auto const& walk : kWalks) {
        std::uint64_t differing = 0;
        for (std::uint64_t i = 0; i < kDraws; ++i)
            differing += static_cast<std::uint64_t>(std::popcount(walk(i) ^ walk(i + 1)));
        // Deviation of the sum: sqrt(65536 * 64) / 2 = 1024.
        EXPECT_NEAR(static_cast<double>(differing), 32.0 * kDraws, 5 * 1024);
    }
}

TEST(Draw, PairsOfNeighboursFillTheSquareEvenly) {
    for (auto const& walk : kWalks) {
        std::vector<std::uint32_t> cells(16 * 16);
        for (std::uint64_t i = 0; i < kDraws; ++i)
            ++cells[below(walk(i), 16) * 16 + below(walk(i + 1), 16)];
        double chi_square = 0;
        for (std::uint32_t const count : cells)
            chi_square += (count - 256.0) * (count - 256.0) / 256.0;
        // 255 degrees of freedom: 255 +- 5 * 22.6.
        EXPECT_GT(chi_square, 142.0);
        EXPECT_LT(chi_square, 368.0);
    }
}

TEST(Below, GivesEveryNumberItsShare) {
    for (std::uint64_t const n : {2U, 3U, 5U, 6U, 7U, 10U, 100U}) {
        std::vector<std::uint32_t> counts(n);
        for (std::uint64_t i = 0; i < kDraws; ++i)
            ++counts[below(draw(9, n, i), n)];
        double const expected = static_cast<double>(kDraws) / static_cast<double>(n);
        double chi_square = 0;
        for (std::uint32_t const count : counts)
            chi_square += (count - expected) * (count - expected) / expected;
        // Mean n-1, deviation sqrt(2 (n-1)).
        EXPECT_LT((chi_square - static_cast<double>(n - 1)) * (chi_square - static_cast<double>(n - 1)),
                  25.0 * 2.0 * static_cast<double>(n - 1))
            << "n = " << n;
    }
}

TEST(Below, GoesFromTheFirstToTheLastAndOnlyUp) {
    static_assert(below(0, 7) == 0 && below(~0ULL, 7) == 6 && below(~0ULL, 1) == 0);
    static_assert(below(~0ULL, ~0ULL) == ~0ULL - 1);
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        std::uint64_t const value = below(i * (~0ULL / 1'000), 37);
        EXPECT_GE(value, last);
        last = value;
    }
}

}  // namespace
}  // namespace ronde::sim
