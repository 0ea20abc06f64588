/// The depth of an accept queue in a bounded number of points: what a picture must not lose.
#include "world/depth_record.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

std::uint32_t depth_at(std::vector<QueueDepth> const& points, TimeNs at_ns) {
    std::uint32_t depth = 0;
    for (QueueDepth const& point : points) {
        if (point.at_ns <= at_ns)
            depth = point.depth;
    }
    return depth;
}

TEST(DepthRecord, OfAFewChangesIsAllOfThem) {
    DepthRecord record;
    record.note(0, 1);
    record.note(10, 2);
    record.note(20, 0);
    auto const points = record.points();
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[1].at_ns, 10);
    EXPECT_EQ(points[1].depth, 2U);
    EXPECT_EQ(points[2].depth, 0U);
}

/// Bursts, a second apart: each fills the queue and empties it again, one at a time.
TEST(DepthRecord, KeepsThePeakOfEveryBurstAndTheRestBetweenThem) {
    constexpr std::uint32_t kBursts = 7;
    constexpr std::uint32_t kDeep = 3'000;
    DepthRecord record;
    for (std::uint32_t burst = 0; burst < kBursts; ++burst) {
        TimeNs now_ns = burst * protocol::kSecondNs;
        for (std::uint32_t depth = 1; depth <= kDeep + burst; ++depth)
            record.note(now_ns += 100, depth);
        for (std::uint32_t depth = kDeep + burst; depth-- > 0;)
            record.note(now_ns += 15'000, depth);
    }
    auto const points = record.points();
    EXPECT_LE(points.size(), DepthRecord::kMostPoints);
    for (std::uint32_t burst = 0; burst < kBursts; ++burst) {
        TimeNs const begin_ns = burst * protocol::kSecondNs;
        std::uint32_t deepest = 0;
        for (QueueDepth const& point : points) {
            if (point.at_ns >= begin_ns && point.at_ns < begin_ns + protocol::kSecondNs)
                deepest = std::max(deepest, point.depth);
        }
        EXPECT_EQ(deepest, kDeep + burst);
        EXPECT_EQ(depth_at(points, begin_ns + 900 * protocol::kMillisecondNs), 0U) << "burst " << burst;
    }
}

TEST(DepthRecord, IsInTheOrderOfTime) {
    DepthRecord record;
    for (TimeNs at_ns = 0; at_ns < 100'000; ++at_ns)
        record.note(at_ns * at_ns, static_cast<std::uint32_t>(at_ns * 7 % 13));
    auto const points = record.points();
    ASSERT_FALSE(points.empty());
    EXPECT_LE(points.size(), DepthRecord::kMostPoints);
    for (std::size_t i = 1; i < points.size(); ++i)
        EXPECT_LE(points[i - 1].at_ns, points[i].at_ns);
}

}  // namespace
}  // namespace ronde::sim
