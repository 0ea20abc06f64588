/// What cannot be fast-forwarded is refused in one line that names the field.
#include "forward/ring_forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::Turns;
using ::testing::HasSubstr;

RingForward good() {
    RingForward ring;
    ring.nranks = 5;
    ring.gather = Gather::ring2;
    ring.turns = Turns::lock_step;
    ring.start_ns.assign(5, 10);
    ring.forward.constant_ns.assign(5, 20);
    ring.backward.kind_of_link.assign(5, 0);
    return ring;
}

TEST(Contradictions, ThereIsNoneInAGoodRing) { EXPECT_EQ(contradiction_in(good()), ""); }

TEST(Contradictions, EachIsNamed) {
    struct Case {
        std::function<void(RingForward&)> spoil;
        char const* named;
    };
    Case const cases[] = {
        {[](RingForward& r) { r.nranks = 0; }, "nranks is 0"},
        {[](RingForward& r) { r.nranks = protocol::kMaxRanks + 1U; }, "nranks is 1048577"},
        {[](RingForward& r) { r.gather = Gather::doubling; }, "gather is doubling"},
        {[](RingForward& r) { r.slice_bytes = 1ULL << 32; }, "slice_bytes is 4294967296"},
        {[](RingForward& r) { r.start_ns.pop_back(); }, "start_ns has 4 entries"},
        {[](RingForward& r) { r.start_ns[3] = -1; }, "start_ns[3] is -1"},
        {[](RingForward& r) { r.forward.kinds.clear(); }, "forward.kinds is empty"},
        {[](RingForward& r) { r.forward.constant_ns[2] = -5; }, "forward.constant_ns[2] is -5"},
        {[](RingForward& r) { r.backward.kind_of_link[4] = 1; }, "backward.kind_of_link[4] is 1"},
        {[](RingForward& r) { r.backward.kind_of_link.resize(3); }, "backward.kind_of_link has 3 entries"},
        {[](RingForward& r) { r.service_ns.assign(5, 1); }, "service_ns with gather ring2"},
        {[](RingForward& r) { r.service_ns.assign(5, -1); }, "service_ns[0] is -1"},
        {[](RingForward& r) {
             r.nranks = protocol::kMaxRanks;
             r.start_ns.clear();
             r.forward.constant_ns.assign(r.nranks, kLongestNs);
             r.backward = {};
             r.turns = Turns::lock_step_lengths;
             r.gather = Gather::ring;
             r.service_ns.assign(r.nranks, kLongestNs);
             r.bytes_per_second = 1;
             r.slice_bytes = 0xffff'ffffU;
         },
         "may last beyond"},
    };
    for (Case const& c : cases) {
        RingForward ring = good();
        c.spoil(ring);
        EXPECT_THAT(contradiction_in(ring), HasSubstr(c.named));
        auto const result = forward(ring);
        ASSERT_FALSE(result) << c.named;
        EXPECT_EQ(result.error(), contradiction_in(ring));
    }
}

// With two ranks nothing travels backward, so nothing has to share a CPU.
TEST(Contradictions, TwoRanksMayServeInARingOfBothWays) {
    RingForward ring;
    ring.nranks = 2;
    ring.gather = Gather::ring2;
    ring.turns = Turns::lock_step_lengths;
    ring.service_ns = {3, 4};
    ring.forward.kinds = {Distribution::constant(10)};
    auto const result = forward(ring);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(result->done_ns, (std::vector<TimeNs>{2 * 10 + 3 + 4, 2 * 10 + 3 + 4}));
}

}  // namespace
}  // namespace ronde::sim
