// Many fibers, one thread, and one order.

#include "fiber/scheduler.hpp"

#include "fiber/sanitizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ronde::fiber {
namespace {

using testing::ElementsAre;

/// ThreadSanitizer has room for some thousands, and AddressSanitizer's shadow is an eighth of all stacks, touched or
/// not.
constexpr std::size_t kMany = kThreadSanitizer ? 1'000 : kAddressSanitizer ? 10'000 : 100'000;

TEST(Scheduler, RunsInTheOrderOfSpawning) {
    std::vector<std::string> log;
    Scheduler scheduler;
    for (int index = 0; index < 3; ++index) {
        ASSERT_TRUE(scheduler.spawn(fmt::format("rank {}", index), [&] {
            log.push_back(fmt::format("{} begins", scheduler.current().name()));
            scheduler.yield();
            log.push_back(fmt::format("{} ends", scheduler.current().name()));
        }));
    }
    EXPECT_EQ(scheduler.alive(), 3U);
    EXPECT_EQ(scheduler.runnable(), 3U);
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("rank 0 begins", "rank 1 begins", "rank 2 begins", "rank 0 ends", "rank 1 ends",
                                 "rank 2 ends"));
    EXPECT_EQ(scheduler.alive(), 0U);
    EXPECT_EQ(scheduler.stacks().counts().in_use, 0U);
}

TEST(Scheduler, IdleMeansThatEveryoneWaits) {
    Scheduler scheduler;
    Scheduler::Task* sleeper = nullptr;
    int rounds = 0;
    ASSERT_TRUE(scheduler.spawn("sleeper", [&] {
        sleeper = &scheduler.current();
        for (; rounds < 2; ++rounds)
            scheduler.park();
    }));
    scheduler.run_until_idle();
    scheduler.run_until_idle();
    EXPECT_EQ(rounds, 0) << "nobody has woken it";
    scheduler.wake(*sleeper);
    scheduler.run_until_idle();
    EXPECT_EQ(rounds, 1);
    EXPECT_EQ(scheduler.alive(), 1U);
    EXPECT_EQ(scheduler.runnable(), 0U);
}

TEST(Scheduler, WokenTwiceRunsOnce) {
    Scheduler scheduler;
    Scheduler::Task* sleeper = nullptr;
    int runs = 0;
    ASSERT_TRUE(scheduler.spawn("sleeper", [&] {
        sleeper = &scheduler.current();
        for (;;) {
            scheduler.park();
            ++runs;
        }
    }));
    scheduler.run_until_idle();
    scheduler.wake(*sleeper);
    scheduler.wake(*sleeper);
    EXPECT_EQ(scheduler.runnable(), 1U);
    scheduler.run_until_idle();
    EXPECT_EQ(runs, 1);
}

TEST(Scheduler, ATaskWokenWhileItRunsForTheLastTimeEndsAllTheSame) {
    Scheduler scheduler;
    ASSERT_TRUE(scheduler.spawn("hasty", [&] { scheduler.wake(scheduler.current()); }));
    ASSERT_TRUE(scheduler.spawn("other", [&] { scheduler.yield(); }));
    scheduler.run_until_idle();
    EXPECT_EQ(scheduler.alive(), 0U);
    EXPECT_EQ(scheduler.stacks().counts().in_use, 0U);
}

/// The same small world twice: fibers that wake each other by numbers from a fixed sequence.
std::string dance() {
    std::string log;
    Scheduler scheduler;
    std::vector<Scheduler::Task*> tasks;
    std::uint64_t state = 1;
    for (int index = 0; index < 8; ++index) {
        static_cast<void>(scheduler.spawn(std::string(1, static_cast<char>('a' + index)), [&] {
            tasks.push_back(&scheduler.current());
            for (int round = 0; round < 4; ++round) {
                log += scheduler.current().name();
                state = state * 6364136223846793005U + 1442695040888963407U;
                std::size_t const other = (state >> 33U) % 8;
                if (other < tasks.size())
                    scheduler.wake(*tasks[other]);
                scheduler.park();
            }
            scheduler.park();  // so that everybody stays valid to the end
        }));
    }
    scheduler.run_until_idle();
    return log;
}

TEST(Scheduler, TheOrderDependsOnNothingButWhatTheFibersDo) {
    std::string const first = dance();
    EXPECT_GE(first.size(), 16U);
    EXPECT_EQ(first.substr(0, 8), "abcdefgh");
    EXPECT_EQ(first, dance());
}

TEST(Scheduler, AFiberMaySpawnOthersWhichRunAfterThoseThatWaitAlready) {
    std::vector<std::string> log;
    Scheduler scheduler;
    ASSERT_TRUE(scheduler.spawn("parent", [&] {
        ASSERT_TRUE(scheduler.spawn("child", [&] { log.emplace_back("child"); }));
        log.emplace_back("parent");
    }));
    ASSERT_TRUE(scheduler.spawn("neighbour", [&] { log.emplace_back("neighbour"); }));
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("parent", "neighbour", "child"));
}

TEST(Scheduler, AnExceptionComesOutAndTheOthersGoOn) {
    std::vector<std::string> log;
    Scheduler scheduler;
    ASSERT_TRUE(scheduler.spawn("fails", [] { throw std::runtime_error("rank 0 fails"); }));
    ASSERT_TRUE(scheduler.spawn("works", [&] { log.emplace_back("works"); }));
    EXPECT_THROW(scheduler.run_until_idle(), std::runtime_error);
    EXPECT_EQ(scheduler.alive(), 1U);
    EXPECT_TRUE(log.empty());
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("works"));
    EXPECT_EQ(scheduler.stacks().counts().in_use, 0U);
}

TEST(Scheduler, ItsEndUnwindsWhoIsLeftInTheOrderOfSpawning) {
    std::vector<std::string> log;
    struct Leaving {
        std::vector<std::string>& log;
        Scheduler& scheduler;
        ~Leaving() { log.emplace_back(scheduler.current().name()); }
    };
    {
        Scheduler scheduler;
        std::vector<Scheduler::Task*> tasks;
        for (int index = 0; index < 4; ++index) {
            ASSERT_TRUE(scheduler.spawn(fmt::format("rank {}", index), [&] {
                Leaving const leaving{log, scheduler};
                tasks.push_back(&scheduler.current());
                scheduler.park();
                if (scheduler.current().name() != "rank 1")
                    scheduler.park();
            }));
        }
        scheduler.run_until_idle();
        scheduler.wake(*tasks[3]);
        scheduler.wake(*tasks[1]);
        scheduler.run_until_idle();
        EXPECT_THAT(log, ElementsAre("rank 1")) << "the only one that has reached its end";
        ASSERT_TRUE(scheduler.spawn("never ran", [] { FAIL() << "must not run"; }));
    }
    EXPECT_THAT(log, ElementsAre("rank 1", "rank 0", "rank 2", "rank 3"));
}

TEST(Scheduler, NoStackIsAnErrorOfSpawn) {
    Scheduler scheduler({.max_stacks = 1});
    ASSERT_TRUE(scheduler.spawn("one", [&] { scheduler.park(); }));
    auto const second = scheduler.spawn("two", [] {});
    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error().message(), testing::HasSubstr("1 stacks of 65536 bytes exist"));
    EXPECT_EQ(scheduler.alive(), 1U);
}

TEST(Scheduler, StacksOfTheEndedServeTheNext) {
    Scheduler scheduler;
    for (int wave = 0; wave < 10; ++wave) {
        for (int index = 0; index < 10; ++index)
            ASSERT_TRUE(scheduler.spawn("short", [&] { scheduler.yield(); }));
        scheduler.run_until_idle();
    }
    EXPECT_EQ(scheduler.stacks().counts().made, 10U);
    EXPECT_EQ(scheduler.stacks().counts().reused, 90U);
}

TEST(Scheduler, AHundredThousandFibersInOneProcess) {
    std::size_t arrived = 0;
    std::size_t ended = 0;
    Scheduler scheduler;
    std::vector<Scheduler::Task*> waiting;
    for (std::size_t rank = 0; rank < kMany; ++rank) {
        ASSERT_TRUE(scheduler.spawn(fmt::format("rank {}", rank), [&] {
            for (int time = 0; time < 2; ++time) {
                ++arrived;
                waiting.push_back(&scheduler.current());
                scheduler.park();
            }
            ++ended;
        }));
    }
    for (std::size_t time = 1; time <= 2; ++time) {
        scheduler.run_until_idle();
        ASSERT_EQ(arrived, time * kMany);
        ASSERT_EQ(scheduler.alive(), kMany) << "all are parked at once";
        for (Scheduler::Task* const task : std::exchange(waiting, {}))
            scheduler.wake(*task);
    }
    StackPool& stacks = scheduler.stacks();
    std::size_t const resident_bytes = stacks.measure().resident_bytes;
    RecordProperty("stack_bytes_per_fiber", std::to_string(resident_bytes / kMany));
    EXPECT_GE(resident_bytes / kMany, 4096U) << "one page at least is touched";
    std::size_t const most_bytes = kAddressSanitizer || kThreadSanitizer ? 16'384 : 8'192;
    EXPECT_LE(resident_bytes / kMany, most_bytes) << "and little more than that";
    EXPECT_EQ(stacks.counts().made, kMany);

    scheduler.run_until_idle();
    EXPECT_EQ(ended, kMany);
    EXPECT_EQ(stacks.counts().in_use, 0U);
    EXPECT_EQ(stacks.give_back_memory(), resident_bytes);
    EXPECT_EQ(stacks.measure().resident_bytes, 0U);
}

TEST(Scheduler, MisuseIsSaid) {
    Scheduler scheduler;
    EXPECT_DEATH(scheduler.yield(), "only a fiber of this scheduler");
    EXPECT_DEATH(scheduler.park(), "one of its fibers");
    ASSERT_TRUE(scheduler.spawn("nested", [&] { scheduler.run_until_idle(); }));
    EXPECT_DEATH(scheduler.run_until_idle(), "outside of the fibers");
}

}  // namespace
}  // namespace ronde::fiber
