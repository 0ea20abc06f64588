/// A root that runs out of descriptors puts accepting off and goes on serving. In a process of its own, because the
/// limit is one of processes.
#include "small_job.hpp"
#include "stranger.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <utility>

namespace ronde::net::test {
namespace {

constexpr int kPausedAndSettled = 40;
constexpr int kNeverPaused = 41;
constexpr int kNeverSettled = 42;
constexpr int kSaidWhy = 43;
constexpr int kSaidSomethingElse = 44;

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

/// A job whose root lives in a process of its own, which may open a few descriptors more than it has.
class ScarceRoot {
public:
    explicit ScarceRoot(JobPlan const& plan) : job(plan) {
        ListenRequest request;
        request.at = loopback(Family::ipv4);
        auto opened = listen_on(request);
        EXPECT_TRUE(opened);
        listening = std::move(*opened);
        job.roots.clear();
        job.root_endpoints[0] = listening.endpoint;
        config_.policies = job.rank_config(0).policies;
        config_.expected_nranks = plan.nranks;
        config_.roots_digest = 42;
        config_.session = job.rank_config(0).session;
    }

    /// The root's process ends with what `judge` says of it.
    void fork_with(std::size_t more_descriptors, std::function<int(RootDriver const&)> const& judge) {
        child_ = ::fork();
        ASSERT_GE(child_, 0);
        if (child_ == 0) {
            Loop loop;
            RootDriver root(loop, config_, job.secret, std::move(listening.fd), RootOptions{});
            rlimit limit{};
            ::getrlimit(RLIMIT_NOFILE, &limit);
            limit.rlim_cur = open_descriptor_count() - 1 + more_descriptors;  // counting them took one
            ::setrlimit(RLIMIT_NOFILE, &limit);
            root.start();
            loop.run_until([&] { return root.settled(); }, monotonic_ns() + 20 * protocol::kSecondNs);
            ::_exit(root.settled() ? judge(root) : kNeverSettled);
        }
    }
    /// What it ended with.
    [[nodiscard]] int verdict() const {
        int status = 0;
        return ::waitpid(child_, &status, 0) == child_ && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    SmallJob job;
    ListeningSocket listening;

private:
    protocol::RootConfig config_;
    pid_t child_ = -1;
};

TEST(Descriptors, RunningOutOfThemDelaysAcceptingAndIsNotFatal) {
    if (kSanitizerNeedsDescriptors)
        GTEST_SKIP() << "the sanitizer itself needs descriptors here";
    JobPlan plan;
    plan.nranks = 2;
    ScarceRoot scarce(plan);
    SmallJob& job = scarce.job;
    scarce.fork_with(6, [](RootDriver const& root) {
        bool const good = root.machine().verdict().error.is_ok();
        return !good ? 1 : root.statistics().accept_pauses > 0 ? kPausedAndSettled : kNeverPaused;
    });

    std::vector<Fd> strangers;
    strangers.reserve(12);
    for (int i = 0; i < 12; ++i)
        strangers.push_back(knock(scarce.listening.endpoint, Stranger::silent, {}));
    scarce.listening.fd.reset();
    job.start_rank(0);
    job.start_rank(1);
    job.run_until([] { return false; }, 100 * protocol::kMillisecondNs);
    strangers.clear();
    job.run_until([&] { return job.all_ready() || job.all_finished(); });
    EXPECT_TRUE(job.all_ready()) << job.complaints();
    EXPECT_EQ(scarce.verdict(), kPausedAndSettled) << "40: it paused and settled, 41: it never had to pause";
}

TEST(Descriptors, ARootThatCannotTakeEveryoneSaysSoAtOnce) {
    if (kSanitizerNeedsDescriptors)
        GTEST_SKIP() << "the sanitizer itself needs descriptors here";
    JobPlan plan;
    plan.nranks = 12;
    plan.budget_ns = 600 * protocol::kSecondNs;  // nobody waits for that
    ScarceRoot scarce(plan);
    SmallJob& job = scarce.job;
    scarce.fork_with(6, [](RootDriver const& root) {
        protocol::Error const& error = root.machine().verdict().error;
        bool const named = error.code == protocol::Code::local_failure &&
                           error.failure == protocol::Failure::no_descriptors && error.os_error == EMFILE;
        return named && error.expected == 12 && error.got < 12 ? kSaidWhy : kSaidSomethingElse;
    });
    scarce.listening.fd.reset();
    job.start();
    job.run_until([&] { return job.all_finished(); });
    ASSERT_TRUE(job.all_finished());
    EXPECT_EQ(scarce.verdict(), kSaidWhy);
    std::uint32_t heard = 0;
    for (auto const& rank : job.ranks) {
        protocol::Error const& error = rank->machine().error();
        heard += error.code == protocol::Code::local_failure && error.about == protocol::kNoRank ? 1U : 0U;
    }
    EXPECT_GE(heard, 4U) << "those that are in hear it, the others find nobody: " << job.complaints();
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
