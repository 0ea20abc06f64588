// Blocking verbs over a loop: the fiber waits, the loop delivers.

#include "fiber/wait.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ronde::fiber {
namespace {

using testing::ElementsAre;

/// The smallest event loop: callbacks that are due, by time.
class Loop {
public:
    void at(std::uint64_t due_ns, std::function<void()> callback) { due_.emplace_back(due_ns, std::move(callback)); }
    /// False when nothing is due any more.
    bool run_once() {
        auto const first = std::min_element(due_.begin(), due_.end(),
                                            [](auto const& one, auto const& other) { return one.first < other.first; });
        if (first == due_.end())
            return false;
        now_ns = first->first;
        auto const callback = std::move(first->second);
        due_.erase(first);
        callback();
        return true;
    }
    std::uint64_t now_ns = 0;

private:
    std::deque<std::pair<std::uint64_t, std::function<void()>>> due_;
};

struct WaitTest : testing::Test {
    void spawn(std::string_view name, std::function<void()> body) {
        ASSERT_TRUE(scheduler.spawn(name, std::move(body)));
    }
    Scheduler scheduler;
    std::vector<std::string> log;
};

TEST_F(WaitTest, AFiberWaitsForAValueFromOutside) {
    WaitCell<std::string> cell(scheduler);
    spawn("reader", [&] { log.push_back(cell.wait()); });
    scheduler.run_until_idle();
    EXPECT_TRUE(cell.waited_for());
    EXPECT_TRUE(log.empty());
    EXPECT_TRUE(cell.deliver("ready"));
    EXPECT_TRUE(log.empty()) << "a delivery runs nobody: it comes from the middle of a loop";
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("ready"));
    EXPECT_FALSE(cell.full());
}

TEST_F(WaitTest, ADeliveryBeforeTheWaitIsKept) {
    WaitCell<int> cell(scheduler);
    EXPECT_TRUE(cell.deliver(5));
    int got = 0;
    spawn("late", [&] { got = cell.wait(); });
    scheduler.run_until_idle();
    EXPECT_EQ(got, 5);
}

TEST_F(WaitTest, TheFirstDeliveryCounts) {
    WaitCell<std::string> cell(scheduler);
    spawn("reader", [&] { log.push_back(cell.wait()); });
    scheduler.run_until_idle();
    EXPECT_TRUE(cell.deliver("answer"));
    EXPECT_FALSE(cell.deliver("deadline"));
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("answer"));
}

TEST_F(WaitTest, ACellServesAgain) {
    WaitCell<int> cell(scheduler);
    int sum = 0;
    spawn("adder", [&] {
        for (int time = 0; time < 3; ++time)
            sum += cell.wait();
    });
    for (int number : {1, 20, 300}) {
        scheduler.run_until_idle();
        ASSERT_TRUE(cell.deliver(number));
    }
    scheduler.run_until_idle();
    EXPECT_EQ(sum, 321);
}

TEST_F(WaitTest, ValuesThatOnlyMove) {
    WaitCell<std::unique_ptr<int>> cell(scheduler);
    int got = 0;
    spawn("owner", [&] { got = *cell.wait(); });
    ASSERT_TRUE(cell.deliver(std::make_unique<int>(4)));
    scheduler.run_until_idle();
    EXPECT_EQ(got, 4);
}

TEST_F(WaitTest, AWakeForAnotherReasonDoesNotEndTheWait) {
    WaitCell<int> cell(scheduler);
    Scheduler::Task* reader = nullptr;
    int got = 0;
    spawn("reader", [&] {
        reader = &scheduler.current();
        got = cell.wait();
    });
    scheduler.run_until_idle();
    scheduler.wake(*reader);
    scheduler.run_until_idle();
    EXPECT_EQ(got, 0);
    ASSERT_TRUE(cell.deliver(6));
    scheduler.run_until_idle();
    EXPECT_EQ(got, 6);
}

TEST_F(WaitTest, FibersDeliverToEachOther) {
    WaitCell<int> ping(scheduler);
    WaitCell<int> pong(scheduler);
    spawn("first", [&] {
        for (int round = 0; round < 3; ++round) {
            ping.deliver(round);
            log.push_back(fmt::format("pong {}", pong.wait()));
        }
    });
    spawn("second", [&] {
        for (int round = 0; round < 3; ++round) {
            log.push_back(fmt::format("ping {}", ping.wait()));
            pong.deliver(10 * round);
        }
    });
    scheduler.run_until_idle();
    EXPECT_THAT(log, ElementsAre("ping 0", "pong 0", "ping 1", "pong 10", "ping 2", "pong 20"));
    EXPECT_EQ(scheduler.alive(), 0U);
}

TEST_F(WaitTest, ABlockingSleepOverALoopKeepsTheOrderOfTime) {
    Loop loop;
    auto const sleep = [&](std::uint64_t duration_ns) {
        WaitCell<std::uint64_t> alarm(scheduler);
        loop.at(loop.now_ns + duration_ns, [&] { alarm.deliver(loop.now_ns); });
        return alarm.wait();
    };
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
        spawn(fmt::format("rank {}", rank), [&, rank] {
            log.push_back(fmt::format("{} at {}", rank, sleep(30 - 10 * rank)));
            log.push_back(fmt::format("{} at {}", rank, sleep(25)));
        });
    }
    do
        scheduler.run_until_idle();
    while (loop.run_once());
    EXPECT_THAT(log, ElementsAre("2 at 10", "1 at 20", "0 at 30", "2 at 35", "1 at 45", "0 at 55"));
    EXPECT_EQ(scheduler.alive(), 0U);
}

TEST_F(WaitTest, ACellForgetsAFiberThatWasUnwound) {
    auto loser = std::make_unique<Scheduler>();
    WaitCell<int> cell(*loser);
    ASSERT_TRUE(loser->spawn("waits for ever", [&] { static_cast<void>(cell.wait()); }));
    loser->run_until_idle();
    EXPECT_TRUE(cell.waited_for());
    loser.reset();
    EXPECT_FALSE(cell.waited_for());
    EXPECT_TRUE(cell.deliver(1)) << "and a delivery that comes too late wakes nobody";
}

TEST_F(WaitTest, MisuseIsSaid) {
    auto const nobody_waits = [this] {
        WaitCell<int> cell(scheduler);
        static_cast<void>(cell.wait());
    };
    EXPECT_DEATH(nobody_waits(), "only a fiber of this scheduler");
    auto const two_wait = [this] {
        WaitCell<int> cell(scheduler);
        for (char const* name : {"one", "two"})
            spawn(name, [&] { static_cast<void>(cell.wait()); });
        scheduler.run_until_idle();
    };
    EXPECT_DEATH(two_wait(), "one fiber at a time waits at a cell");
}

}  // namespace
}  // namespace ronde::fiber
