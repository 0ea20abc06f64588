/// The same plan and the same seed: the same world, to the bit.
#include "engine/tape_oracle.hpp"
#include "plans.hpp"

namespace ronde::sim {
namespace {

WorldPlan windy(std::uint64_t seed) {
    WorldPlan plan = plan_of(60);
    plan.seed = seed;
    plan.network.same_host = Distribution::uniform(2 * kMicrosecondNs, 9 * kMicrosecondNs);
    plan.network.same_rack = Distribution::log_normal(20 * kMicrosecondNs, 300);
    plan.network.loss_per_million = 5'000;
    plan.arrival.skew = Distribution::exponential(kMillisecondNs);
    return plan;
}

TEST(Determinism, TheSameSeedGivesTheSameDigest) {
    Outcome const once = run(windy(7));
    Outcome const again = run(windy(7));
    EXPECT_EQ(once.digest, again.digest);
    EXPECT_EQ(once.events, again.events);
    EXPECT_EQ(once.last_table_ns, again.last_table_ns);
}

TEST(Determinism, AnotherSeedGivesAnotherWorld) { EXPECT_NE(run(windy(7)).digest, run(windy(8)).digest); }

TEST(Determinism, AWatcherChangesNothing) {
    struct Counter final : Observer {
        std::uint64_t steps = 0;
        TimeNs last_ns = 0;
        void on_step(StepSeen const& seen) override {
            ++steps;
            last_ns = seen.now_ns;
        }
    } counter;
    World world(windy(7));
    world.watch(counter);
    Outcome const outcome = world.run();
    EXPECT_EQ(outcome.digest, run(windy(7)).digest);
    EXPECT_GT(counter.steps, 60U * 10U);
    EXPECT_EQ(counter.last_ns, outcome.simulated_ns);
}

TEST(Determinism, WithoutFaultsTheTableDoesNotDependOnTheTiming) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Outcome const outcome = run(windy(seed));
        EXPECT_TRUE(outcome.all_ready()) << "seed " << seed << ": " << summary(outcome);
        EXPECT_EQ(outcome.broken, "");
    }
}

}  // namespace
}  // namespace ronde::sim
