/// Strangers on every listener, before and while the job starts: it completes, and they are counted.
#include "small_job.hpp"
#include "stranger.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/socket.h>

namespace ronde::net::test {
namespace {

using protocol::Frame;
using protocol::FrameKind;
using protocol::LinkClass;
using protocol::RankId;

Frame hello_to_root(SmallJob const& job) {
    Frame hello;
    hello.kind = FrameKind::hello;
    hello.payload_bytes = protocol::kNonceBytes;
    hello.aux = protocol::purpose_of(LinkClass::root);
    hello.a = 1;
    hello.c = job.rank_config(0).session;
    return hello;
}

/// As the predecessor would greet `rank`.
Frame hello_to_rank(SmallJob const& job, RankId rank) {
    Frame hello = hello_to_root(job);
    hello.aux = protocol::purpose_of(LinkClass::chord_out, 0);
    hello.a = protocol::predecessor_of(rank, job.plan.nranks);
    hello.b = rank;
    return hello;
}

class EachStranger : public testing::TestWithParam<Stranger> {};

TEST_P(EachStranger, AtTheRootAndAtEveryRankDelaysNobodyAndIsCounted) {
    JobPlan plan;
    plan.nranks = 4;
    plan.absent = {2};  // so that the others stay in their phases while the strangers come
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 3; })) << job.complaints();

    std::vector<Fd> strangers;
    strangers.reserve(9);
    for (int i = 0; i < 3; ++i)
        strangers.push_back(knock(job.root_endpoints[0], GetParam(), hello_to_root(job)));
    for (RankId const rank : {0U, 1U, 3U}) {
        Endpoint const door = job.ranks[rank]->table()[rank].endpoint;
        for (int i = 0; i < 2; ++i)
            strangers.push_back(knock(door, GetParam(), hello_to_rank(job, rank)));
    }
    job.start_rank(2);
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());

    // The silent ones are counted when their time is over, or they leave.
    strangers.clear();
    auto const counted = [&] {
        std::uint64_t count = job.roots[0]->statistics().strangers;
        for (auto const& rank : job.ranks)
            count += rank->statistics().strangers;
        return count;
    };
    EXPECT_TRUE(job.run_until([&] { return counted() == 9; })) << counted() << " strangers were counted, 9 came";
}

std::string name_of_stranger(testing::TestParamInfo<Stranger> const& info) { return name_of(info.param); }

INSTANTIATE_TEST_SUITE_P(Strangers, EachStranger, testing::ValuesIn(all_strangers()), name_of_stranger);

TEST(Strangers, InAllDoorsOfARankHoldNobodyUpForLong) {
    JobPlan plan;
    plan.nranks = 3;
    plan.absent = {1};
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 2; }));
    std::vector<Fd> strangers;
    for (RankId const rank : {0U, 2U}) {
        Endpoint const door = job.ranks[rank]->table()[rank].endpoint;
        for (int i = 0; i < 20; ++i)
            strangers.push_back(knock(door, Stranger::silent, {}));
    }
    for (int i = 0; i < 200; ++i)
        strangers.push_back(knock(job.root_endpoints[0], Stranger::silent, {}));
    job.start_rank(1);
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    EXPECT_TRUE(job.all_ready()) << job.complaints();
}

/// A loop in the background of a blocking test.
class RunningRoot {
public:
    explicit RunningRoot(SmallJob& job) : job_(job) { job_.roots[0]->start(); }
    /// Runs the loop until the stranger's connection is ended by the root; returns what the root said before.
    std::size_t outlast(Fd const& stranger) {
        std::size_t said = 0;
        bool ended = false;
        job_.run_until(
            [&] {
                std::array<std::byte, 512> buffer{};
                ssize_t const count = ::recv(stranger.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
                if (count > 0)
                    said += static_cast<std::size_t>(count);
                ended = count == 0 || (count < 0 && errno != EAGAIN);
                return ended;
            },
            10 * protocol::kSecondNs);
        EXPECT_TRUE(ended);
        return said;
    }

private:
    SmallJob& job_;
};

TEST(Strangers, AreReadNoFurtherThanAHandshakeIsLong) {
    SmallJob job(JobPlan{});
    RunningRoot root(job);
    Fd const stranger = call(job.root_endpoints[0]);
    auto bytes = bytes_of(hello_to_root(job), protocol::kNonceBytes);
    bytes.resize(100'000);
    ASSERT_EQ(::send(stranger.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 100'000);
    EXPECT_LE(root.outlast(stranger), protocol::kChallengeBytes);
    EXPECT_LE(job.roots[0]->statistics().bytes_received, protocol::kStrangerBytes);
    EXPECT_EQ(job.roots[0]->statistics().strangers, 1U);
}

TEST(Strangers, WhoseFirstByteIsNoHelloAreNotWaitedFor) {
    JobPlan plan;
    plan.policies.deadlines = protocol::Deadlines::none;  // whoever might still say hello is waited for without end
    SmallJob job(plan);
    RunningRoot root(job);
    Fd const stranger = call(job.root_endpoints[0]);
    ASSERT_EQ(::send(stranger.get(), "G", 1, MSG_NOSIGNAL), 1);
    EXPECT_EQ(root.outlast(stranger), 0U);
}

TEST(Strangers, WithAnImpossibleLengthInTheHeaderAreDropped) {
    SmallJob job(JobPlan{});
    RunningRoot root(job);
    for (std::uint32_t const length : {0x7fff'ffffU, 0xffff'ffffU, 17U, 0U}) {
        Frame hello = hello_to_root(job);
        hello.payload_bytes = length;
        Fd const stranger = call(job.root_endpoints[0]);
        auto const bytes = bytes_of(hello, 64);
        ASSERT_GT(::send(stranger.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
        EXPECT_EQ(root.outlast(stranger), 0U);
    }
    EXPECT_EQ(job.roots[0]->statistics().strangers, 4U);
}

TEST(Strangers, WhoPretendToBeTheRootAreNotBelieved) {
    // Somebody else's service on the root's port: it accepts, and answers with something of its own.
    ListenRequest request;
    request.at = loopback(Family::ipv4);
    auto impostor = listen_on(request);
    ASSERT_TRUE(impostor);
    JobPlan plan;
    plan.budget_ns = 700 * protocol::kMillisecondNs;
    SmallJob job(plan);
    job.root_endpoints[0] = impostor->endpoint;
    job.ranks[0] = job.make_rank(0);
    job.ranks[0]->start();
    std::vector<Fd> taken;
    while (!job.ranks[0]->finished()) {
        job.loop.run_once(monotonic_ns() + protocol::kMillisecondNs);
        Accepted accepted = accept_one(impostor->fd.get());
        if (accepted.outcome != AcceptOutcome::accepted)
            continue;
        ASSERT_EQ(::send(accepted.fd.get(), "SSH-2.0-OpenSSH_9.2\r\n", 21, MSG_NOSIGNAL), 21);
        taken.push_back(std::move(accepted.fd));
    }
    EXPECT_FALSE(job.ranks[0]->verdict().error.is_ok());
    EXPECT_GT(taken.size(), 1U) << "it tried again";
}

}  // namespace
}  // namespace ronde::net::test
