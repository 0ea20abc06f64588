/// A root that runs out of descriptors puts accepting off and goes on serving. In a process of its own, because the
/// limit is one of processes.
#include "small_job.hpp"
#include "stranger.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ronde::net::test {
namespace {

constexpr int kPausedAndSettled = 40;
constexpr int kNeverPaused = 41;

/// UndefinedBehaviorSanitizer looks at vtables through a pipe(2) of its own; without descriptors it sees ghosts.
constexpr bool kSanitizerNeedsDescriptors =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

TEST(Descriptors, RunningOutOfThemDelaysAcceptingAndIsNotFatal) {
    if (kSanitizerNeedsDescriptors)
        GTEST_SKIP() << "the sanitizer itself needs descriptors here";
    ListenRequest request;
    request.at = loopback(Family::ipv4);
    auto listening = listen_on(request);
    ASSERT_TRUE(listening);
    JobPlan plan;
    plan.nranks = 2;
    SmallJob job(plan);
    job.roots.clear();
    job.root_endpoints[0] = listening->endpoint;
    protocol::RootConfig config;
    config.policies = job.rank_config(0).policies;
    config.expected_nranks = plan.nranks;
    config.roots_digest = 42;
    config.session = job.rank_config(0).session;

    pid_t const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Loop loop;
        RootDriver root(loop, config, job.secret, std::move(listening->fd), RootOptions{});
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = open_descriptor_count() - 1 + 6;  // counting them took one
        ::setrlimit(RLIMIT_NOFILE, &limit);
        root.start();
        loop.run_until([&] { return root.settled(); }, monotonic_ns() + 20 * protocol::kSecondNs);
        bool const good = root.settled() && root.machine().verdict().error.is_ok();
        ::_exit(!good ? 1 : root.statistics().accept_pauses > 0 ? kPausedAndSettled : kNeverPaused);
    }

    std::vector<Fd> strangers;
    strangers.reserve(12);
    for (int i = 0; i < 12; ++i)
        strangers.push_back(knock(listening->endpoint, Stranger::silent, {}));
    listening->fd.reset();
    job.start_rank(0);
    job.start_rank(1);
    job.run_until([] { return false; }, 100 * protocol::kMillisecondNs);
    strangers.clear();
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    EXPECT_TRUE(job.all_ready()) << job.complaints();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), kPausedAndSettled) << "40: it paused and settled, 41: it never had to pause";
}

TEST(Descriptors, AThousandRingsLeaveNoneBehind) {
    std::size_t const before = open_descriptor_count();
    for (int i = 0; i < 1000; ++i) {
        JobPlan plan;
        plan.nranks = 2;
        SmallJob job(plan);
        job.boot();
        ASSERT_TRUE(job.all_ready()) << job.complaints();
        if (i % 2 == 0)
            job.close();
    }
    EXPECT_EQ(open_descriptor_count(), before);
}

}  // namespace
}  // namespace ronde::net::test
