/// What made-up worlds have found, made small and played again.
#include "observe/twin_runs.hpp"
#include "observe/watch.hpp"
#include "scenario/scenario.hpp"

#include <gtest/gtest.h>

namespace ronde::props {
namespace {

sim::WorldPlan plan_from(std::string_view toml) {
    auto const plan = sim::read_scenario(toml, "found.toml");
    if (!plan)
        throw std::runtime_error(plan.error());
    return *plan;
}

TEST(Found, ABoundaryRankThatStoodStillIsCountedAtTheSecondRootToo) {
    sim::World world(plan_from(R"(
ranks = 12
roots = 4
seed = 363974433
deadline = "60s"
ranks_per_host = 3
simulated_limit = "600s"
network = { same_host = "exponential 20us", hosts_per_rack = 2 }
root = { own_hosts = false }
arrival = { skew = "uniform 0ns..200us" }

[[fault]]
kind = "pause"
ranks = "0-3"
at = "100us"
duration = "3s"
)"));
    Watch watch(world);
    EXPECT_EQ(watch.run(), "");
    EXPECT_TRUE(watch.outcome().all_ready());
    EXPECT_LT(watch.outcome().last_ready_ns, 4 * protocol::kSecondNs);
}

TEST(Found, TwoProcessesOfOneRankAtTwoRootsAreBothEntriesThatWereRegistered) {
    sim::World world(plan_from(R"(
ranks = 3
roots = 3
seed = 72551249
policy = { commit = "none" }
network = { same_rack = "lognormal 30us 500" }

[[fault]]
kind = "restart"
ranks = 1
at = "250us"
duration = "1us"

[[fault]]
kind = "restart"
ranks = 1
duration = "100us"
)"));
    Watch watch(world);
    (void)watch.run();
    for (Violation const& violation : watch.violations())
        EXPECT_NE(violation.property, PropertyId::s1) << to_text(violation);
}

TEST(Found, ARingWhoseFramesCostCpuIsPlayed) {
    sim::WorldPlan plan = plan_from(R"(
ranks = 8
policy = { gather = "ring", commit = "none" }
host = { message_service = "12us" }
arrival = { skew = "uniform 0ns..200us" }
)");
    sim::World room;
    EXPECT_EQ(both_lanes(plan, room), std::nullopt);
    plan.fast_forward = true;
    EXPECT_EQ(sim::World(plan).run().skipped_frames, 0U);
    plan.host.message_service_ns = 0;
    EXPECT_GT(sim::World(plan).run().skipped_frames, 0U) << "it is the CPU that makes the difference";
}

}  // namespace
}  // namespace ronde::props
