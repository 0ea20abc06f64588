/// The recurrence says of every rank what letting every frame travel says, to the nanosecond.
#include "forward/expectations.hpp"
#include "forward/worlds.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kMicrosecondNs;
using protocol::Turns;

constexpr Gather kGathers[] = {Gather::ring, Gather::ring2};
constexpr Turns kTurns[] = {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive};

TEST(Recurrence, EqualsEventsInRandomRings) {
    for (std::uint64_t number = 0; number < tests::worlds_to_play(600); ++number) {
        expect_same_as_events(random_ring(number), {.closed_form = false});
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
                expect_same_as_events(ring, {.closed_form = false});
            }
        }
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
    expect_same_as_events(ring, {.closed_form = false});
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
