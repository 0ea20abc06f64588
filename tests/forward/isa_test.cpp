/// Every instruction set and every number of threads gives the same nanoseconds.
#include "forward/worlds.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kMicrosecondNs;
using protocol::Turns;

/// Rings whose sizes are no multiple of any vector, with a part of each thing that a kernel does.
std::vector<RingForward> rings() {
    std::vector<RingForward> rings;
    for (std::uint32_t const nranks : {2U, 15U, 33U, 517U, 2'051U}) {
        for (Gather const gather : {Gather::ring, Gather::ring2}) {
            for (Turns const turns : {Turns::pipelined, Turns::lock_step_lengths}) {
                RingForward ring;
                ring.nranks = nranks;
                ring.gather = gather;
                ring.turns = turns;
                ring.bytes_per_second = nranks % 2 == 0 ? 0 : 100'000'000;
                ring.forward.kinds = {Distribution::log_normal(20 * kMicrosecondNs, 500),
                                      Distribution::uniform(2 * kMicrosecondNs, 9 * kMicrosecondNs)};
                ring.backward.kinds = {Distribution::exponential(20 * kMicrosecondNs)};
                for (std::uint32_t r = 0; r < nranks; ++r) {
                    ring.forward.kind_of_link.push_back(r % 8 == 7 ? 0 : 1);
                    ring.start_ns.push_back(r % 13 * 100 * kMicrosecondNs);
                }
                if (gather == Gather::ring)
                    ring.service_ns.assign(nranks, 700);
                rings.push_back(ring);
            }
        }
    }
    for (std::uint64_t number = 0; number < 100; ++number)
        rings.push_back(random_ring(1'000 + number));
    return rings;
}

void expect_same_as_portable(ForwardOptions options) {
    if (!has_isa(options.isa))
        GTEST_SKIP() << "this machine has no " << name_of(options.isa);
    options.closed_form = false;
    for (RingForward const& ring : rings()) {
        auto const portable = forward(ring, {.isa = Isa::portable, .closed_form = false});
        auto const other = forward(ring, options);
        ASSERT_TRUE(portable && other);
        ASSERT_EQ(*other, *portable) << words(ring);
    }
}

TEST(InstructionSets, Avx2SaysWhatPortableSays) { expect_same_as_portable({.isa = Isa::avx2}); }

TEST(InstructionSets, Avx512SaysWhatPortableSays) { expect_same_as_portable({.isa = Isa::avx512}); }

TEST(InstructionSets, TwoThreadsSayWhatOneSays) { expect_same_as_portable({.threads = 2}); }

TEST(InstructionSets, MoreThreadsThanTilesSayWhatOneSays) {
    expect_same_as_portable({.threads = 5, .isa = Isa::portable});
}

// A tile of n ranks takes n / 8 turns: one at a time, some passes of several and the rest one by one, passes only.
TEST(InstructionSets, TilesOfAnySizeSayWhatOneTileSays) {
    for (std::uint32_t const tile_ranks : {1U, 40U, 100U, 512U}) {
        expect_same_as_portable({.threads = 2, .tile_ranks = tile_ranks});
        if (HasFailure())
            return;
    }
}

TEST(InstructionSets, OneThatIsNotThereIsRefused) {
    for (Isa const isa : {Isa::avx2, Isa::avx512}) {
        auto const result = forward(RingForward{}, {.isa = isa});
        EXPECT_EQ(result.has_value(), has_isa(isa));
        if (!result) {
            EXPECT_NE(result.error().find(name_of(isa)), std::string::npos) << result.error();
        }
    }
}

}  // namespace
}  // namespace ronde::sim
