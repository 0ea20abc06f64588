/// The same seed and the same program: the same world, to the bit.
#include "world/world.hpp"
#include "worlds.hpp"

namespace ronde::sim {
namespace {

WorldPlan windy(std::uint64_t seed) {
    WorldPlan plan = world_of(40);
    plan.seed = seed;
    plan.network.same_host = Distribution::uniform(2 * kMicrosecondNs, 9 * kMicrosecondNs);
    plan.network.same_rack = Distribution::log_normal(20 * kMicrosecondNs, 300);
    plan.network.loss_per_million = 5'000;
    plan.arrival.skew = Distribution::exponential(kMillisecondNs);
    return plan;
}

void busy_program(Communicator& ring) {
    std::vector<std::byte> whole(16 * ring.nranks());
    for (int round = 0; round < 3; ++round) {
        sleep_for(std::chrono::microseconds(ring.rank() * 3));
        need(ring.all_gather(whole, 16));
        std::vector<std::byte> word(32);
        need(ring.send((ring.rank() + 1) % ring.nranks(), 1, word));
        need(ring.recv((ring.rank() + ring.nranks() - 1) % ring.nranks(), 1, word));
    }
    need(ring.barrier());
    need(ring.close());
}

TEST(Determinism, TheSameSeedGivesTheSameDigest) {
    auto const once = play(windy(7), busy_program);
    auto const again = play(windy(7), busy_program);
    EXPECT_TRUE(once.all_returned()) << once.text();
    EXPECT_EQ(once.world.digest, again.world.digest);
    EXPECT_EQ(once.world.events, again.world.events);
    EXPECT_EQ(once.text(), again.text());
    EXPECT_NE(once.world.digest, play(windy(8), busy_program).world.digest);
}

TEST(Determinism, WhatAProgramCallsIsPartOfTheDigest) {
    auto const one_more = [](Communicator& ring) {
        need(ring.barrier());
        busy_program(ring);
    };
    EXPECT_NE(play(windy(7), busy_program).world.digest, play(windy(7), one_more).world.digest);
}

TEST(Determinism, WhatItSendsIsNotAsLongAsTheSizesAreTheSame) {
    auto const gather_of = [](std::byte value) {
        return [value](Communicator& ring) {
            std::vector<std::byte> whole(16 * ring.nranks(), value);
            need(ring.all_gather(whole, 16));
            need(ring.barrier());
            need(ring.close());
        };
    };
    EXPECT_EQ(play(windy(7), gather_of(std::byte{1})).world.digest,
              play(windy(7), gather_of(std::byte{2})).world.digest);
}

TEST(Determinism, AnObserverChangesNothing) {
    struct Counter final : Observer {
        std::uint64_t operations = 0;
        void on_step(StepSeen const& seen) override {
            operations += seen.event->kind == protocol::EventKind::operate ? 1U : 0U;
        }
    } counter;
    ProgramOptions options;
    options.observer = &counter;
    EXPECT_EQ(play(windy(7), busy_program, options).world.digest, play(windy(7), busy_program).world.digest);
    EXPECT_EQ(counter.operations, 40U * 10U);
}

TEST(Determinism, AProgramThatDoesNothingLeavesTheBootstrapAsItWas) {
    // The steps up to ready are those of the world without programs, so the table stands at the same time.
    World alone(windy(7));
    Outcome const without = alone.run();
    auto const with = play(windy(7), [](Communicator& ring) {
        sleep_for(std::chrono::seconds(20));
        need(ring.close());
    });
    EXPECT_EQ(with.world.last_table_ns, without.last_table_ns);
    EXPECT_EQ(with.world.last_ready_ns, without.last_ready_ns);
}

}  // namespace
}  // namespace ronde::sim
