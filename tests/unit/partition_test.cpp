#include "protocol/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ronde::protocol {
namespace {

using Blocks = std::vector<std::vector<RankId>>;

Blocks blocks_of(Partition const& partition) {
    Blocks blocks;
    for (std::uint32_t root = 0; root < partition.nroots; ++root) {
        std::vector<RankId> block;
        for (std::uint32_t i = 0; i < partition.size_of(root); ++i)
            block.push_back(partition.first_of(root) + i);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

struct Extra {
    RankId rank;
    std::uint32_t root;
    std::uint32_t local_id;
    friend bool operator==(Extra const&, Extra const&) = default;
};

/// The second check-ins: who, at which root, as which number there.
std::vector<Extra> extras_of(Partition const& partition) {
    std::vector<Extra> extras;
    for (RankId rank = 0; rank < partition.nranks; ++rank) {
        if (!partition.is_boundary(rank))
            continue;
        std::uint32_t const root = partition.previous_root(partition.root_of(rank));
        extras.push_back({rank, root, partition.local_id(root, rank)});
    }
    return extras;
}

TEST(Partition, SevenRanksOverThreeRoots) {
    Partition const partition{7, 3};
    EXPECT_EQ(blocks_of(partition), (Blocks{{0, 1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(extras_of(partition), (std::vector<Extra>{{0, 2, 2}, {3, 0, 3}, {5, 1, 2}}));
}

TEST(Partition, TenRanksOverFourRoots) {
    Partition const partition{10, 4};
    EXPECT_EQ(blocks_of(partition), (Blocks{{0, 1, 2}, {3, 4, 5}, {6, 7}, {8, 9}}));
    // Rank 0 presents itself at root 3 behind rank 9, where rank 10 would stand.
    EXPECT_EQ(extras_of(partition), (std::vector<Extra>{{0, 3, 2}, {3, 0, 3}, {6, 1, 3}, {8, 2, 2}}));
    for (std::uint32_t root = 0; root < 4; ++root)
        EXPECT_EQ(partition.expected_check_ins(root), partition.size_of(root) + 1);
}

TEST(Partition, ARootForEveryRank) {
    Partition const partition{5, 5};
    EXPECT_EQ(blocks_of(partition), (Blocks{{0}, {1}, {2}, {3}, {4}}));
    for (RankId rank = 0; rank < 5; ++rank) {
        EXPECT_TRUE(partition.is_boundary(rank));
        EXPECT_EQ(partition.expected_check_ins(rank), 2U);
    }
}

TEST(Partition, OneRootServesEveryoneAndNobodyChecksInTwice) {
    for (std::uint32_t const nranks : {1U, 2U, 8U, kMaxRanks}) {
        Partition const partition{nranks, 1};
        EXPECT_EQ(partition.size_of(0), nranks);
        EXPECT_EQ(partition.expected_check_ins(0), nranks);
        EXPECT_EQ(partition.previous_root(0), 0U);
        for (RankId const rank : {RankId{0}, nranks / 2, nranks - 1}) {
            EXPECT_EQ(partition.root_of(rank), 0U);
            EXPECT_EQ(partition.local_id(0, rank), rank);
            EXPECT_FALSE(partition.is_boundary(rank));
        }
    }
}

/// Everything that a root and its ranks count on, for one way of dealing.
void expect_consistent(Partition const& partition) {
    SCOPED_TRACE(::testing::Message() << partition.nranks << " ranks, " << partition.nroots << " roots");
    RankId next = 0;
    std::uint32_t extras = 0;
    for (std::uint32_t root = 0; root < partition.nroots; ++root) {
        ASSERT_EQ(partition.first_of(root), next) << "blocks follow each other";
        ASSERT_GE(partition.size_of(root), 1U);
        if (root > 0) {
            ASSERT_LE(partition.size_of(root), partition.size_of(root - 1)) << "larger blocks come first";
        }
        for (std::uint32_t i = 0; i < partition.size_of(root); ++i, ++next) {
            ASSERT_EQ(partition.root_of(next), root);
            ASSERT_EQ(partition.local_id(root, next), i);
            ASSERT_EQ(partition.is_boundary(next), partition.nroots > 1 && i == 0);
        }
    }
    ASSERT_EQ(next, partition.nranks) << "every rank is dealt once";
    ASSERT_LE(partition.size_of(0) - partition.size_of(partition.nroots - 1), 1U);

    // A root answers exactly those it expects: each rank of its block learns its successor there.
    for (std::uint32_t root = 0; root < partition.nroots; ++root) {
        std::vector<bool> seen(partition.expected_check_ins(root));
        for (RankId rank = 0; rank < partition.nranks; ++rank) {
            bool const mine = partition.root_of(rank) == root;
            bool const extra = partition.is_boundary(rank) && partition.previous_root(partition.root_of(rank)) == root;
            std::uint32_t const local_id = partition.local_id(root, rank);
            ASSERT_EQ(local_id < partition.expected_check_ins(root), mine || extra) << "rank " << rank;
            if (!mine && !extra)
                continue;
            ASSERT_FALSE(seen[local_id]);
            seen[local_id] = true;
            extras += extra ? 1U : 0U;
            if (extra) {
                ASSERT_EQ(local_id, partition.size_of(root)) << "the extra one comes last";
                ASSERT_EQ(predecessor_of(rank, partition.nranks),
                          partition.first_of(root) + partition.size_of(root) - 1);
            }
        }
        ASSERT_EQ(std::count(seen.begin(), seen.end(), false), 0);
    }
    ASSERT_EQ(extras, partition.nroots > 1 ? partition.nroots : 0U);
}

TEST(Partition, IsConsistentForAllSizesUpTo64) {
    for (std::uint32_t nranks = 1; nranks <= 64; ++nranks) {
        for (std::uint32_t nroots = 1; nroots <= nranks; ++nroots)
            expect_consistent({nranks, nroots});
    }
}

TEST(Partition, HoldsAtTheLimits) {
    Partition const partition{kMaxRanks, kMaxRoots};
    EXPECT_EQ(partition.size_of(0), 256U);
    EXPECT_EQ(partition.root_of(kMaxRanks - 1), kMaxRoots - 1);
    Partition const uneven{kMaxRanks, 4095};
    EXPECT_EQ(uneven.first_of(4094) + uneven.size_of(4094), kMaxRanks);
    EXPECT_EQ(uneven.root_of(kMaxRanks - 1), 4094U);
}

TEST(Ring, NeighboursAreInverseToEachOther) {
    for (std::uint32_t nranks = 1; nranks <= 9; ++nranks) {
        for (RankId rank = 0; rank < nranks; ++rank) {
            for (std::uint64_t hops = 0; hops < 20; ++hops)
                EXPECT_EQ(predecessor_of(successor_of(rank, nranks, hops), nranks, hops), rank);
        }
    }
    EXPECT_EQ(successor_of(6, 7), 0U);
    EXPECT_EQ(predecessor_of(0, 7), 6U);
    EXPECT_EQ(successor_of(kMaxRanks - 1, kMaxRanks, std::uint64_t{1} << 19), (kMaxRanks / 2) - 1);
}

TEST(Log2Ceil, CountsRounds) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> const expected{
        {0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {98'304, 17}, {kMaxRanks, kMaxChords}};
    for (auto const& [value, rounds] : expected)
        EXPECT_EQ(log2_ceil(value), rounds) << value;
    EXPECT_EQ(log2_ceil(std::uint64_t{1} << 63), 63U);
}

}  // namespace
}  // namespace ronde::protocol
