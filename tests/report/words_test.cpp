/// Numbers as people read them.
#include "report/words.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

TEST(Words, TimesHaveThreeDigits) {
    EXPECT_EQ(about(0), "0 ns");
    EXPECT_EQ(about(999), "999 ns");
    EXPECT_EQ(about(1'000), "1.00 us");
    EXPECT_EQ(about(20'000), "20.0 us");
    EXPECT_EQ(about(2'317'000), "2.32 ms");
    EXPECT_EQ(about(231'700'000), "232 ms");
    EXPECT_EQ(about(12'400'000'000), "12.4 s");
    EXPECT_EQ(about(3'600'000'000'000), "3600 s");
}

TEST(Words, RoundingMayLeadToTheNextSize) {
    EXPECT_EQ(about(9'996), "10.0 us");
    EXPECT_EQ(about(99'960), "100 us");
    EXPECT_EQ(about(9'994), "9.99 us");
}

TEST(Words, BytesAndCounts) {
    EXPECT_EQ(about_bytes(768), "768 B");
    EXPECT_EQ(about_bytes(1'536), "1.50 KiB");
    EXPECT_EQ(about_bytes(std::uint64_t{5} << 30), "5.00 GiB");
    EXPECT_EQ(about_count(98'304), "98304");
    EXPECT_EQ(about_count(1'234'567), "1.23 M");
    EXPECT_EQ(about_count(9'663'676'416), "9.66 G");
    EXPECT_EQ(plural(1, "root"), "1 root");
    EXPECT_EQ(plural(0, "root"), "0 roots");
}

TEST(Words, ALongListIsCutBetweenItsMembers) {
    EXPECT_EQ(shortened("0-2, 4, 8-9"), "0-2, 4, 8-9");
    EXPECT_EQ(shortened("100, 102, 104, 106, 108, 110, 112, 114, 116"), "100, 102, 104, 106, 108, 110, 112, 114, ...");
    EXPECT_EQ(shortened("100, 102, 104, 106, 108, 110, 112, 114"), "100, 102, 104, 106, 108, 110, 112, 114");
}

TEST(Words, ANameIsSpoken) { EXPECT_EQ(spaced("connecting_ring"), "connecting ring"); }

}  // namespace
}  // namespace ronde::sim
