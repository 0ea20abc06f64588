/// How nranks ranks are dealt to nroots roots: consecutive blocks, the larger ones first [clause 4].
#pragma once

#include "protocol/units.hpp"

namespace ronde::protocol {

/// Pure arithmetic on (nranks, nroots); requires 1 <= nroots <= nranks.
struct Partition {
    std::uint32_t nranks = 1;
    std::uint32_t nroots = 1;

    /// Ranks in root `root`'s block.
    [[nodiscard]] constexpr std::uint32_t size_of(std::uint32_t root) const {
        return nranks / nroots + (root < nranks % nroots ? 1U : 0U);
    }
    /// First rank of root `root`'s block.
    [[nodiscard]] constexpr RankId first_of(std::uint32_t root) const {
        std::uint32_t const larger = nranks % nroots;
        return root * (nranks / nroots) + (root < larger ? root : larger);
    }
    /// The root that serves `rank`.
    [[nodiscard]] constexpr std::uint32_t root_of(RankId rank) const {
        std::uint32_t const small = nranks / nroots;
        std::uint32_t const larger = nranks % nroots;
        std::uint32_t const in_larger = larger * (small + 1U);
        return rank < in_larger ? rank / (small + 1U) : larger + (rank - in_larger) / small;
    }
    /// The root that serves the block before root `root`'s; where a block's first rank checks in a second time.
    [[nodiscard]] constexpr std::uint32_t previous_root(std::uint32_t root) const {
        return (root + nroots - 1U) % nroots;
    }
    /// Whether `rank` checks in twice: it is the first of its block and there is another root.
    [[nodiscard]] constexpr bool is_boundary(RankId rank) const {
        return nroots > 1U && rank == first_of(root_of(rank));
    }
    /// Check-ins that root `root` waits for: its block, and the first rank of the next block when there is one.
    [[nodiscard]] constexpr std::uint32_t expected_check_ins(std::uint32_t root) const {
        return size_of(root) + (nroots > 1U ? 1U : 0U);
    }
    /// Number of `rank` within root `root`'s check-ins: 0 .. size-1 for its block, size for the extra one.
    /// Returns expected_check_ins(root) or more when `rank` has no business at that root.
    [[nodiscard]] constexpr std::uint32_t local_id(std::uint32_t root, RankId rank) const {
        return (rank + nranks - first_of(root)) % nranks;
    }
};

constexpr RankId successor_of(RankId rank, std::uint32_t nranks, std::uint64_t hops = 1) {
    return static_cast<RankId>((rank + hops) % nranks);
}
constexpr RankId predecessor_of(RankId rank, std::uint32_t nranks, std::uint64_t hops = 1) {
    return static_cast<RankId>((rank + nranks - hops % nranks) % nranks);
}
/// Smallest k with 2^k >= value; 0 for values 0 and 1.
constexpr std::uint32_t log2_ceil(std::uint64_t value) {
    std::uint32_t k = 0;
    while ((std::uint64_t{1} << k) < value)
        ++k;
    return k;
}

}  // namespace ronde::protocol
