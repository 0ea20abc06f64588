// How long things take: the same nanoseconds from every compiler, and close to the curves they are named after.
#include "engine/distribution.hpp"

#include "engine/draw.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace ronde::sim {
namespace {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kNever;
using protocol::kSecondNs;

Distribution read(std::string_view text) {
    auto const made = distribution_from(text);
    EXPECT_TRUE(made) << made.error();
    return made.value_or(Distribution{});
}

constexpr std::array<std::string_view, 9> kAll{"20us",
                                               "uniform 10us..50us",
                                               "exponential 1ms",
                                               "normal 1.26s 70ms",
                                               "normal 10us 1ms",
                                               "lognormal 20us 300",
                                               "lognormal 24h 2000",
                                               "bimodal 20us 5s 2%",
                                               "empirical 1us 2us 9us"};

TEST(Distribution, IsTheSameFromEveryCompiler) {
    constexpr std::array<std::uint64_t, 5> kBits{0, 0x0123'4567'89ab'cdefU, 0x8000'0000'0000'0000U,
                                                 0xfedc'ba98'7654'3210U, ~0ULL};
    std::vector<std::array<TimeNs, 5>> drawn;
    for (std::string_view const text : kAll) {
        auto& row = drawn.emplace_back();
        for (std::size_t i = 0; i < kBits.size(); ++i)
            row[i] = read(text).draw(kBits[i]);
    }
    std::vector<std::array<TimeNs, 5>> const expected{
        {20'000, 20'000, 20'000, 20'000, 20'000},
        {10'000, 10'177, 30'000, 49'823, 50'000},
        {0, 4454, 693'147, 5'416'340, 10'317'766},
        {980'604'873, 1'076'853'992, 1'260'000'000, 1'443'146'007, 1'539'395'126},
        {0, 0, 10'000, 2'626'371, 4'001'358},
        {6039, 9123, 20'000, 43'844, 66'230},
        {29'489'249'590, 461'277'939'408, 86'400'000'000'000, 86'400'000'000'000, 86'400'000'000'000},
        {20'000, 20'000, 20'000, 5'000'000'000, 5'000'000'000},
        {1000, 1009, 2000, 8938, 9000}};
    EXPECT_EQ(drawn, expected);
}

TEST(Distribution, ATableOfManyDrawsIsTheSameToo) {
    std::uint64_t sum = 0;
    for (std::string_view const text : kAll) {
        Distribution const distribution = read(text);
        for (std::uint64_t i = 0; i < 20'000; ++i)
            sum = sum * 31 + static_cast<std::uint64_t>(distribution.draw(draw(1, 1, i)));
    }
    EXPECT_EQ(sum, 0x3373'eb05'c934'4996U);
}

TEST(Distribution, MoreBitsAreNeverLessTime) {
    for (std::string_view const text : kAll) {
        Distribution const distribution = read(text);
        TimeNs last_ns = distribution.least_ns();
        EXPECT_GE(last_ns, 0);
        constexpr std::uint64_t kSteps = 40'000;
        for (std::uint64_t i = 0; i <= kSteps; ++i) {
            TimeNs const now_ns = distribution.draw(i * (~0ULL / kSteps));
            ASSERT_GE(now_ns, last_ns) << text;
            last_ns = now_ns;
        }
        // ... and across the edges of the slices.
        for (std::uint64_t slice = 1; slice < 4'096; ++slice) {
            TimeNs const below_ns = distribution.draw((slice << 52U) - 1);
            TimeNs const above_ns = distribution.draw(slice << 52U);
            ASSERT_LE(below_ns, above_ns) << text << ", slice " << slice;
        }
        EXPECT_LE(last_ns, distribution.most_ns());
        EXPECT_LE(distribution.most_ns(), 5 * kLongestNs);
    }
}

/// Mean and deviation of 2^16 evenly spaced draws.
struct Moments {
    double mean = 0;
    double deviation = 0;
};
Moments moments_of(Distribution const& distribution) {
    constexpr std::uint32_t kSlices = 1U << 16U;
    Moments moments;
    double squares = 0;
    for (std::uint32_t i = 0; i < kSlices; ++i) {
        auto const ns = static_cast<double>(distribution.among(i, kSlices));
        moments.mean += ns / kSlices;
        squares += ns * ns / kSlices;
    }
    moments.deviation = std::sqrt(squares - moments.mean * moments.mean);
    return moments;
}

TEST(Distribution, MeansAndDeviationsAreThoseOfTheCurves) {
    auto const expect = [](std::string_view text, double mean, double deviation) {
        Moments const moments = moments_of(read(text));
        EXPECT_NEAR(moments.mean, mean, mean / 1'000) << text;
        EXPECT_NEAR(moments.deviation, deviation, deviation / 100 + 1) << text;
    };
    expect("20us", 20e3, 0);
    expect("uniform 10us..50us", 30e3, 40e3 / std::sqrt(12.0));
    expect("exponential 1ms", 1e6, 1e6);
    expect("normal 1.26s 70ms", 1.26e9, 70e6);
    double const variance = 0.3 * 0.3;
    expect("lognormal 20us 300", 20e3 * std::exp(variance / 2),
           20e3 * std::exp(variance / 2) * std::sqrt(std::exp(variance) - 1));
    expect("bimodal 20us 5s 2%", 0.98 * 20e3 + 0.02 * 5e9, 5e9 * std::sqrt(0.02 * 0.98));
    expect("empirical 1us 2us 9us", (1.5e3 + 5.5e3) / 2, 2'466.4);
}

TEST(Distribution, AmongIsTheMiddleOfItsSliceWhateverTheirNumberIs) {
    Distribution const steps = Distribution::uniform(0, 24'575);
    for (std::uint32_t const n : {1U, 2U, 3U, 4U, 6U, 4'096U, 12'288U}) {
        // Halves of slices are whole numbers of bits when n is a power of two, otherwise a little less.
        std::int64_t const less = std::has_single_bit(n) ? 0 : 1;
        for (std::uint32_t i = 0; i < n; ++i) {
            std::int64_t const middle = (2 * std::int64_t{i} + 1) * 12'288 / n;
            ASSERT_LE(steps.among(i, n), middle) << i << " of " << n;
            ASSERT_GE(steps.among(i, n), middle - less) << i << " of " << n;
        }
    }
}

TEST(Distribution, QuantilesAreThoseOfTheCurves) {
    EXPECT_NEAR(static_cast<double>(read("normal 10s 1s").among(974, 1'000)), 11.95148e9, 1e6);  // z(0.9745)
    EXPECT_NEAR(static_cast<double>(read("normal 10s 1s").among(25, 1'000)), 8.04852e9, 1e6);
    EXPECT_NEAR(static_cast<double>(read("exponential 1s").among(499, 1'000)), 0.692147e9, 1e5);  // -ln 0.5005
    EXPECT_NEAR(static_cast<double>(read("exponential 1s").among(989, 1'000)), 4.55638e9, 1e6);   // -ln 0.0105
    EXPECT_NEAR(static_cast<double>(read("lognormal 1s 1000").among(974, 1'000)), std::exp(1.95148) * 1e9, 1e6);
}

TEST(Distribution, RareIsAsRareAsItSays) {
    for (auto const& [common_ns, rare_ns] : {std::pair<TimeNs, TimeNs>{10, 500}, {500, 10}}) {
        Distribution const distribution = Distribution::bimodal(common_ns, rare_ns, 20'000);
        std::uint32_t rare = 0;
        for (std::uint32_t i = 0; i < 1'000'000; ++i)
            rare += distribution.among(i, 1'000'000) == rare_ns ? 1U : 0U;
        EXPECT_EQ(rare, 20'000U);
    }
    EXPECT_TRUE(Distribution::bimodal(10, 500, 0).is_constant());
    EXPECT_EQ(Distribution::bimodal(10, 500, 1'000'000).least_ns(), 500);
}

TEST(Distribution, ReachesItsEnds) {
    EXPECT_EQ(read("uniform 10us..50us").least_ns(), 10 * kMicrosecondNs);
    EXPECT_EQ(read("uniform 10us..50us").most_ns(), 50 * kMicrosecondNs);
    EXPECT_EQ(read("empirical 9us 1us 2us").least_ns(), 1 * kMicrosecondNs);
    EXPECT_EQ(read("empirical 9us 1us 2us").most_ns(), 9 * kMicrosecondNs);
    EXPECT_EQ(read("empirical 1us 3us 9us").draw(1ULL << 63U), 3 * kMicrosecondNs);
    EXPECT_EQ(read("exponential 1ms").least_ns(), 0);
    EXPECT_EQ(read("normal 10us 1ms").least_ns(), 0);
    EXPECT_EQ(read("lognormal 24h 2000").most_ns(), kLongestNs);
    EXPECT_TRUE(read("20us").is_constant());
    EXPECT_TRUE(read("uniform 3us..3us").is_constant());
    EXPECT_TRUE(read("lognormal 20us 0").is_constant());
    EXPECT_FALSE(read("lognormal 20us 1").is_constant());
    EXPECT_EQ(Distribution{}, Distribution::constant(0));
}

TEST(Distribution, EqualParametersAreEqualDistributions) {
    for (std::string_view const a : kAll) {
        for (std::string_view const b : kAll)
            EXPECT_EQ(read(a) == read(b), a == b) << a << " and " << b;
    }
    EXPECT_NE(read("empirical 1us 2us"), read("empirical 1us 3us"));
    EXPECT_NE(read("lognormal 20us 300"), read("lognormal 20us 301"));
}

TEST(DistributionText, IsReadAsItIsWritten) {
    for (std::string_view const text : kAll) {
        if (text != "lognormal 24h 2000") {
            EXPECT_EQ(to_text(read(text)), text);
        }
        EXPECT_EQ(read(to_text(read(text))), read(text));
    }
    EXPECT_EQ(to_text(read("constant 1500us")), "1.5ms");
    EXPECT_EQ(to_text(read("0")), "0ns");
    EXPECT_EQ(to_text(read("  bimodal   20us 5s 0.0125% ")), "bimodal 20us 5s 0.0125%");
    EXPECT_EQ(to_text(read("empirical 9us")), "empirical 9us");
}

TEST(DistributionText, SaysWhatIsWrong) {
    auto const error_of = [](std::string_view text) {
        auto const made = distribution_from(text);
        return made ? "no error" : made.error();
    };
    EXPECT_EQ(error_of("20"), "'20' is no duration; expected the unit ns, us, ms, s, m or h, such as 250ms");
    EXPECT_EQ(error_of("uniform 10us"), "'10us' is no range; expected two durations such as 10us..50us");
    EXPECT_EQ(error_of("uniform 50us..10us"), "'50us..10us' is no range; expected the shorter duration first");
    EXPECT_EQ(error_of("lognormal 20us 2001"), "'2001' is no sigma per mille; expected 0 to 2000");
    EXPECT_EQ(error_of("bimodal 1us 2us 101%"), "'101%' is no share; expected 0% to 100% with four decimals at most");
    EXPECT_EQ(error_of("bimodal 1us 2us 0.00001%"),
              "'0.00001%' is no share; expected 0% to 100% with four decimals at most");
    for (std::string_view const text : {"", "   ", "gaussian 1us", "normal 1us", "normal 1us 2us 3us", "empirical",
                                        "constant", "exponential 1ms 2ms", "uniform"}) {
        EXPECT_EQ(error_of(text), "'" + std::string{text} +
                                      "' is no distribution; expected one of 20us, uniform 10us..50us, exponential "
                                      "1ms, normal 1.26s 70ms, lognormal 20us 300 (sigma per mille), bimodal 20us 5s "
                                      "2%, empirical 1us 2us 9us");
    }
    EXPECT_EQ(error_of("empirical 1us x 3us").substr(0, 19), "'x' is no duration;");
}

TEST(DurationText, ReadsDecimalsExactly) {
    EXPECT_EQ(duration_from("1.5ms"), 1'500 * kMicrosecondNs);
    EXPECT_EQ(duration_from("250ms"), 250 * kMillisecondNs);
    EXPECT_EQ(duration_from("0.000000001s"), 1);
    EXPECT_EQ(duration_from("1.26s"), 1'260 * kMillisecondNs);
    EXPECT_EQ(duration_from("1.5m"), 90 * kSecondNs);
    EXPECT_EQ(duration_from("24h"), kLongestNs);
    EXPECT_EQ(duration_from("007us"), 7 * kMicrosecondNs);
    EXPECT_EQ(duration_from("0"), 0);
    EXPECT_EQ(duration_from("0s"), 0);
    for (std::string_view const text :
         {"", "ms", "1", "1.ms", ".5ms", "1..5ms", "1.5.5ms", "1 ms", "-1ms", "1MS", "+1ms", "0.5ns", "1.0000000001s",
          "24.1h", "25h", "9999999999999999999999ms", "1e3ms"})
        EXPECT_FALSE(duration_from(text)) << text;
}

TEST(DurationText, IsReadAsItIsWritten) {
    EXPECT_EQ(duration_text(0), "0ns");
    EXPECT_EQ(duration_text(999), "999ns");
    EXPECT_EQ(duration_text(1'000), "1us");
    EXPECT_EQ(duration_text(1'001), "1.001us");
    EXPECT_EQ(duration_text(90 * kSecondNs), "90s");
    EXPECT_EQ(duration_text(kNever), "9223372036.854775807s");
    for (std::uint64_t i = 0; i < 5'000; ++i) {
        auto const ns = static_cast<TimeNs>(draw(1, 1, i) >> (18 + i % 46));
        if (ns <= kLongestNs) {
            EXPECT_EQ(duration_from(duration_text(ns)), ns);
        }
    }
}

TEST(DistributionDeathTest, RefusesWhatIsNoDuration) {
    EXPECT_DEATH(Distribution::constant(-1), "expected 0 ns to 24 h");
    EXPECT_DEATH(Distribution::uniform(2, 1), "low <= high");
    EXPECT_DEATH(Distribution::exponential(kNever), "a mean of 0 ns to 24 h");
    EXPECT_DEATH(Distribution::log_normal(1, 2'001), "0 to 2000 per mille");
    EXPECT_DEATH(Distribution::empirical({}), "one quantile at least");
    EXPECT_DEATH(static_cast<void>(Distribution{}.among(3, 3)), "an index below n");
}

}  // namespace
}  // namespace ronde::sim
