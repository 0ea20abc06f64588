// Too deep: the process ends before anything else runs, and a line says whose stack it was.

#include "deep.hpp"
#include "fiber/fiber.hpp"
#include "fiber/overflow_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace ronde::fiber {
namespace {

constexpr std::size_t kKiB = 1024;

/// Goes `bytes` deep and comes back before it parks, on a stack of 32 KiB.
void run_deep(StackOptions options, std::size_t bytes) {
    options.stack_bytes = 32 * kKiB;
    StackPool pool(options);
    Fiber fiber(std::move(*pool.take()), "rank 77", [&] {
        static_cast<void>(descend(here(), bytes, [] {}));
        Fiber::park();
    });
    fiber.resume();
    std::fprintf(stderr, "still here\n");
    std::abort();
}

TEST(OverflowDeathTest, AGuardPageEndsTheProcessAtOnce) {
    EXPECT_DEATH(run_deep({.guards = GuardPolicy::light_mapped_canary}, 40 * kKiB), "");
    EXPECT_DEATH(run_deep({.guards = GuardPolicy::mapped_canary}, 40 * kKiB), "");
    EXPECT_DEATH(run_deep({}, 20 * kKiB), "still here") << "and not before";
}

TEST(OverflowDeathTest, ByNameWhenAReportIsAskedFor) {
    auto const reported = [](GuardPolicy guards) {
        OverflowReport const report;
        run_deep({.guards = guards}, 40 * kKiB);
    };
    char const* const line = "ronde: fiber 'rank 77': stack overflow at its guard page.*\\(its stack has 286[0-9][0-9]";
    EXPECT_DEATH(reported(GuardPolicy::light_mapped_canary), line);
    EXPECT_DEATH(reported(GuardPolicy::mapped_canary), line);
}

TEST(OverflowDeathTest, ACanaryIsFoundAtTheNextParkAndNamesTheFiber) {
    EXPECT_DEATH(run_deep({.guards = GuardPolicy::canary}, 28 * kKiB), "fiber 'rank 77': stack overflow, its canary");
}

TEST(OverflowDeathTest, ACanaryIsFoundAtTheEndToo) {
    auto const ends = [] {
        StackPool pool({.guards = GuardPolicy::canary});
        Fiber fiber(std::move(*pool.take()), "rank 78",
                    [] { *(Fiber::current()->stack().limit() - 3000) = std::byte{1}; });
        fiber.resume();
    };
    EXPECT_DEATH(ends(), "fiber 'rank 78': stack overflow, its canary");
}

TEST(OverflowDeathTest, OtherFaultsAreNoneOfItsBusiness) {
    auto const wild = [] {
        OverflowReport const report;
        StackPool pool;
        Fiber fiber(std::move(*pool.take()), "innocent", [] {
            int volatile* const nowhere = nullptr;
            *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference)
        });
        fiber.resume();
    };
    EXPECT_DEATH(wild(), testing::Not(testing::HasSubstr("innocent")));
}

TEST(OverflowReport, LeavesTheHandlersAsTheyWere) {
    struct sigaction before = {};
    struct sigaction after = {};
    ::sigaction(SIGSEGV, nullptr, &before);
    {
        OverflowReport const report;
        ::sigaction(SIGSEGV, nullptr, &after);
        EXPECT_NE(before.sa_sigaction, after.sa_sigaction);
    }
    ::sigaction(SIGSEGV, nullptr, &after);
    EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

}  // namespace
}  // namespace ronde::fiber
