#include "bytes_support.hpp"
#include "protocol/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

namespace ronde::protocol {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Noise;

constexpr int kFailureCount = static_cast<int>(Failure::other) + 1;
constexpr int kFieldCount = static_cast<int>(Field::operation) + 1;

Verdict example() {
    Verdict verdict;
    verdict.error.code = Code::ranks_missing;
    verdict.error.phase = Phase::checking_in;
    verdict.error.failure = Failure::timed_out;
    verdict.error.field = Field::nranks;
    verdict.error.os_error = -2;
    verdict.error.about = 0x0102'0304U;
    verdict.error.other = 0x1112'1314U;
    verdict.error.reporter = 0x2122'2324U;
    verdict.error.about_phase = static_cast<std::uint32_t>(Phase::gathering);
    verdict.error.expected = 0x3132'3334'3536'3738U;
    verdict.error.got = 0x4142'4344'4546'4748U;
    verdict.range_count = 2;
    verdict.more_ranks = 0x0005'0607U;
    verdict.ranges[0] = {3, 4};
    verdict.ranges[1] = {4000, 4007};
    return verdict;
}

Bytes encoded(Verdict const& verdict) {
    Bytes bytes(kVerdictBytes);
    encode_verdict(verdict, bytes);
    return bytes;
}

void expect_equal(Verdict const& left, Verdict const& right) {
    EXPECT_EQ(left.error, right.error);
    EXPECT_EQ(left.more_ranks, right.more_ranks);
    ASSERT_EQ(left.range_count, right.range_count);
    for (std::uint32_t i = 0; i < left.range_count; ++i)
        EXPECT_EQ(left.ranges[i], right.ranges[i]);
}

TEST(Verdict, HasTheBytesThatTheProtocolPromises) {
    Bytes expected = bytes_of({
        2,    3,    2,    1,    0xfe, 0xff, 0xff, 0xff,  // code, phase, failure, field, errno
        0x04, 0x03, 0x02, 0x01, 0x14, 0x13, 0x12, 0x11,  // about, other
        0x24, 0x23, 0x22, 0x21, 6,    0,    0,    0,     // reporter, about's phase
        0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,  // expected
        0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41,  // got
        2,    0,    0,    0,    0x07, 0x06, 0x05, 0,     // ranges listed, ranks beyond them
        3,    0,    0,    0,    4,    0,    0,    0,     //
        0xa0, 0x0f, 0,    0,    0xa7, 0x0f, 0,    0,     //
    });
    expected.resize(kVerdictBytes);
    EXPECT_EQ(encoded(example()), expected);
    expect_equal(decode_verdict(expected), example());
}

TEST(Verdict, AnErrorLooksTheSameInMemoryAndOnTheWireOnLittleEndianHosts) {
    if constexpr (std::endian::native != std::endian::little) {
        GTEST_SKIP() << "the host is not little-endian";
    } else {
        Verdict const verdict = example();
        EXPECT_EQ(std::memcmp(&verdict.error, encoded(verdict).data(), kErrorBytes), 0);
    }
}

TEST(Verdict, AllRangesTravel) {
    Verdict verdict = example();
    verdict.range_count = kMaxRanges;
    for (std::uint32_t i = 0; i < kMaxRanges; ++i)
        verdict.ranges[i] = {i * 10, i * 10 + i};
    expect_equal(decode_verdict(encoded(verdict)), verdict);
}

TEST(Verdict, LeftOversBehindTheLastRangeStayAtHome) {
    Verdict verdict = example();
    verdict.range_count = 1;
    Bytes const bytes = encoded(verdict);
    for (std::size_t i = kErrorBytes + 8 + 8; i < bytes.size(); ++i)
        EXPECT_EQ(bytes[i], std::byte{0}) << i;
}

TEST(Verdict, HostileCountsAreClamped) {
    Bytes bytes = encoded(example());
    for (std::size_t i = kErrorBytes; i < kErrorBytes + 8; ++i)
        bytes[i] = std::byte{0xff};
    Verdict const verdict = decode_verdict(bytes);
    EXPECT_EQ(verdict.range_count, kMaxRanges);
    EXPECT_EQ(verdict.more_ranks, kMaxRanks);

    Verdict too_many = example();
    too_many.range_count = 1000;
    EXPECT_EQ(decode_verdict(encoded(too_many)).range_count, kMaxRanges);
}

/// Each of the 256 values of one byte: those of the enumeration come through, all others are nonsense.
void try_all_values_of(std::size_t offset, int count) {
    Verdict const original = example();
    for (int value = 0; value < 256; ++value) {
        Bytes bytes = encoded(original);
        bytes[offset] = static_cast<std::byte>(value);
        Error const error = decode_verdict(bytes).error;
        if (value < count) {
            Verdict again;
            again.error = error;
            EXPECT_EQ(static_cast<int>(encoded(again)[offset]), value);
            EXPECT_EQ(error.about, original.error.about);
        } else {
            EXPECT_EQ(error.code, Code::protocol_violation) << "offset " << offset << ", value " << value;
            EXPECT_EQ(error.failure, Failure::malformed);
            EXPECT_EQ(error.about, kNoRank) << "damaged bytes accuse nobody";
        }
    }
}

TEST(Verdict, EnumeratorsOutOfRangeBecomeAProtocolViolation) {
    try_all_values_of(0, kCodeCount);
    try_all_values_of(1, kPhaseCount);
    try_all_values_of(2, kFailureCount);
    try_all_values_of(3, kFieldCount);
    try_all_values_of(20, kPhaseCount);
}

TEST(Verdict, AnAlienPhaseOfTheCulpritIsFoundInAllFourBytes) {
    for (std::size_t i = 21; i < 24; ++i) {
        Bytes bytes = encoded(example());
        bytes[i] = std::byte{1};
        EXPECT_EQ(decode_verdict(bytes).error.code, Code::protocol_violation);
    }
}

TEST(Verdict, NoiseIsReadAndDescribedWithoutHarm) {
    Noise noise(3);
    for (int i = 0; i < 20'000; ++i) {
        Bytes bytes = noise.bytes(kVerdictBytes);
        if (i % 2 == 0) {  // half of them get past the enumerators
            bytes[0] = static_cast<std::byte>(noise.below(kCodeCount));
            bytes[1] = static_cast<std::byte>(noise.below(kPhaseCount));
            bytes[2] = static_cast<std::byte>(noise.below(kFailureCount));
            bytes[3] = static_cast<std::byte>(noise.below(kFieldCount));
            bytes[20] = static_cast<std::byte>(noise.below(kPhaseCount));
            bytes[21] = bytes[22] = bytes[23] = std::byte{0};
        }
        Verdict const verdict = decode_verdict(bytes);
        ASSERT_LE(verdict.range_count, kMaxRanges);
        ASSERT_LE(verdict.more_ranks, kMaxRanks);
        ASSERT_LT(static_cast<std::uint32_t>(verdict.error.code), kCodeCount);
        ASSERT_LT(verdict.error.about_phase, kPhaseCount);
        ASSERT_EQ(describe(verdict).find('\n'), std::string::npos);
        ASSERT_FALSE(remedy_for(verdict.error).empty());
        expect_equal(decode_verdict(encoded(verdict)), verdict);
    }
}

TEST(VerdictDeathTest, TooLittleRoomStopsTheProcess) {
    Bytes room(kVerdictBytes - 1);
    EXPECT_DEATH(encode_verdict(example(), room), "a verdict needs kVerdictBytes");
    EXPECT_DEATH(static_cast<void>(decode_verdict(room)), "a verdict is kVerdictBytes long");
}

}  // namespace
}  // namespace ronde::protocol
