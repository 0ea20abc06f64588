/// The machines of runtime/protocol themselves, driven by the world of the machine tests: what they need for a gather
/// is what the recurrence says.
///
/// That world knows one latency for all frames of the gather. What makes each run different are the starts: every rank
/// hears of its successor at another time, so every rank begins its gather at another time, and some find frames that
/// came before.
#include "engine/draw.hpp"
#include "forward/ring_forward.hpp"
#include "support/tiny_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ronde::sim {
namespace {

using protocol::Frame;
using protocol::FrameKind;
using protocol::Gather;
using protocol::kNever;
using protocol::Phase;
using protocol::RankId;
using protocol::Turns;
namespace tiny = protocol::tiny;

constexpr TimeNs kLatencyNs = 20'000;

/// When the ranks of a world began and ended their two gathers: the table's, and a program's.
struct Observed {
    std::vector<TimeNs> table_begun_ns;
    std::vector<TimeNs> table_done_ns;
    std::vector<TimeNs> gather_done_ns;
    std::uint64_t frames = 0;  ///< slices and lengths that all ranks received
};

tiny::WorldPlan plan_of(std::uint32_t nranks, Gather gather, Turns turns, std::uint64_t seed) {
    tiny::WorldPlan plan;
    plan.nranks = nranks;
    plan.seed = seed;
    plan.policies = protocol::policies_of(protocol::Profile::ronde);
    plan.policies.gather = gather;
    plan.policies.turns = turns;
    plan.policies.commit = protocol::Commit::none;
    protocol::Operation operation;
    operation.kind = protocol::OperationKind::all_gather;
    operation.slice_bytes = 64;
    plan.program = {operation};
    plan.latency_ns = [seed](Frame const& frame) -> TimeNs {
        if (frame.kind == FrameKind::successor)
            return static_cast<TimeNs>(below(draw(seed, 1, frame.a), 20 * kLatencyNs));
        return frame.kind == FrameKind::slices || frame.kind == FrameKind::length ? kLatencyNs : 0;
    };
    return plan;
}

void observe(tiny::WorldPlan const& plan, Observed& observed) {
    std::vector<TimeNs> const never(plan.nranks, kNever);
    observed = {never, never, never, 0};
    tiny::TinyWorld world(plan);
    bool more = true;
    while (more) {
        more = world.advance();
        for (RankId r = 0; r < plan.nranks; ++r) {
            tiny::Node const& node = world.rank(r);
            if (node.rank.phase() >= Phase::gathering)
                observed.table_begun_ns[r] = std::min(observed.table_begun_ns[r], world.now());
            if (node.rank.phase() >= Phase::ready)
                observed.table_done_ns[r] = std::min(observed.table_done_ns[r], world.now());
            if (node.operations_done > 0)
                observed.gather_done_ns[r] = std::min(observed.gather_done_ns[r], world.now());
        }
    }
    ASSERT_EQ(world.broken_rule(), "");
    ASSERT_TRUE(world.all_ready_with_equal_tables());
    ASSERT_TRUE(world.with_work_left().empty()) << world.summary();
    for (RankId r = 0; r < plan.nranks; ++r) {
        for (FrameKind const kind : {FrameKind::slices, FrameKind::length}) {
            auto const found = world.rank(r).frames_in.find(static_cast<std::uint32_t>(kind));
            observed.frames += found == world.rank(r).frames_in.end() ? 0U : found->second;
        }
    }
}

class Machines : public ::testing::TestWithParam<std::pair<Gather, Turns>> {};

TEST_P(Machines, NeedWhatTheRecurrenceSays) {
    auto const [gather, turns] = GetParam();
    for (std::uint32_t const nranks : {2U, 3U, 4U, 5U, 8U, 9U, 16U, 31U, 64U}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            SCOPED_TRACE(std::to_string(nranks) + " ranks, seed " + std::to_string(seed));
            Observed observed;
            ASSERT_NO_FATAL_FAILURE(observe(plan_of(nranks, gather, turns, seed), observed));
            RingForward ring;
            ring.nranks = nranks;
            ring.gather = gather;
            ring.turns = turns;
            ring.forward.kinds = {Distribution::constant(kLatencyNs)};
            ring.backward.kinds = {Distribution::constant(kLatencyNs)};

            ring.start_ns = observed.table_begun_ns;
            auto const table = forward(ring);
            ASSERT_TRUE(table) << table.error();
            EXPECT_EQ(table->done_ns, observed.table_done_ns);

            ring.start_ns = observed.table_done_ns;  // a program begins when its rank is ready
            auto const program = forward(ring);
            ASSERT_TRUE(program) << program.error();
            EXPECT_EQ(program->done_ns, observed.gather_done_ns);
            EXPECT_EQ(table->messages + program->messages, observed.frames);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rings, Machines,
    ::testing::Values(std::pair{Gather::ring, Turns::pipelined}, std::pair{Gather::ring, Turns::lock_step},
                      std::pair{Gather::ring, Turns::lock_step_lengths},
                      std::pair{Gather::ring, Turns::send_then_receive}, std::pair{Gather::ring2, Turns::pipelined},
                      std::pair{Gather::ring2, Turns::lock_step}, std::pair{Gather::ring2, Turns::lock_step_lengths},
                      std::pair{Gather::ring2, Turns::send_then_receive}),
    [](auto const& rings) {
        return std::string(name_of(rings.param.first)) + "_" + std::string(name_of(rings.param.second));
    });

// The starts must differ, or the stories above would all be the same.
TEST(MachinesBegin, AtDifferentTimes) {
    Observed observed;
    ASSERT_NO_FATAL_FAILURE(observe(plan_of(16, Gather::ring, Turns::pipelined, 1), observed));
    std::set<TimeNs> const starts(observed.table_begun_ns.begin(), observed.table_begun_ns.end());
    EXPECT_GT(starts.size(), 4U);
}

}  // namespace
}  // namespace ronde::sim
