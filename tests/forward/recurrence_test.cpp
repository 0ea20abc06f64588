/// The recurrence says of every rank what letting every frame travel says, to the nanosecond.
#include "forward/reference.hpp"
#include "forward/worlds.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kMicrosecondNs;
using protocol::kSecondNs;
using protocol::Turns;

constexpr Gather kGathers[] = {Gather::ring, Gather::ring2};
constexpr Turns kTurns[] = {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive};

void expect_equal(RingForward const& ring, ForwardOptions const& options) {
    ForwardResult expected = play(ring);
    auto const actual = forward(ring, options);
    ASSERT_TRUE(actual) << actual.error();
    expected.cells = actual->cells;
    EXPECT_EQ(*actual, expected) << words(ring);
}

TEST(Recurrence, EqualsEventsInRandomRings) {
    for (std::uint64_t number = 0; number < 600; ++number) {
        expect_equal(random_ring(number), {.closed_form = false});
        if (HasFailure())
            return;
    }
}

TEST(Recurrence, EqualsEventsInEverySmallRing) {
    for (Gather const gather : kGathers) {
        for (Turns const turns : kTurns) {
            for (std::uint32_t nranks = 1; nranks <= 20; ++nranks) {
                RingForward ring;
                ring.nranks = nranks;
                ring.gather = gather;
                ring.turns = turns;
                ring.forward.kinds = {Distribution::log_normal(20 * kMicrosecondNs, 500)};
                ring.backward.kinds = {Distribution::uniform(1 * kMicrosecondNs, 50 * kMicrosecondNs)};
                expect_equal(ring, {.closed_form = false});
            }
        }
    }
}

// More ranks than a tile delivers, and more turns than it takes, so that tiles are exchanged and the seam is crossed.
TEST(Recurrence, EqualsEventsAcrossManyTiles) {
    for (Gather const gather : kGathers) {
        RingForward ring;
        ring.nranks = 1'301;
        ring.gather = gather;
        ring.turns = gather == Gather::ring ? Turns::pipelined : Turns::lock_step;
        ring.forward.kinds = {Distribution::log_normal(20 * kMicrosecondNs, 500)};
        ring.backward.kinds = {Distribution::exponential(20 * kMicrosecondNs)};
        for (std::uint32_t r = 0; r < ring.nranks; ++r)
            ring.start_ns.push_back(r % 7 * kMicrosecondNs);
        ring.start_ns[300] = 3 * kSecondNs;   // of 32 bits all are needed near this rank
        ring.start_ns[900] = 60 * kSecondNs;  // and only tiles near this one need 64
        expect_equal(ring, {.threads = 2, .closed_form = false, .tile_ranks = 256});
    }
}

TEST(Recurrence, APredecessorThatIsTurnsAheadIsCountedWhenItsFramesArrive) {
    RingForward ring;
    ring.nranks = 9;
    ring.gather = Gather::ring2;
    ring.turns = Turns::lock_step_lengths;
    ring.forward.kinds = {Distribution::constant(1)};
    ring.backward.kinds = {Distribution::constant(1)};
    ring.backward.constant_ns = {0, 0, 0, 500'000, 0, 0, 0, 0, 0};
    expect_equal(ring, {.closed_form = false});
}

TEST(Recurrence, ARankAloneIsDoneWhenItBegins) {
    RingForward ring;
    ring.start_ns = {42};
    for (Gather const gather : kGathers) {
        ring.gather = gather;
        auto const result = forward(ring);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->done_ns, std::vector<TimeNs>{42});
        EXPECT_EQ(result->messages, 0U);
    }
}

TEST(Recurrence, AnotherGatherOfTheSameWorldTakesOtherDelays) {
    RingForward ring;
    ring.nranks = 50;
    ring.forward.kinds = {Distribution::log_normal(20 * kMicrosecondNs, 500)};
    auto const table = forward(ring);
    ring.operation = 1;
    auto const first = forward(ring);
    ASSERT_TRUE(table && first);
    EXPECT_NE(table->done_ns, first->done_ns);
}

}  // namespace
}  // namespace ronde::sim
