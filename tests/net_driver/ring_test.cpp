/// Every profile, real sockets, one loop: the ring stands and every rank has the full table.
#include "small_job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/time.h>

#include <csignal>

namespace ronde::net::test {
namespace {

using protocol::Gather;
using protocol::Phase;
using protocol::Profile;

struct Shape {
    Profile profile = Profile::ronde;
    std::uint32_t nranks = 1;
    std::uint32_t nroots = 1;
};

class EveryProfile : public testing::TestWithParam<Shape> {};

TEST_P(EveryProfile, StandsWithTheFullTableAndClosesInOrder) {
    std::size_t const descriptors_before = open_descriptor_count();
    {
        JobPlan plan;
        plan.nranks = GetParam().nranks;
        plan.nroots = GetParam().nroots;
        plan.policies = protocol::policies_of(GetParam().profile);
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        EXPECT_TRUE(job.tables_are_right());
        EXPECT_TRUE(job.run_until([&] { return job.roots_settled(); })) << job.complaints();
        for (auto const& rank : job.ranks)
            EXPECT_EQ(rank->statistics().strangers, 0U);

        job.close();
        EXPECT_TRUE(job.all_finished());
        for (auto const& rank : job.ranks) {
            EXPECT_EQ(rank->machine().phase(), Phase::closed) << job.complaints();
            EXPECT_EQ(rank->open_descriptors(), 0U);
        }
    }
    EXPECT_EQ(open_descriptor_count(), descriptors_before);
}

std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (Profile const profile : {Profile::ronde, Profile::nccl, Profile::article}) {
        for (std::uint32_t const nranks : {1U, 2U, 3U, 7U, 8U, 64U}) {
            for (std::uint32_t const nroots : {1U, 2U, 3U}) {
                if (nroots > nranks || (profile == Profile::article && nroots > 1))
                    continue;
                all.push_back({profile, nranks, nroots});
            }
        }
    }
    return all;
}

std::string name_of_shape(testing::TestParamInfo<Shape> const& info) {
    return fmt::format("{}_{}_ranks_{}_roots", protocol::name_of(info.param.profile), info.param.nranks,
                       info.param.nroots);
}

INSTANTIATE_TEST_SUITE_P(Profiles, EveryProfile, testing::ValuesIn(shapes()), name_of_shape);

class EveryGather : public testing::TestWithParam<std::tuple<Gather, std::uint32_t, std::size_t>> {};

TEST_P(EveryGather, BringsTheTableToEveryone) {
    JobPlan plan;
    plan.policies.gather = std::get<0>(GetParam());
    plan.nranks = std::get<1>(GetParam());
    plan.max_io_bytes = std::get<2>(GetParam());
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());
    job.close();
    EXPECT_TRUE(job.all_finished()) << job.complaints();
}

std::string name_of_gather(testing::TestParamInfo<EveryGather::ParamType> const& info) {
    return fmt::format("{}_{}_ranks_{}", protocol::name_of(std::get<0>(info.param)), std::get<1>(info.param),
                       std::get<2>(info.param) == 0 ? "any_io" : "one_byte_io");
}

INSTANTIATE_TEST_SUITE_P(Gathers, EveryGather,
                         testing::Combine(testing::Values(Gather::star, Gather::doubling, Gather::ring, Gather::ring2),
                                          testing::Values(1U, 2U, 5U, 13U), testing::Values(0U, 1U)),
                         name_of_gather);

TEST(Ring, StandsThroughAThousandSignalsPerSecond) {
    // A handler without SA_RESTART: whatever system call is waiting returns EINTR.
    struct sigaction handler {};
    handler.sa_handler = [](int) {};
    struct sigaction before {};
    ASSERT_EQ(::sigaction(SIGALRM, &handler, &before), 0);
    itimerval const every_millisecond{{0, 1000}, {0, 1000}};
    ASSERT_EQ(::setitimer(ITIMER_REAL, &every_millisecond, nullptr), 0);
    for (int i = 0; i < 200; ++i) {
        JobPlan plan;
        plan.nranks = 8;
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        job.close();
    }
    itimerval const never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
}

TEST(Ring, StandsOverIPv6) {
    JobPlan plan;
    plan.nranks = 5;
    plan.family = Family::ipv6;
    SmallJob job(plan);
    job.boot();
    EXPECT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());
}

TEST(Ring, OfFiveHundredTwelveRanksStandsInOneLoop) {
    JobPlan plan;
    plan.nranks = 512;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());
    job.close();
    EXPECT_TRUE(job.all_finished());
}

}  // namespace
}  // namespace ronde::net::test
