/// The hash that chooses a frame's delay: even, and without a trace of which frames are neighbours.
#include "forward/frame_key.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace ronde::sim {
namespace {

// Changing one of these changes every simulated gather there ever was.
TEST(FrameKey, IsPinned) {
    FrameStream const stream = frame_stream(1, 0, 0, Way::forward);
    EXPECT_EQ(stream.first, 1'428'340'189U);
    EXPECT_EQ(stream.second, 1'695'213'177U);
    EXPECT_EQ(frame_quantile(stream, 0), 1'990U);
    EXPECT_EQ(frame_quantile(stream, 1), 1'280U);
    EXPECT_EQ(frame_quantile(frame_stream(7, 3, 98'303, Way::backward), 98'302), 1'187U);
}

TEST(FrameKey, EveryLinkHasAStreamOfItsOwn) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        for (std::uint64_t operation = 0; operation < 4; ++operation) {
            for (std::uint32_t rank = 0; rank < 1'000; ++rank) {
                for (Way const way : {Way::forward, Way::backward}) {
                    FrameStream const stream = frame_stream(seed, operation, rank, way);
                    EXPECT_TRUE(streams.emplace(stream.first, stream.second).second);
                }
            }
        }
    }
}

/// How far counts in 64 equal cells are from even, in deviations of what chance does. Chi square, made normal.
double surprise(std::vector<std::uint32_t> const& counts) {
    double total = 0;
    for (std::uint32_t const count : counts)
        total += count;
    double const expected = total / static_cast<double>(counts.size());
    double chi_square = 0;
    for (std::uint32_t const count : counts)
        chi_square += (count - expected) * (count - expected) / expected;
    double const freedom = static_cast<double>(counts.size()) - 1;
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(FrameKey, EachDelayIsAsLikelyAsEachOther) {
    std::vector<std::uint32_t> counts(kQuantiles);
    for (std::uint32_t rank = 0; rank < 500; ++rank) {
        FrameStream const stream = frame_stream(1, 0, rank, Way::forward);
        for (std::uint32_t frame = 0; frame < 1'000; ++frame)
            ++counts[frame_quantile(stream, frame)];
    }
    EXPECT_LT(std::abs(surprise(counts)), 4.0);
}

// Pairs of draws, by the top 6 bits of each, over 4 096 cells: of one frame and the next on a link, of one link and the
// next, of the two ways, and of one frame and the same in the next gather.
TEST(FrameKey, NeighboursHaveNothingInCommon) {
    std::vector<std::uint32_t> next_frame(4'096), next_rank(4'096), other_way(4'096), next_gather(4'096);
    auto const pair = [](std::uint32_t a, std::uint32_t b) { return (a >> 6) * 64U + (b >> 6); };
    for (std::uint32_t rank = 0; rank < 500; ++rank) {
        FrameStream const here = frame_stream(1, 0, rank, Way::forward);
        for (std::uint32_t frame = 0; frame < 1'000; ++frame) {
            std::uint32_t const draw = frame_quantile(here, frame);
            ++next_frame[pair(draw, frame_quantile(here, frame + 1))];
            ++next_rank[pair(draw, frame_quantile(frame_stream(1, 0, rank + 1, Way::forward), frame))];
            ++other_way[pair(draw, frame_quantile(frame_stream(1, 0, rank, Way::backward), frame))];
            ++next_gather[pair(draw, frame_quantile(frame_stream(1, 1, rank, Way::forward), frame))];
        }
    }
    for (auto const* counts : {&next_frame, &next_rank, &other_way, &next_gather})
        EXPECT_LT(std::abs(surprise(*counts)), 4.0);
}

TEST(FrameKey, ALinkIsBusyForBytesOverRateRoundedUp) {
    EXPECT_EQ(transmission_ns(96, 0), 0);
    EXPECT_EQ(transmission_ns(96, protocol::kSecondNs), 96);
    EXPECT_EQ(transmission_ns(1, 3 * protocol::kSecondNs), 1);
    EXPECT_EQ(transmission_ns(7, 3 * protocol::kSecondNs), 3);
    EXPECT_EQ(transmission_ns(0xffff'ffffULL + 32, 1), (0xffff'ffffLL + 32) * protocol::kSecondNs);
}

}  // namespace
}  // namespace ronde::sim
