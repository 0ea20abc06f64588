/// A hundred thousand programs in one world, on one thread.
#include "worlds.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>

namespace ronde::sim {
namespace {

TEST(Scale, AHundredThousandRanksConnectMeetAndLeave) {
    constexpr std::uint32_t kRanks = 100'000;
    WorldPlan plan = world_of(kRanks);
    plan.nroots = 16;
    auto const begin = std::chrono::steady_clock::now();
    std::uint32_t met = 0;
    auto const outcome = play(plan, [&](Communicator& ring) {
        need(ring.barrier());
        ++met;
        need(ring.close());
    });
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%u programs: %.2f s, %llu events, peak memory %.2f GB; stacks %.2f GB, the deepest uses %zu bytes\n",
                kRanks, took.count(), static_cast<unsigned long long>(outcome.world.events),
                static_cast<double>(usage.ru_maxrss) / 1e6, static_cast<double>(outcome.stacks_bytes) / 1e9,
                outcome.deepest_stack_bytes);
    EXPECT_EQ(met, kRanks);
    EXPECT_EQ(outcome.programs.returned, kRanks) << outcome.text();
    EXPECT_TRUE(outcome.world.all_ready());
}

}  // namespace
}  // namespace ronde::sim
