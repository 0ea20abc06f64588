#include "engine/digest.hpp"

#include "engine/draw.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ronde::sim {
namespace {

std::vector<std::byte> bytes_of(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(draw(5, 5, i));
    return bytes;
}

TEST(Digest, IsTheSameFromEveryCompiler) {
    RunningDigest digest;
    EXPECT_EQ(to_text(digest.value()), "00000000000000000000000000000000");
    digest.absorb(std::uint64_t{1});
    EXPECT_EQ(to_text(digest.value()), "c593caef5beb91531142095698ccd54c");
    for (std::size_t const size : {0UL, 1UL, 8UL, 17UL, 128UL, 240UL, 241UL, 256UL, 1'000UL, 70'000UL})
        digest.absorb(bytes_of(size));
    EXPECT_EQ(to_text(digest.value()), "fa658dfffb1496f4393478ea4dd3aadc");
    EXPECT_EQ(digest.records(), 11U);
}

TEST(Digest, EveryByteOfEveryPlaceCounts) {
    for (std::size_t const size : {1UL, 16UL, 200UL, 256UL, 600UL}) {
        std::set<Digest128> seen;
        std::vector<std::byte> bytes = bytes_of(size);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] ^= std::byte{1};
            RunningDigest digest;
            digest.absorb(bytes);
            digest.absorb(std::uint64_t{7});
            seen.insert(digest.value());
            bytes[i] ^= std::byte{1};
        }
        EXPECT_EQ(seen.size(), size);
    }
}

TEST(Digest, OrderAndBoundsOfRecordsCount) {
    auto const of = [](std::vector<std::vector<std::byte>> const& records) {
        RunningDigest digest;
        for (auto const& record : records)
            digest.absorb(record);
        return digest.value();
    };
    auto const a = bytes_of(256);
    std::vector<std::byte> const front(a.begin(), a.begin() + 128);
    std::vector<std::byte> const back(a.begin() + 128, a.end());
    EXPECT_NE(of({front, back}), of({back, front}));
    EXPECT_NE(of({front, back}), of({a}));
    EXPECT_NE(of({a}), of({a, {}}));
    EXPECT_NE(of({}), of({{}}));

    std::vector<std::byte> swapped = back;
    swapped.insert(swapped.end(), front.begin(), front.end());
    EXPECT_NE(of({a}), of({swapped}));
}

TEST(Digest, ADifferenceIsNeverForgotten) {
    RunningDigest a;
    RunningDigest b;
    a.absorb(std::uint64_t{1});
    b.absorb(std::uint64_t{2});
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        a.absorb(i);
        b.absorb(i);
        ASSERT_NE(a.value(), b.value());
    }
}

TEST(Digest, ACopyGoesItsOwnWay) {
    RunningDigest a;
    a.absorb(std::uint64_t{1});
    RunningDigest b = a;
    b.absorb(std::uint64_t{2});
    EXPECT_NE(a.value(), b.value());
    a.absorb(std::uint64_t{2});
    EXPECT_EQ(a.value(), b.value());
}

TEST(Digest, IsReadAsItIsWritten) {
    Digest128 const digest{0x0123'4567'89ab'cdefU, 0x0000'0000'0000'00ffU};
    EXPECT_EQ(to_text(digest), "0123456789abcdef00000000000000ff");
    EXPECT_EQ(digest_from(to_text(digest)), digest);
    EXPECT_FALSE(digest_from("0123456789abcdef00000000000000f"));
    EXPECT_FALSE(digest_from("0123456789abcdef00000000000000fg"));
    EXPECT_FALSE(digest_from("0123456789ABCDEF00000000000000ff"));
    EXPECT_LT((Digest128{0, 9}), (Digest128{1, 0}));
}

}  // namespace
}  // namespace ronde::sim
