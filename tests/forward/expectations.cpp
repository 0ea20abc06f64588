#include "forward/expectations.hpp"

#include "forward/reference.hpp"
#include "forward/worlds.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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
    for (std::uint64_t number = 0; number < tests::worlds_to_play(100); ++number)
        rings.push_back(random_ring(1'000 + number));
    return rings;
}

}  // namespace

void expect_same_as_events(RingForward const& ring, ForwardOptions const& options) {
    ForwardResult expected = play(ring);
    auto const actual = forward(ring, options);
    ASSERT_TRUE(actual) << actual.error();
    expected.cells = actual->cells;
    EXPECT_EQ(*actual, expected) << words(ring);
}

void expect_same_as_portable(ForwardOptions options) {
    if (!has_isa(options.isa))
        GTEST_SKIP() << "this machine has no " << name_of(options.isa);
    options.closed_form = false;
    // Cells are as many as ranks squared, and threads meet once for each turn of a tile.
    std::uint32_t const most_ranks =
        tests::kSanitized ? std::min(1'000U, 100U * options.tile_ranks) : protocol::kMaxRanks;
    for (RingForward const& ring : rings()) {
        if (ring.nranks > most_ranks)
            continue;
        auto const portable = forward(ring, {.isa = Isa::portable, .closed_form = false});
        auto const other = forward(ring, options);
        ASSERT_TRUE(portable && other);
        ASSERT_EQ(*other, *portable) << words(ring);
    }
}

}  // namespace ronde::sim
