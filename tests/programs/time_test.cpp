/// The time that programs live in.
#include "worlds.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

TEST(Time, PassesAsTheProgramSaysAndCostsNothingHere) {
    TimeNs slept_ns = 0;
    auto const outcome = play(world_of(1), [&](Communicator& ring) {
        TimeNs const begin_ns = now_ns();
        sleep_for(std::chrono::minutes(50));
        slept_ns = now_ns() - begin_ns;
        need(ring.close());
    });
    EXPECT_EQ(slept_ns, 3000 * kSecondNs);
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Time, OfAVerbIsThatOfTheNetwork) {
    WorldPlan plan = world_of(2);
    plan.ranks_per_host = {1};
    plan.network.same_rack = Distribution::constant(300 * kMicrosecondNs);
    TimeNs took_ns = 0;
    play(plan, [&](Communicator& ring) {
        std::vector<std::byte> word(1);
        need(ring.barrier());
        if (ring.rank() == 1) {
            sleep_for(std::chrono::milliseconds(7));
            return need(ring.send(0, 0, word));
        }
        TimeNs const begin_ns = now_ns();
        need(ring.recv(1, 0, word));
        took_ns = now_ns() - begin_ns;
    });
    // The connection has to be made and proven first, so it is more than one trip, and no more than ten.
    EXPECT_GT(took_ns, 7 * kMillisecondNs);
    EXPECT_LE(took_ns, 10 * kMillisecondNs);
}

TEST(Time, BeforeARankConnectsMakesItLate) {
    ProgramOptions options;
    options.before_connect = [](RankId rank) { sleep_for(std::chrono::seconds(rank)); };
    TimeNs started_ns = 0;
    auto const outcome = play(
        world_of(4),
        [&](Communicator& ring) {
            if (ring.rank() == 3)
                started_ns = ring.statistics().started_ns;
            need(ring.barrier());
            need(ring.close());
        },
        options);
    EXPECT_EQ(started_ns, 3 * kSecondNs);
    EXPECT_GE(outcome.world.last_table_ns, 3 * kSecondNs);
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Time, ARankThatSleepsNoticesNothingUntilItWakes) {
    // Rank 1 is asked for a connection while it computes: the kernel takes it, the program does not.
    TimeNs heard_ns = 0;
    play(world_of(2), [&](Communicator& ring) {
        std::vector<std::byte> word(1);
        if (ring.rank() == 0)
            return need(ring.send(1, 0, word));
        sleep_for(std::chrono::milliseconds(400));
        need(ring.recv(0, 0, word));
        heard_ns = now_ns();
    });
    EXPECT_GE(heard_ns, 400 * kMillisecondNs);
    EXPECT_LT(heard_ns, 500 * kMillisecondNs);
}

TEST(Time, StatisticsAreThoseOfTheWorld) {
    play(world_of(9), [](Communicator& ring) {
        need(ring.barrier());
        CommunicatorStatistics const statistics = ring.statistics();
        EXPECT_GT(statistics.frames_sent, 4U);
        EXPECT_GT(statistics.frames_received, 4U);
        EXPECT_GT(statistics.bytes_sent, 4U * 40U);
        EXPECT_GT(statistics.connects, 1U);
        EXPECT_GT(statistics.accepts, 0U);
        EXPECT_GT(statistics.table_ns, 0);
        EXPECT_LE(statistics.table_ns, statistics.phase_entered_ns[static_cast<std::size_t>(Phase::ready)]);
        EXPECT_LE(statistics.phase_entered_ns[static_cast<std::size_t>(Phase::ready)], now_ns());
        need(ring.close());
    });
}

TEST(Time, OutsideOfAllWorldsIsThatOfTheSystem) {
    TimeNs const begin_ns = ronde::now_ns();
    ronde::sleep_for(std::chrono::microseconds(1));
    EXPECT_GE(ronde::now_ns(), begin_ns + kMicrosecondNs);
}

}  // namespace
}  // namespace ronde::sim
