/// A world under all properties, as docs/properties.md shows it.
#include "observe/watch.hpp"

#include <gtest/gtest.h>

namespace ronde {
namespace {

TEST(MyCluster, SurvivesARankThatStandsStill) {
    sim::WorldPlan plan;
    plan.nranks = 12;
    sim::Fault pause;
    pause.kind = sim::FaultKind::pause;
    pause.ranks = {{3, 1}};
    pause.duration_ns = protocol::kSecondNs;
    plan.faults = {pause};

    sim::World world(plan);
    props::Watch watch(world);
    EXPECT_EQ(watch.run(), "");
    EXPECT_TRUE(watch.outcome().all_ready());
}

}  // namespace
}  // namespace ronde
