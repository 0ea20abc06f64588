// More children than select(2) has bits for, and more than a host may have.

#include "launch/local.hpp"
#include "net/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>

namespace ronde::launch {
namespace {

using protocol::kNever;

TEST(ManyChildren, ElevenHundredSendARecordEachAndAreReaped) {
    constexpr std::uint32_t kMany = 1100;
    std::uint64_t const descriptors_before = net::open_descriptors();
    LocalOptions options;
    options.count = kMany;
    options.body = [](Child const& child) {
        std::uint32_t const rank = child.rank();
        return child.send(std::as_bytes(std::span(&rank, 1))) ? 0 : 1;
    };
    auto job = LocalJob::start(options);
    ASSERT_TRUE(job) << job.error();
    EXPECT_LE(net::open_descriptors(), descriptors_before + 3) << "descriptors do not grow with the children";
    std::set<std::uint32_t> heard;
    while (job->running() > 0) {
        for (LocalEvent const& event : job->wait(kNever)) {
            if (event.kind != LocalEvent::Kind::record)
                continue;
            std::uint32_t rank = 0;
            std::memcpy(&rank, event.record.data(), std::min(event.record.size(), sizeof rank));
            EXPECT_EQ(rank, event.rank);
            heard.insert(rank);
        }
    }
    EXPECT_EQ(heard.size(), kMany);
    for (std::uint32_t rank = 0; rank < kMany; ++rank)
        EXPECT_TRUE(job->end_of(rank)->ok()) << rank;
}

TEST(ManyChildren, ALimitOnProcessesIsAnErrorAndLeavesNobodyBehind) {
    // Root is exempt from the limit, so the story is told by somebody else; by root's own leave if need be.
    pid_t const teller = ::fork();
    if (teller == 0) {
        if (::geteuid() == 0 && ::setresuid(61'234, 61'234, 61'234) != 0)
            ::_exit(99);
        rlimit const limit{8, 8};
        if (::setrlimit(RLIMIT_NPROC, &limit) != 0)
            ::_exit(98);
        LocalOptions options;
        options.count = 64;
        options.body = [](Child const&) { return 0; };
        auto const job = LocalJob::start(options);
        if (job)
            ::_exit(1);
        if (job.error().find("of 64: Resource temporarily unavailable (EAGAIN): raise the limit on processes") ==
            std::string::npos) {
            ::_exit(2);
        }
        ::_exit(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? 0 : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(teller, &status, 0), teller);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 99)
        GTEST_SKIP() << "root of a container that may not become anybody else";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ronde::launch
