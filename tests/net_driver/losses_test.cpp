/// What goes wrong on real sockets: ranks that die, never come, or come twice; roots that are gone or do not answer.
/// Everyone ends, and everyone knows why.
#include "small_job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/socket.h>

#include <algorithm>

namespace ronde::net::test {
namespace {

using protocol::Code;
using protocol::Gather;
using protocol::Phase;
using protocol::RankId;

constexpr TimeNs kMs = protocol::kMillisecondNs;

class DeathIn : public testing::TestWithParam<std::tuple<Phase, Gather, RankId>> {};

TEST_P(DeathIn, APhaseEndsTheOthersWithItsName) {
    Phase const phase = std::get<0>(GetParam());
    Gather const gather = std::get<1>(GetParam());
    RankId const victim = std::get<2>(GetParam());
    JobPlan plan;
    plan.nranks = 6;
    plan.policies.gather = gather;
    // Whoever dies before its check-in is missed at the deadline only.
    plan.budget_ns = (phase <= Phase::checking_in ? 1 : 5) * protocol::kSecondNs;
    bool dying = false;
    plan.on_phase = [&](RankId rank, Phase entered) { dying = dying || (rank == victim && entered == phase); };
    SmallJob job(plan);
    job.start();
    bool killed = false;
    bool const over = job.run_until([&] {
        if (dying && !killed) {
            job.kill(victim);
            killed = true;
        }
        bool const too_late = job.ranks[victim] && job.ranks[victim]->was_ready();
        if (too_late && !killed)
            return true;  // a star passes through `gathering` within a single step
        return killed && std::all_of(job.ranks.begin(), job.ranks.end(), [](auto const& rank) {
                   return !rank || rank->finished() || rank->machine().phase() == Phase::ready;
               });
    });
    ASSERT_TRUE(over) << job.complaints();
    if (!killed) {
        EXPECT_EQ(phase, Phase::gathering);
        EXPECT_EQ(gather, Gather::star);
        return;
    }
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        if (rank == victim || job.ranks[rank]->machine().phase() == Phase::ready)
            continue;
        auto const error = job.ranks[rank]->verdict().error;
        EXPECT_EQ(error.about, victim) << job.complaints();
        EXPECT_TRUE(error.code == Code::rank_lost || error.code == Code::ranks_missing) << job.complaints();
    }
    // Nobody is ready with a hole: whoever is has the whole table, and hears of the loss at the next verb.
    for (auto const& rank : job.ranks) {
        if (!rank || rank->machine().phase() != Phase::ready)
            continue;
        for (auto const& entry : rank->table())
            EXPECT_NE(entry.endpoint.port, 0U);
    }
}

std::string name_of_death(testing::TestParamInfo<DeathIn::ParamType> const& info) {
    std::string phase(protocol::name_of(std::get<0>(info.param)));
    std::replace(phase.begin(), phase.end(), ' ', '_');
    std::replace(phase.begin(), phase.end(), '-', '_');
    return fmt::format("{}_{}_{}", phase, protocol::name_of(std::get<1>(info.param)), std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Phases, DeathIn,
                         testing::Combine(testing::Values(Phase::listening, Phase::checking_in,
                                                          Phase::awaiting_successor, Phase::connecting_ring,
                                                          Phase::gathering, Phase::committing, Phase::ready),
                                          testing::Values(Gather::star, Gather::doubling), testing::Values(0U, 3U, 5U)),
                         name_of_death);

class Missing : public testing::TestWithParam<std::vector<RankId>> {};

TEST_P(Missing, RanksAreNamedByAllOthers) {
    JobPlan plan;
    plan.nranks = 8;
    plan.absent = GetParam();
    plan.budget_ns = 500 * kMs;
    SmallJob job(plan);
    job.boot();
    std::vector<protocol::RankRange> expected;
    for (RankId const rank : plan.absent) {
        if (!expected.empty() && expected.back().last + 1 == rank)
            expected.back().last = rank;
        else
            expected.push_back({rank, rank});
    }
    for (auto const& rank : job.ranks) {
        if (!rank)
            continue;
        ASSERT_TRUE(rank->finished()) << job.complaints();
        auto const verdict = rank->verdict();
        EXPECT_EQ(verdict.error.code, Code::ranks_missing) << job.complaints();
        EXPECT_EQ(verdict.error.about, plan.absent.front());
        std::vector<protocol::RankRange> const ranges(verdict.ranges, verdict.ranges + verdict.range_count);
        EXPECT_EQ(ranges, expected) << job.complaints();
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, Missing,
                         testing::Values(std::vector<RankId>{0}, std::vector<RankId>{7}, std::vector<RankId>{3, 4},
                                         std::vector<RankId>{0, 2, 3, 7}));

TEST(Losses, OfTheRootWhileItCollectsAreNamed) {
    JobPlan plan;
    plan.nranks = 4;
    plan.absent = {3};
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 3; }));
    job.roots.clear();
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); })) << job.complaints();
    for (RankId rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(job.ranks[rank]->verdict().error.code, Code::root_lost) << job.complaints();
    }
}

TEST(Losses, NobodyAtTheRootsAddressIsSaidSoon) {
    SmallJob job(JobPlan{});
    job.roots.clear();  // promised, and gone
    job.start_rank(0);
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); }));
    EXPECT_EQ(job.ranks[0]->verdict().error.code, Code::root_lost) << job.complaints();
    EXPECT_EQ(job.ranks[0]->verdict().error.failure, protocol::Failure::refused) << job.complaints();
    EXPECT_GT(job.ranks[0]->statistics().connects, 1U) << "it was tried more than once";
}

TEST(Losses, ARootThatAcceptsInTheKernelOnlyIsCalledSilent) {
    JobPlan plan;
    plan.budget_ns = 300 * kMs;
    plan.policies.answer_patience_ms = 50;
    SmallJob job(plan);
    job.start_rank(0);  // the root's listener is open, but the root was never started
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); }));
    EXPECT_EQ(job.ranks[0]->verdict().error.code, Code::root_silent) << job.complaints();
    EXPECT_GT(job.ranks[0]->statistics().unanswered, 1U);
}

TEST(Losses, ASecondProcessOfTheSameRankIsNamedToAll) {
    JobPlan plan;
    plan.nranks = 4;
    plan.absent = {3};
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 3; }));
    protocol::Entry other = job.entry_of(1);
    other.incarnation = 999;
    other.process_id = 5555;
    other.device_id = protocol::kNoDevice;
    RankOptions options;
    options.listen.at = loopback(Family::ipv4);
    options.roots = job.root_endpoints;
    RankDriver twin(job.loop, job.rank_config(1), job.secret, other, std::move(options));
    twin.start();
    ASSERT_TRUE(job.run_until([&] { return job.all_finished() && twin.finished(); })) << job.complaints();
    for (RankId rank = 0; rank < 3; ++rank) {
        auto const error = job.ranks[rank]->verdict().error;
        EXPECT_EQ(error.code, Code::duplicate_rank) << job.complaints();
        EXPECT_EQ(error.about, 1U);
        EXPECT_EQ(error.expected, 4001U);
        EXPECT_EQ(error.got, 5555U);
    }
    EXPECT_EQ(twin.verdict().error.code, Code::duplicate_rank);
}

TEST(Losses, OfAgreementOnTheSizeTellEachWhoSaidWhat) {
    std::vector<RankId> order = {0, 1, 2};
    do {
        JobPlan plan;
        plan.nranks = 3;
        plan.told = {3, 3, 6};
        plan.root_knows_size = false;
        plan.budget_ns = 5 * protocol::kSecondNs;
        SmallJob job(plan);
        job.roots[0]->start();
        // The first to arrive is whom the others are compared with.
        job.start_rank(order[0]);
        ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 1; })) << job.complaints();
        job.start_rank(order[1]);
        job.start_rank(order[2]);
        ASSERT_TRUE(job.run_until([&] { return job.all_finished(); })) << job.complaints();
        bool const six_came_first = order[0] == 2;
        for (auto const& rank : job.ranks) {
            auto const error = rank->verdict().error;
            EXPECT_EQ(error.code, Code::mismatch) << job.complaints();
            EXPECT_EQ(error.field, protocol::Field::nranks) << job.complaints();
            EXPECT_EQ(error.other, order[0]) << job.complaints();
            EXPECT_EQ(error.expected, six_came_first ? 6U : 3U) << job.complaints();
            EXPECT_EQ(error.got, six_came_first ? 3U : 6U) << job.complaints();
            EXPECT_EQ(error.about == 2, !six_came_first) << job.complaints();
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Losses, TwoRanksOnOneDeviceAreBothNamed) {
    JobPlan plan;
    plan.nranks = 5;
    plan.devices = {0, 1, 2, 1, 4};
    SmallJob job(plan);
    job.boot();
    for (auto const& rank : job.ranks) {
        ASSERT_TRUE(rank->finished()) << job.complaints();
        auto const error = rank->verdict().error;
        EXPECT_EQ(error.code, Code::duplicate_device) << job.complaints();
        EXPECT_EQ(error.about, 3U);
        EXPECT_EQ(error.other, 1U);
    }
}

TEST(Losses, AnIdServesOneJobAndTheSecondHearsSo) {
    JobPlan plan;
    plan.nranks = 3;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    RankOptions options;
    options.listen.at = loopback(Family::ipv4);
    options.roots = job.root_endpoints;
    protocol::Entry late = job.entry_of(0);
    late.incarnation = 77;
    RankDriver second(job.loop, job.rank_config(0), job.secret, late, std::move(options));
    second.start();
    ASSERT_TRUE(job.run_until([&] { return second.finished(); }));
    EXPECT_EQ(second.verdict().error.code, Code::id_consumed) << protocol::describe(second.verdict());
    EXPECT_TRUE(job.all_ready()) << "the first job is not disturbed";
}

TEST(Losses, AShortAcceptQueueAndABusyRootAreOutlastedWithFreshSockets) {
    // Backlog 8, 256 clients, the root busy for 2 s: the kernel lets all of them believe that they are connected, and
    // its own retransmissions would make the last one wait for a minute.
    JobPlan plan;
    plan.nranks = 256;
    plan.policies.gather = Gather::doubling;
    SmallJob job(plan);
    SocketAddress const where = to_sockaddr(loopback(Family::ipv4));
    Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(listener.get(), where.get(), where.length), 0);
    ASSERT_EQ(::listen(listener.get(), 8), 0);
    job.root_endpoints[0] = *local_endpoint(listener.get());
    job.roots[0] =
        std::make_unique<RootDriver>(job.loop, job.root_config(0), job.secret, std::move(listener), RootOptions{});
    for (RankId rank = 0; rank < plan.nranks; ++rank)
        job.start_rank(rank);
    TimeNs const start_ns = monotonic_ns();
    job.run_until([] { return false; }, 2 * protocol::kSecondNs);
    job.roots[0]->start();
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());
    EXPECT_EQ(job.roots[0]->machine().checked_in(), plan.nranks);
    std::uint64_t unanswered = 0;
    for (auto const& rank : job.ranks)
        unanswered += rank->statistics().unanswered;
    EXPECT_GT(unanswered, 0U) << "connections that stood without an answer are counted";
    RecordProperty("milliseconds", static_cast<int>((monotonic_ns() - start_ns) / kMs));
}

}  // namespace
}  // namespace ronde::net::test
