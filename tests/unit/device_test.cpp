#include "bytes_support.hpp"
#include "protocol/entry.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ronde::protocol {
namespace {

using testing::Noise;

Entry on(std::uint64_t host_id, std::uint64_t device_id, RankId rank = 0) {
    Entry entry;
    entry.host_id = host_id;
    entry.device_id = device_id;
    entry.rank = rank;
    return entry;
}

/// The documented choice, found by trying all pairs.
DevicePair by_trying_all_pairs(std::vector<Entry> const& table) {
    for (RankId second = 0; second < table.size(); ++second) {
        if (table[second].device_id == kNoDevice)
            continue;
        for (RankId first = 0; first < second; ++first) {
            bool const same_host = table[first].host_id == table[second].host_id;
            if (same_host && table[first].device_id == table[second].device_id)
                return {first, second};
        }
    }
    return {};
}

void expect_pair(DevicePair pair, RankId first, RankId second) {
    EXPECT_EQ(pair.first, first);
    EXPECT_EQ(pair.second, second);
}

TEST(DuplicateDevice, NothingIsFoundWhereNothingIs) {
    expect_pair(find_duplicate_device({}), kNoRank, kNoRank);
    std::vector<Entry> const table{on(1, 0), on(1, 1), on(2, 0), on(2, 1)};
    expect_pair(find_duplicate_device(table), kNoRank, kNoRank);
}

TEST(DuplicateDevice, RanksWithoutDeviceNeverCollide) {
    std::vector<Entry> const table(5, on(7, kNoDevice));
    expect_pair(find_duplicate_device(table), kNoRank, kNoRank);
}

TEST(DuplicateDevice, OneDeviceOnTwoHostsIsTwoDevices) {
    std::vector<Entry> const table{on(1, 3), on(2, 3), on(1, 3)};
    expect_pair(find_duplicate_device(table), 0, 2);
}

// Ranks 0 to 5 all took the first device of their host: everyone names the same pair.
TEST(DuplicateDevice, OfSixClaimantsTheFirstTwoAreNamed) {
    std::vector<Entry> table(8, on(1, 0));
    table[6].device_id = 6;
    table[7].device_id = 7;
    expect_pair(find_duplicate_device(table), 0, 1);
}

TEST(DuplicateDevice, OfSeveralPairsTheOneWithTheLowestSecondRankIsNamed) {
    //                              0         1         2         3         4         5
    std::vector<Entry> const table{on(9, 9), on(1, 1), on(5, 0), on(1, 1), on(5, 0), on(9, 9)};
    expect_pair(find_duplicate_device(table), 1, 3);
}

TEST(DuplicateDevice, RanksArePlacesInTheTableAndNotWhatEntriesSay) {
    std::vector<Entry> const table{on(1, 1, 77), on(1, 1, 88)};
    expect_pair(find_duplicate_device(table), 0, 1);
}

TEST(DuplicateDevice, AgreesWithTryingAllPairsOnSmallTables) {
    Noise noise(2);
    for (int round = 0; round < 5'000; ++round) {
        std::vector<Entry> table(noise.below(12));
        for (Entry& entry : table) {
            std::uint64_t const device = noise.below(6);
            entry = on(noise.below(3), device == 5 ? kNoDevice : device);
        }
        DevicePair const expected = by_trying_all_pairs(table);
        DevicePair const found = find_duplicate_device(table);
        ASSERT_EQ(found.first, expected.first) << "table " << round;
        ASSERT_EQ(found.second, expected.second) << "table " << round;
    }
}

TEST(DuplicateDevice, FindsTheOneAmong98304Ranks) {
    constexpr std::uint32_t kRanks = 98'304;
    std::vector<Entry> table;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
        table.push_back(on(0x1234'5678'9abcU * (rank / 8 + 1), rank % 8, rank));
    expect_pair(find_duplicate_device(table), kNoRank, kNoRank);

    table[kRanks - 1].device_id = table[kRanks - 3].device_id;
    expect_pair(find_duplicate_device(table), kRanks - 3, kRanks - 1);

    table[50'001] = on(table[2].host_id, table[2].device_id);
    expect_pair(find_duplicate_device(table), 2, 50'001);
}

}  // namespace
}  // namespace ronde::protocol
