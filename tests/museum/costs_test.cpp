/// What a gather around the ring moves: N (N - 1) slices, one frame each, whatever the turns and whoever looks.
#include "protocol/frame.hpp"
#include "world/world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace ronde::sim::museum {
namespace {

using protocol::Gather;
using protocol::Profile;
using protocol::Turns;

constexpr std::uint64_t kSliceBytes = 1'000;

std::uint64_t slice_frames(Outcome const& outcome) {
    return outcome.frames_by_kind[static_cast<std::size_t>(protocol::FrameKind::slices)];
}

WorldPlan ring_of(std::uint32_t nranks, Gather gather, Turns turns) {
    WorldPlan plan;
    plan.nranks = nranks;
    plan.policies = protocol::policies_of(Profile::nccl);
    plan.policies.gather = gather;
    plan.policies.turns = turns;
    plan.gather_slice_bytes = kSliceBytes;
    return plan;
}

class Bytes : public testing::TestWithParam<std::tuple<std::uint32_t, Gather, Turns, bool>> {};

TEST_P(Bytes, AGatherMovesNTimesNMinusOneSlices) {
    auto const [nranks, gather, turns, fast_forward] = GetParam();
    WorldPlan plan = ring_of(nranks, gather, turns);
    plan.fast_forward = fast_forward;
    Outcome const table = World(plan).run();
    plan.gathers_after_ready = 1;
    Outcome const both = World(plan).run();
    ASSERT_TRUE(table.all_ready());
    ASSERT_TRUE(both.all_ready());

    std::uint64_t const slices = std::uint64_t{nranks} * (nranks - 1U);
    // Length turns have frames of their own, without a payload: as many as there are slices.
    std::uint64_t const lengths = turns == Turns::lock_step_lengths ? slices : 0;
    EXPECT_EQ(slice_frames(table), slices);
    EXPECT_EQ(slice_frames(both), 2 * slices);
    EXPECT_EQ(both.frames - table.frames, slices + lengths);
    EXPECT_EQ(both.bytes - table.bytes, slices * kSliceBytes + (slices + lengths) * protocol::kHeaderBytes);
}

std::string name_of_costs(testing::TestParamInfo<Bytes::ParamType> const& info) {
    auto const [nranks, gather, turns, fast_forward] = info.param;
    return fmt::format("{}_{}_{}{}", nranks, protocol::name_of(gather), protocol::name_of(turns),
                       fast_forward ? "_forward" : "");
}

INSTANTIATE_TEST_SUITE_P(OfARing, Bytes,
                         testing::Combine(testing::Values(2U, 3U, 8U, 101U),
                                          testing::Values(Gather::ring, Gather::ring2),
                                          testing::Values(Turns::lock_step, Turns::lock_step_lengths, Turns::pipelined),
                                          testing::Bool()),
                         name_of_costs);

}  // namespace
}  // namespace ronde::sim::museum
