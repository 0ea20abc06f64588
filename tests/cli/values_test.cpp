/// The words of the command line.
#include "cli/values.hpp"

#include "cli/usage.hpp"

#include <gtest/gtest.h>

namespace ronde::cli {
namespace {

TEST(Duration, IsAnIntegerWithItsUnit) {
    EXPECT_EQ(parse_duration("250ms"), 250'000'000);
    EXPECT_EQ(parse_duration("2s"), 2'000'000'000);
    EXPECT_EQ(parse_duration("1m"), 60'000'000'000);
    EXPECT_EQ(parse_duration("24h"), 86'400'000'000'000);
    EXPECT_EQ(parse_duration("7us"), 7'000);
}

TEST(Duration, IsNothingElse) {
    for (char const* const text :
         {"", "5", "s", "-1s", "1.5s", "0s", "2 s", "25h", "99999999999999999999s", "1S", "1s1"})
        EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Bytes, TakeBinaryUnits) {
    EXPECT_EQ(parse_bytes("64", 1, 1U << 30), 64U);
    EXPECT_EQ(parse_bytes("4KiB", 1, 1U << 30), 4096U);
    EXPECT_EQ(parse_bytes("1GiB", 1, 1U << 30), 1U << 30);
    EXPECT_FALSE(parse_bytes("2GiB", 1, 1U << 30));
    EXPECT_FALSE(parse_bytes("0", 1, 1U << 30));
    EXPECT_FALSE(parse_bytes("4KB", 1, 1U << 30));
}

TEST(Faults, AreRead) {
    auto const kill = parse_fault("kill:7@connecting_ring");
    ASSERT_TRUE(kill);
    EXPECT_EQ(kill->kind, Fault::Kind::kill);
    EXPECT_EQ(kill->ranks, (protocol::RankRange{7, 7}));
    EXPECT_EQ(kill->phase, protocol::Phase::connecting_ring);

    auto const never = parse_fault("never:3-5");
    ASSERT_TRUE(never);
    EXPECT_EQ(never->ranks, (protocol::RankRange{3, 5}));

    auto const late = parse_fault("late:2=500ms");
    ASSERT_TRUE(late);
    EXPECT_EQ(late->delay_ns, 500'000'000);

    auto const root = parse_fault("kill-root@12");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->kind, Fault::Kind::kill_root);
    EXPECT_EQ(root->check_ins, 12U);
}

TEST(Faults, AreRefused) {
    for (char const* const text :
         {"", "kill", "kill:7", "kill:@ready", "kill:7@", "kill:7@failed", "kill:x@ready", "never:3@ready", "never:5-3",
          "late:2", "late:2=5", "kill-root@", "kill-root@x", "stop:1=1s"})
        EXPECT_FALSE(parse_fault(text)) << text;
}

TEST(Ranks, AreToldAsRanges) {
    EXPECT_EQ(ranks_text({}), "");
    EXPECT_EQ(ranks_text({3}), "3");
    EXPECT_EQ(ranks_text({0, 1, 2, 4, 8, 9}), "0-2, 4, 8-9");
}

TEST(Closest, FindsSlipsAndNothingFarAway) {
    static constexpr std::string_view kWords[] = {"run", "root", "id", "replay"};
    EXPECT_EQ(did_you_mean("rnu", kWords), "; did you mean run?");
    EXPECT_EQ(did_you_mean("relpay", kWords), "; did you mean replay?");
    EXPECT_EQ(did_you_mean("rot", kWords), "; did you mean root?");
    EXPECT_EQ(did_you_mean("launch", kWords), "");
}

}  // namespace
}  // namespace ronde::cli
