/// What is known of ring gathers in closed terms, and a few numbers that must never change.
#include "forward/ring_forward.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kMicrosecondNs;
using protocol::Turns;

constexpr std::uint32_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 63, 64, 1'001, 4'096};
constexpr TimeNs kLatencyNs = 20 * kMicrosecondNs;

RingForward ring_of(std::uint32_t nranks, Gather gather, Turns turns) {
    RingForward ring;
    ring.nranks = nranks;
    ring.gather = gather;
    ring.turns = turns;
    ring.forward.kinds = {Distribution::constant(kLatencyNs)};
    ring.backward.kinds = {Distribution::constant(kLatencyNs)};
    return ring;
}

/// Every rank is done after `latencies` one-way latencies, by the closed form where there is one and turn by turn.
void expect_latencies(RingForward const& ring, std::uint32_t latencies) {
    for (bool const closed_form : {true, false}) {
        auto const result = forward(ring, {.closed_form = closed_form});
        ASSERT_TRUE(result) << result.error();
        EXPECT_EQ(result->first_ns, latencies * kLatencyNs) << ring.nranks << " ranks";
        EXPECT_EQ(result->last_ns, latencies * kLatencyNs) << ring.nranks << " ranks";
    }
}

TEST(Figures, ARingTakesNLatencies) {
    for (std::uint32_t const nranks : kSizes) {
        for (Turns const turns : {Turns::pipelined, Turns::lock_step, Turns::send_then_receive})
            expect_latencies(ring_of(nranks, Gather::ring, turns), nranks - 1);
    }
}

TEST(Figures, LengthTurnsMakeItTwoN) {
    for (std::uint32_t const nranks : kSizes)
        expect_latencies(ring_of(nranks, Gather::ring, Turns::lock_step_lengths), 2 * (nranks - 1));
}

TEST(Figures, BothWaysAroundTakeHalfOfN) {
    for (std::uint32_t const nranks : kSizes) {
        for (Turns const turns : {Turns::pipelined, Turns::lock_step})
            expect_latencies(ring_of(nranks, Gather::ring2, turns), nranks / 2);
    }
}

// The last round of an even ring has no length turn backward.
TEST(Figures, BothWaysAroundWithLengthsTakeOneAndAHalfN) {
    for (std::uint32_t const nranks : kSizes) {
        expect_latencies(ring_of(nranks, Gather::ring2, Turns::lock_step_lengths),
                         3 * (nranks / 2) - (nranks % 2 == 0 ? 1 : 0));
    }
}

TEST(Figures, MessagesAndBytesAreThoseOfTheMachines) {
    auto const plain = forward(ring_of(64, Gather::ring, Turns::pipelined));
    auto const lengths = forward(ring_of(64, Gather::ring2, Turns::lock_step_lengths));
    ASSERT_TRUE(plain && lengths);
    EXPECT_EQ(plain->messages, 64U * 63U);
    EXPECT_EQ(plain->bytes, 64U * 63U * (32U + 64U));
    EXPECT_EQ(lengths->messages, 64U * 63U * 2U);
    EXPECT_EQ(lengths->bytes, 64U * 63U * (32U + 32U + 64U));
}

// The slowest link decides how fast slices follow one another, not how many links there are.
TEST(Figures, ASlowLinkIsPassedByEverySlice) {
    RingForward ring = ring_of(100, Gather::ring, Turns::pipelined);
    ring.service_ns.assign(100, 0);
    ring.service_ns[40] = 1'000'000;
    auto const result = forward(ring);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->done_ns[40], kLatencyNs + 99 * 1'000'000);
}

TEST(Figures, ArePinned) {
    RingForward ring = ring_of(1'000, Gather::ring, Turns::pipelined);
    ring.forward.kinds = {Distribution::log_normal(kLatencyNs, 300)};
    ring.backward.kinds = {Distribution::log_normal(kLatencyNs, 300)};
    struct Pin {
        Gather gather;
        Turns turns;
        TimeNs first_ns;
        TimeNs last_ns;
        TimeNs of_rank_500_ns;
    };
    Pin const pins[] = {
        {Gather::ring, Turns::pipelined, 22'155'981, 22'703'100, 22'432'035},
        {Gather::ring, Turns::lock_step_lengths, 44'687'307, 45'261'518, 44'815'420},
        {Gather::ring2, Turns::pipelined, 11'090'330, 11'449'932, 11'204'430},
        {Gather::ring2, Turns::lock_step, 13'822'368, 14'059'301, 13'898'486},
        {Gather::ring2, Turns::lock_step_lengths, 37'114'128, 37'432'096, 37'308'768},
    };
    for (Pin const& pin : pins) {
        ring.gather = pin.gather;
        ring.turns = pin.turns;
        auto const result = forward(ring);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->first_ns, pin.first_ns) << name_of(pin.gather) << " " << name_of(pin.turns);
        EXPECT_EQ(result->last_ns, pin.last_ns) << name_of(pin.gather) << " " << name_of(pin.turns);
        EXPECT_EQ(result->done_ns[500], pin.of_rank_500_ns) << name_of(pin.gather) << " " << name_of(pin.turns);
    }
}

}  // namespace
}  // namespace ronde::sim
