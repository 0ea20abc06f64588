/// Cases from the field in which the network itself is the trouble: queues that overflow, routes that come and go,
/// firewalls, proxies in between.
#include "net/socket.hpp"
#include "net_driver/small_job.hpp"
#include "own_network.hpp"
#include "proxy.hpp"

#include <gtest/gtest.h>

#include <linux/filter.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>

namespace ronde::net::test {
namespace {

using protocol::Code;
using protocol::Failure;
using protocol::RankId;

constexpr TimeNs kMs = protocol::kMillisecondNs;

std::uint64_t count_of(Statistics const& statistics, Failure failure) {
    return statistics.failures[static_cast<std::size_t>(failure)];
}

/// Calls that had to be made again, whatever became of the ones before.
std::uint64_t calls_again(SmallJob const& job) {
    std::uint64_t again = 0;
    for (auto const& rank : job.ranks) {
        again += rank->statistics().unanswered;
        for (std::uint64_t const failures : rank->statistics().failures)
            again += failures;
    }
    return again;
}

// Everybody knocks at once at a queue of eight, and the kernel resets whom it cannot keep. The root is busy until
// somebody has had to come a second time.
void stampede() {
    set_kernel("net/core/somaxconn", "8");
    set_kernel("net/ipv4/tcp_abort_on_overflow", "1");
    JobPlan plan;
    plan.nranks = 256;
    SmallJob job(plan);
    for (RankId rank = 0; rank < plan.nranks; ++rank)
        job.start_rank(rank);
    ASSERT_TRUE(job.run_until([&] { return calls_again(job) > 0; })) << "a queue of eight was no trouble for 256";
    job.roots[0]->start();
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_TRUE(job.tables_are_right());
    EXPECT_EQ(job.roots[0]->machine().checked_in(), plan.nranks) << "whoever came twice is counted once";
}

TEST(Network, AStampedeOnAShortQueueWhoseOverflowIsResetComesThrough) {
    std::string const why = in_own_network(stampede);
    if (!why.empty())
        GTEST_SKIP() << why;
}

// Another class of error each time, and none of them is final: no route, then nobody there, then the root.
void one_trouble_after_the_other() {
    Endpoint const where = *parse_address("10.77.0.1", 43117);
    add_unreachable_route(where);
    JobPlan plan;
    plan.nranks = 2;
    SmallJob job(plan);
    job.roots.clear();
    job.root_endpoints[0] = where;
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        protocol::RankConfig config = job.rank_config(rank);
        config.root_promised = false;  // the id named the address before anybody listened there
        RankOptions options;
        options.listen.at = loopback(Family::ipv4);
        options.roots = job.root_endpoints;
        job.ranks[rank] =
            std::make_unique<RankDriver>(job.loop, config, job.secret, job.entry_of(rank), std::move(options));
        job.ranks[rank]->start();
    }
    auto const both_met = [&](Failure failure) {
        return job.run_until([&] {
            return count_of(job.ranks[0]->statistics(), failure) >= 2 &&
                   count_of(job.ranks[1]->statistics(), failure) >= 2;
        });
    };
    ASSERT_TRUE(both_met(Failure::unreachable)) << job.complaints();
    add_address(where);
    ASSERT_TRUE(both_met(Failure::refused)) << job.complaints();

    ListenRequest request;
    request.at = where;
    auto listening = listen_on(request);
    ASSERT_TRUE(listening) << describe(listening.error());
    job.roots.push_back(std::make_unique<RootDriver>(job.loop, job.root_config(0), job.secret, std::move(listening->fd),
                                                     RootOptions{}));
    job.roots[0]->start();
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    for (auto const& rank : job.ranks) {
        Statistics const counted = rank->statistics();
        std::uint64_t failures = 0;
        for (std::uint64_t const each : counted.failures)
            failures += each;
        EXPECT_EQ(counted.connects, failures + 2U) << "a socket for each try, one for the root, one for the successor";
    }
}

TEST(Network, UnreachableThenRefusedThenThereIsRetriedWithFreshSockets) {
    std::string const why = in_own_network(one_trouble_after_the_other);
    if (!why.empty())
        GTEST_SKIP() << why;
}

/// What a firewall does that drops: nobody who calls this listener of ours hears anything.
void drop_all_calls_to(Endpoint const& listener) {
    std::array<sock_filter, 1> nothing{{{BPF_RET | BPF_K, 0, 0, 0}}};
    sock_fprog const program{nothing.size(), nothing.data()};
    bool found = false;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        int const fd = std::stoi(entry.path().filename().string());
        int listens = 0;
        socklen_t length = sizeof listens;
        bool const ours = ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0 &&
                          local_endpoint(fd) == listener;
        if (!ours)
            continue;
        found = true;
        ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
    }
    ASSERT_TRUE(found) << "nobody listens at " << to_text(listener);
}

// Check-ins arrive, for the root's port is open; the ranks' own ports are not. Everyone must hear which call was in
// vain, and where it led.
TEST(Network, AFirewallThatLetsOnlyTheRootsPortInIsNamed) {
    JobPlan plan;
    plan.nranks = 4;
    plan.absent = {0};  // until the firewall stands
    plan.budget_ns = 1'500 * kMs;
    plan.policies.answer_patience_ms = 200;
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 3; })) << job.complaints();
    drop_all_calls_to(job.ranks[2]->table()[2].endpoint);
    job.start_rank(0);
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); })) << job.complaints();
    for (auto const& rank : job.ranks) {
        auto const error = rank->verdict().error;
        EXPECT_EQ(error.code, Code::peer_unreachable) << job.complaints();
        EXPECT_EQ(error.reporter, 1U) << job.complaints();
        EXPECT_EQ(error.about, 2U) << job.complaints();
        EXPECT_EQ(error.failure, Failure::timed_out) << job.complaints();
    }
}

// A sidecar takes every call on behalf of somebody whom it does not reach.
class Sidecar : public testing::TestWithParam<Proxy::Manner> {};

TEST_P(Sidecar, ThatAcceptsForTheRootIsToldFromTheRoot) {
    Proxy::Manner const manner = GetParam();
    bool const forwards = manner == Proxy::Manner::forwards_late || manner == Proxy::Manner::forwards_as_another;
    JobPlan plan;
    plan.nranks = 3;
    plan.policies.answer_patience_ms = 100;
    if (!forwards)
        plan.budget_ns = 700 * kMs;
    SmallJob job(plan);
    Endpoint const root = job.root_endpoints[0];
    Proxy const proxy(manner, root);
    job.root_endpoints[0] = proxy.endpoint();
    job.boot();
    if (forwards) {
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        EXPECT_TRUE(job.tables_are_right());
        for (auto const& entry : job.ranks[0]->table())
            EXPECT_TRUE(same_address(entry.endpoint, loopback(Family::ipv4))) << "an entry is the rank's own word";
        return;
    }
    for (auto const& rank : job.ranks) {
        auto const error = rank->verdict().error;
        if (manner == Proxy::Manner::holds) {
            EXPECT_EQ(error.code, Code::root_silent) << job.complaints();
            EXPECT_EQ(error.failure, Failure::timed_out) << job.complaints();
        } else {
            EXPECT_EQ(error.code, Code::root_lost) << job.complaints();
            bool const ended = error.failure == Failure::end_of_stream || error.failure == Failure::reset;
            EXPECT_TRUE(ended) << job.complaints();
        }
        EXPECT_GT(rank->statistics().connects, 1U) << "it was tried again";
    }
}

INSTANTIATE_TEST_SUITE_P(Manners, Sidecar,
                         testing::Values(Proxy::Manner::closes, Proxy::Manner::holds, Proxy::Manner::forwards_late,
                                         Proxy::Manner::forwards_as_another),
                         [](auto const& manner) { return std::string(Proxy::name_of(manner.param)); });

}  // namespace
}  // namespace ronde::net::test
