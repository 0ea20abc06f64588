/// The sliding maximum is the recurrence, wherever it is taken.
#include "forward/closed_form.hpp"

#include "forward/reference.hpp"
#include "forward/worlds.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::Turns;

TEST(ClosedForm, EqualsEventsInRandomRings) {
    std::uint64_t const rings = tests::worlds_to_play(600);
    std::uint64_t taken = 0;
    for (std::uint64_t number = 0; number < rings; ++number) {
        RingForward const ring = random_ring(number, {.constant_delays = true});
        ForwardResult expected = play(ring);
        auto const actual = forward(ring);
        ASSERT_TRUE(actual) << actual.error();
        taken += actual->cells == 0 ? 1U : 0U;
        expected.cells = actual->cells;
        ASSERT_EQ(*actual, expected) << words(ring);
    }
    EXPECT_GT(taken, rings / 3);
}

TEST(ClosedForm, IsTakenWhereItIsExactAndNowhereElse) {
    RingForward ring;
    ring.nranks = 6;
    ring.forward.kinds = {Distribution::constant(5), Distribution::constant(7)};
    ring.forward.kind_of_link = {0, 1, 0, 1, 1, 1};
    EXPECT_TRUE(has_closed_form(ring, RingTurns::of(ring)));

    RingForward busy_and_served = ring;
    busy_and_served.bytes_per_second = 1'000'000;
    EXPECT_TRUE(has_closed_form(busy_and_served, RingTurns::of(busy_and_served)));
    busy_and_served.service_ns.assign(6, 3);
    EXPECT_FALSE(has_closed_form(busy_and_served, RingTurns::of(busy_and_served)));

    RingForward one_is_slow = ring;
    one_is_slow.service_ns.assign(6, 3);
    EXPECT_TRUE(has_closed_form(one_is_slow, RingTurns::of(one_is_slow)));
    one_is_slow.service_ns[4] = 4;
    EXPECT_FALSE(has_closed_form(one_is_slow, RingTurns::of(one_is_slow)));

    RingForward varies = ring;
    varies.forward.kinds[1] = Distribution::uniform(7, 8);
    EXPECT_FALSE(has_closed_form(varies, RingTurns::of(varies)));

    RingForward both_ways = ring;
    both_ways.gather = Gather::ring2;
    both_ways.turns = Turns::lock_step;
    EXPECT_FALSE(has_closed_form(both_ways, RingTurns::of(both_ways)));
}

// A million ranks are more than anybody lets travel frame by frame; the sum of all links is the longest path there is.
TEST(ClosedForm, AMillionRanksEndWithTheLongestWayAround) {
    RingForward ring;
    ring.nranks = 1'000'000;
    ring.forward.kinds = {Distribution::constant(0)};
    TimeNs all_ns = 0;
    for (std::uint32_t r = 0; r < ring.nranks; ++r) {
        ring.forward.constant_ns.push_back(10'000 + r % 97);
        all_ns += ring.forward.constant_ns.back();
    }
    auto const result = forward(ring);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->cells, 0U);
    // Rank r's last slice has passed every link but the one that r sends on.
    for (std::uint32_t const r : {0U, 1U, 96U, 500'000U, 999'999U})
        EXPECT_EQ(result->done_ns[r], all_ns - ring.forward.constant_ns[r]);
}

}  // namespace
}  // namespace ronde::sim
