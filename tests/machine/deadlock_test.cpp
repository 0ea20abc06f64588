/// Buffers are finite. Who writes everything before it reads anything waits for ever as soon as a slice does not fit;
/// who reads while it writes does not.
#include "machine/story.hpp"
#include "support/wording.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol::tiny {
namespace {

WorldPlan narrow_plan(Turns turns, std::uint32_t nranks, std::uint64_t slice_bytes, std::uint64_t seed) {
    WorldPlan plan = plan_of(Profile::article, nranks, 1, seed);
    plan.policies.turns = turns;
    plan.window_bytes = 1000;
    plan.program = {all_gather(slice_bytes)};
    return plan;
}

TEST(Deadlock, WhoSendsBeforeItReceivesWaitsForEver) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            TinyWorld world(narrow_plan(Turns::send_then_receive, nranks, 1001, seed));
            world.run();
            ASSERT_EQ(world.broken_rule(), "");
            // The table went through: an entry fits. The program's slices do not, and nobody will ever read one.
            ASSERT_TRUE(world.all_ready_with_equal_tables()) << story_of(world);
            EXPECT_EQ(world.with_work_left().size(), nranks) << story_of(world);
        }
    }
}

TEST(Deadlock, SlicesThatFitDoNotHangThem) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            TinyWorld world(narrow_plan(Turns::send_then_receive, nranks, 400, seed));
            world.run();
            EXPECT_TRUE(every_program_is_done(world));
        }
    }
}

TEST(Deadlock, WhoReadsWhileItWritesNeverHangs) {
    for (Turns const turns : {Turns::lock_step, Turns::lock_step_lengths, Turns::pipelined}) {
        for (std::uint32_t const nranks : {2U, 3U, 5U, 8U}) {
            for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
                WorldPlan plan = narrow_plan(turns, nranks, 1001, seed);
                plan.window_bytes = 0;
                TinyWorld world(plan);
                world.run();
                EXPECT_TRUE(every_program_is_done(world));
            }
        }
    }
}

TEST(Deadlock, ChordsNeverHangEither) {
    for (std::uint32_t const nranks : {2U, 3U, 5U, 8U, 9U}) {
        for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
            WorldPlan plan = plan_of(Profile::ronde, nranks, 1, seed);
            plan.window_bytes = 0;
            plan.program = {all_gather(5000), broadcast(0, 7000), all_gather(3)};
            TinyWorld world(plan);
            world.run();
            EXPECT_TRUE(every_program_is_done(world));
        }
    }
}

}  // namespace
}  // namespace ronde::protocol::tiny
