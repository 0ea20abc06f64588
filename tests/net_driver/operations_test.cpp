/// The verbs over real sockets, on a ring that stands.
#include "standing_ring.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace ronde::net::test {
namespace {

using protocol::Code;
using protocol::Operation;
using protocol::OperationKind;
using protocol::Phase;
using protocol::Profile;
using protocol::RankId;

JobPlan plan_for(std::uint32_t nranks, Profile profile = Profile::ronde, std::size_t max_io_bytes = 0) {
    JobPlan plan;
    plan.nranks = nranks;
    plan.policies = protocol::policies_of(profile);
    plan.max_io_bytes = max_io_bytes;
    return plan;
}

class Collectives : public testing::TestWithParam<std::tuple<Profile, std::uint32_t, std::size_t>> {};

TEST_P(Collectives, RunOneAfterTheOther) {
    auto const [profile, nranks, max_io_bytes] = GetParam();
    StandingRing ring(plan_for(nranks, profile, max_io_bytes));
    if (testing::Test::HasFailure())
        return;
    ring.all_gather(64);
    ring.all_gather(1);
    Buffers nothing(nranks);
    ring.job.operate_all([](RankId) { return make(OperationKind::barrier); }, nothing);
    ASSERT_TRUE(ring.job.all_ready()) << ring.job.complaints();
    ring.all_gather(0);
    for (RankId const source : {RankId{0}, nranks - 1, nranks / 2}) {
        Buffers buffers(nranks, std::vector<std::byte>(1000));
        fill_slice(buffers[source], source);
        ring.job.operate_all([&](RankId) { return make(OperationKind::broadcast, 1000, source); }, buffers);
        ASSERT_TRUE(ring.job.all_ready()) << ring.job.complaints();
        for (auto const& buffer : buffers)
            EXPECT_TRUE(is_slice(buffer, source));
    }
    for (int i = 0; i < 3; ++i) {
        ring.job.operate_all([](RankId) { return make(OperationKind::barrier); }, nothing);
        ASSERT_TRUE(ring.job.all_ready()) << ring.job.complaints();
    }
    if (max_io_bytes == 0)
        ring.all_gather(200'000);
    ring.job.close();
    EXPECT_TRUE(ring.job.all_finished());
    for (RankId rank = 0; rank < nranks; ++rank)
        EXPECT_EQ(ring[rank].machine().phase(), Phase::closed) << ring.job.complaints();
}

std::string name_of_collectives(testing::TestParamInfo<Collectives::ParamType> const& info) {
    return fmt::format("{}_{}_ranks_{}", protocol::name_of(std::get<0>(info.param)), std::get<1>(info.param),
                       std::get<2>(info.param) == 0 ? "any_io" : "one_byte_io");
}

INSTANTIATE_TEST_SUITE_P(Rings, Collectives,
                         testing::Combine(testing::Values(Profile::ronde, Profile::nccl, Profile::article),
                                          testing::Values(1U, 2U, 3U, 7U, 8U, 33U), testing::Values(0U, 1U)),
                         name_of_collectives);

TEST(Operations, LargePayloadsProgressInBothDirections) {
    // Sixteen megabytes a rank are far more than sockets buffer, so whoever only wrote would wait for ever.
    StandingRing ring(plan_for(4));
    ring.all_gather(std::size_t{16} << 20U);
}

TEST(Operations, MessagesOfTwoRanksToEachOtherCross) {
    StandingRing ring(plan_for(2));
    std::size_t const bytes = std::size_t{8} << 20U;
    Buffers out(2, std::vector<std::byte>(bytes));
    fill_slice(out[0], 0);
    fill_slice(out[1], 1);
    ring.job.operate_all([&](RankId rank) { return make(OperationKind::send, bytes, 1 - rank, 5); }, out);
    ASSERT_TRUE(ring.job.all_ready()) << ring.job.complaints();
    Buffers in(2, std::vector<std::byte>(bytes));
    ring.job.operate_all([&](RankId rank) { return make(OperationKind::receive, bytes, 1 - rank, 5); }, in);
    EXPECT_TRUE(is_slice(in[0], 1));
    EXPECT_TRUE(is_slice(in[1], 0));
}

TEST(Operations, MessagesAreFoundByTagWhateverTheOrderOfArrival) {
    StandingRing ring(plan_for(5));
    std::vector<std::byte> message(10);
    for (std::uint64_t tag = 0; tag < 4; ++tag) {
        fill_slice(message, static_cast<RankId>(tag));
        ring[0].operate(make(OperationKind::send, message.size(), 3, tag), std::span<const std::byte>(message));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle(); }));
    }
    for (std::uint64_t const tag : {3U, 0U, 2U, 1U}) {
        std::vector<std::byte> got(10);
        ring[3].operate(make(OperationKind::receive, got.size(), 0, tag), std::span<std::byte>(got));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[3].idle(); })) << ring.job.complaints();
        EXPECT_TRUE(is_slice(got, static_cast<RankId>(tag)));
    }
}

TEST(Operations, MessagesOfOneTagKeepTheirOrder) {
    StandingRing ring(plan_for(2));
    for (RankId number = 0; number < 20; ++number) {
        std::vector<std::byte> message(100);
        fill_slice(message, number);
        ring[0].operate(make(OperationKind::send, message.size(), 1, 9), std::span<const std::byte>(message));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle(); }));
    }
    EXPECT_EQ(ring[0].statistics().connects, ring[0].statistics().connects);
    for (RankId number = 0; number < 20; ++number) {
        std::vector<std::byte> got(100);
        ring[1].operate(make(OperationKind::receive, got.size(), 0, 9), std::span<std::byte>(got));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[1].idle(); }));
        EXPECT_TRUE(is_slice(got, number));
    }
}

TEST(Operations, AReceiveThatWaitsIsServedStraightIntoItsBuffer) {
    StandingRing ring(plan_for(3));
    std::vector<std::byte> got(std::size_t{1} << 20U);
    std::vector<std::byte> message(got.size());
    fill_slice(message, 2);
    ring[0].operate(make(OperationKind::receive, got.size(), 2, 1), std::span<std::byte>(got));
    ring[2].operate(make(OperationKind::send, got.size(), 0, 1), std::span<const std::byte>(message));
    ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle() && ring[2].idle(); })) << ring.job.complaints();
    EXPECT_TRUE(is_slice(got, 2));
}

TEST(Operations, AFullMailboxLeavesMessagesInTheSocketUntilThereIsRoom) {
    JobPlan plan = plan_for(2);
    plan.mailbox_bytes = 1000;
    StandingRing ring(plan);
    std::vector<std::byte> message(600);
    for (RankId number = 0; number < 3; ++number) {
        fill_slice(message, number);
        ring[0].operate(make(OperationKind::send, message.size(), 1, number), std::span<const std::byte>(message));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle(); }));
    }
    for (RankId number = 0; number < 3; ++number) {
        std::vector<std::byte> got(600);
        ring[1].operate(make(OperationKind::receive, got.size(), 0, number), std::span<std::byte>(got));
        ASSERT_TRUE(ring.job.run_until([&] { return ring[1].idle(); })) << ring.job.complaints();
        EXPECT_TRUE(is_slice(got, number));
    }
}

TEST(Operations, AMessageLargerThanTheMailboxGoesToTheReceiveThatAsksForIt) {
    JobPlan plan = plan_for(2);
    plan.mailbox_bytes = 1000;
    StandingRing ring(plan);
    std::vector<std::byte> message(std::size_t{4} << 20U);
    fill_slice(message, 0);
    std::vector<std::byte> got(message.size());
    ring[0].operate(make(OperationKind::send, message.size(), 1, 0), std::span<const std::byte>(message));
    ring.job.run_until([] { return false; }, 20 * protocol::kMillisecondNs);  // its header has to wait
    ring[1].operate(make(OperationKind::receive, got.size(), 0, 0), std::span<std::byte>(got));
    ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle() && ring[1].idle(); })) << ring.job.complaints();
    EXPECT_TRUE(is_slice(got, 0));
}

TEST(Operations, AMessageOfAnotherSizeIsNamed) {
    StandingRing ring(plan_for(3));
    std::vector<std::byte> message(10);
    std::vector<std::byte> got(11);
    ring[0].operate(make(OperationKind::send, message.size(), 1, 0), std::span<const std::byte>(message));
    ASSERT_TRUE(ring.job.run_until([&] { return ring[0].idle(); }));
    ring[1].operate(make(OperationKind::receive, got.size(), 0, 0), std::span<std::byte>(got));
    ASSERT_TRUE(ring.job.run_until([&] { return ring.job.all_finished(); })) << ring.job.complaints();
    for (RankId rank = 0; rank < 3; ++rank)
        EXPECT_EQ(ring[rank].verdict().error.code, Code::bad_argument) << ring.job.complaints();
}

TEST(Operations, TheDeathOfARankEndsAGatherForEveryoneAndNamesIt) {
    StandingRing ring(plan_for(8));
    Buffers buffers(8, std::vector<std::byte>(std::size_t{8} * 64));
    for (RankId rank = 0; rank < 8; ++rank) {
        if (rank != 5)
            ring[rank].operate(make(OperationKind::all_gather, 64), std::span<std::byte>(buffers[rank]));
    }
    ring.job.kill(5);
    ASSERT_TRUE(ring.job.run_until([&] { return ring.job.all_finished(); })) << ring.job.complaints();
    for (RankId rank = 0; rank < 8; ++rank) {
        if (rank == 5)
            continue;
        EXPECT_EQ(ring[rank].verdict().error.code, Code::rank_lost) << ring.job.complaints();
        EXPECT_EQ(ring[rank].verdict().error.about, 5U) << ring.job.complaints();
    }
}

TEST(Operations, ABudgetEndsABarrierThatSomebodyDoesNotCallAndNamesWhoWasWaitedFor) {
    StandingRing ring(plan_for(4));
    for (RankId rank = 0; rank < 4; ++rank) {
        if (rank == 2)
            continue;
        Operation barrier = make(OperationKind::barrier);
        barrier.budget_ns = 300 * protocol::kMillisecondNs;
        ring[rank].operate(barrier, std::span<std::byte>());
    }
    ASSERT_TRUE(ring.job.run_until([&] { return ring.job.all_finished(); })) << ring.job.complaints();
    for (RankId const rank : {0U, 1U, 3U})
        EXPECT_EQ(ring[rank].verdict().error.code, Code::deadline) << ring.job.complaints();
}

}  // namespace
}  // namespace ronde::net::test
