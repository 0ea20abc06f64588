/// Every number of threads and every size of tiles gives the same nanoseconds.
#include "forward/expectations.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kMicrosecondNs;
using protocol::kSecondNs;
using protocol::Turns;

TEST(Threads, TwoSayWhatOneSays) { expect_same_as_portable({.threads = 2}); }

TEST(Threads, MoreThanTilesSayWhatOneSays) { expect_same_as_portable({.threads = 5, .isa = Isa::portable}); }

// A tile of n ranks takes n / 8 turns: one at a time, some passes of several and the rest one by one, passes only.
TEST(Threads, TilesOfAnySizeSayWhatOneTileSays) {
    for (std::uint32_t const tile_ranks : {1U, 40U, 100U, 512U}) {
        expect_same_as_portable({.threads = 2, .tile_ranks = tile_ranks});
        if (HasFailure())
            return;
    }
}

// More ranks than a tile delivers, and more turns than it takes, so that tiles are exchanged and the seam is crossed.
TEST(Threads, ManyTilesOfTwoSayWhatEventsSay) {
    std::uint32_t const tile_ranks = tests::kSanitized ? 96 : 256;
    for (Gather const gather : {Gather::ring, Gather::ring2}) {
        RingForward ring;
        ring.nranks = 5 * tile_ranks + 21;
        ring.gather = gather;
        ring.turns = gather == Gather::ring ? Turns::pipelined : Turns::lock_step;
        ring.forward.kinds = {Distribution::log_normal(20 * kMicrosecondNs, 500)};
        ring.backward.kinds = {Distribution::exponential(20 * kMicrosecondNs)};
        for (std::uint32_t r = 0; r < ring.nranks; ++r)
            ring.start_ns.push_back(r % 7 * kMicrosecondNs);
        ring.start_ns[tile_ranks + 44] = 3 * kSecondNs;        // of 32 bits all are needed near this rank
        ring.start_ns[3 * tile_ranks + 132] = 60 * kSecondNs;  // and only tiles near this one need 64
        expect_same_as_events(ring, {.threads = 2, .closed_form = false, .tile_ranks = tile_ranks});
    }
}

}  // namespace
}  // namespace ronde::sim
