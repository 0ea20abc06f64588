/// Values as text: what is read, what is refused, and that nothing is lost on the way there and back.
#include "scenario/values.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

namespace ronde::sim {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 63;

TEST(Counts, KIsAThousandAndKiIs1024) {
    EXPECT_EQ(count_from("98304", 0, kMost), 98'304U);
    EXPECT_EQ(count_from("98k", 0, kMost), 98'000U);
    EXPECT_EQ(count_from("96Ki", 0, kMost), 98'304U);
    EXPECT_EQ(count_from("1.5M", 0, kMost), 1'500'000U);
    EXPECT_EQ(count_from("1Mi", 0, kMost), 1'048'576U);
}

TEST(Counts, WhatIsNoWholeNumberIsRefused) {
    for (char const* const text : {"", "k", "-1", "1.0001k", "0.3", "1e3", "4K", "1 2", "0x10", ".5k", "5.k", "1..5k",
                                   "9223372036854775809", "99999999999999999999999999"})
        EXPECT_FALSE(count_from(text, 0, kMost)) << text;
    EXPECT_EQ(count_from("0.5", 0, 1).error(), "'0.5' is not a number of 0 to 1; 98k is 98000, 96Ki is 98304");
    EXPECT_EQ(count_from("5", 1, 4).error(), "'5' is not a number of 1 to 4");
}

TEST(Counts, TheLargestIsReadToTheLastDigit) { EXPECT_EQ(count_from("9223372036854775808", 0, kMost), kMost); }

TEST(Sizes, BinaryAndDecimalUnits) {
    EXPECT_EQ(size_from("64", 0, kMost), 64U);
    EXPECT_EQ(size_from("2MiB", 0, kMost), 2U << 20);
    EXPECT_EQ(size_from("2.5MB", 0, kMost), 2'500'000U);
    EXPECT_EQ(size_from("2.25KiB", 0, kMost), 2'304U);
    EXPECT_FALSE(size_from("0.0001KiB", 0, kMost));
    EXPECT_FALSE(size_from("2mib", 0, kMost));
}

TEST(Rates, BitsAndBytes) {
    EXPECT_EQ(rate_from("10Gbit/s"), 1'250'000'000U);
    EXPECT_EQ(rate_from("1.25GB/s"), 1'250'000'000U);
    EXPECT_EQ(rate_from("0"), 0U);
    EXPECT_FALSE(rate_from("10"));
    EXPECT_FALSE(rate_from("10Gbit"));
}

TEST(Shares, ArePartsOfAMillion) {
    EXPECT_EQ(share_from("2%"), 20'000U);
    EXPECT_EQ(share_from("0.05%"), 500U);
    EXPECT_EQ(share_from("300ppm"), 300U);
    EXPECT_EQ(share_from("100%"), 1'000'000U);
    EXPECT_FALSE(share_from("101%"));
    EXPECT_FALSE(share_from("0.00001%"));
    EXPECT_FALSE(share_from("0.02"));
}

TEST(Durations, HaveAUnitAndARange) {
    EXPECT_EQ(time_from("1.5ms", 0, kSecondNs, false), 1'500'000);
    EXPECT_EQ(time_from("never", 0, kSecondNs, true), kNever);
    EXPECT_FALSE(time_from("never", 0, kSecondNs, false));
    EXPECT_FALSE(time_from("2s", 0, kSecondNs, false));
    EXPECT_EQ(time_from("5", 1, kSecondNs, false).error(),
              "'5' is no duration of 1ns to 1s; expected one such as 20us, 1.5ms or 2s");
}

TEST(Ranks, AreRangesWithoutARankTwice) {
    auto const ranks = ranks_from("0-15, 17");
    ASSERT_TRUE(ranks);
    EXPECT_EQ(*ranks, (std::vector<RankRange>{{0, 16}, {17, 1}}));
    EXPECT_EQ(ranks_text(*ranks), "0-15, 17");
    EXPECT_EQ(ranks_from("8, 0-7, 7").error(), "'8, 0-7, 7' names rank 7 twice");
    for (char const* const text : {"", "5-3", "a", "1-", "-1", "1,,2", "1048576"})
        EXPECT_FALSE(ranks_from(text)) << text;
}

TEST(Moments, NameARankAndAPhase) {
    auto const trigger = trigger_from("rank 5 enters connecting_ring");
    ASSERT_TRUE(trigger);
    EXPECT_EQ(trigger->rank, 5U);
    EXPECT_EQ(trigger->phase, protocol::Phase::connecting_ring);
    EXPECT_EQ(trigger_text(*trigger), "rank 5 enters connecting_ring");
    EXPECT_NE(trigger_from("rank 5 enters conecting_ring").error().find("did you mean connecting_ring?"),
              std::string::npos);
    EXPECT_FALSE(trigger_from("rank 5 leaves ready"));
    EXPECT_FALSE(trigger_from("rank enters ready"));
}

TEST(Values, AreReadBackExactly) {
    for (std::uint64_t const value : std::initializer_list<std::uint64_t>{
             0, 1, 999, 1'000, 1'024, 1'500, 98'304, 1U << 20, 1'000'000'007, (1U << 30) + 1, 1'000'000'000'000}) {
        EXPECT_EQ(count_from(count_text(value), 0, kMost), value);
        EXPECT_EQ(size_from(size_text(value), 0, kMost), value);
        EXPECT_EQ(rate_from(rate_text(value)), value);
        auto const ns = static_cast<TimeNs>(value);
        EXPECT_EQ(time_from(time_text(ns), 0, kLongestNs, false), ns);
    }
    for (std::uint32_t share = 0; share <= 1'000'000; share += 37)
        ASSERT_EQ(share_from(share_text(share)), share);
}

}  // namespace
}  // namespace ronde::sim
