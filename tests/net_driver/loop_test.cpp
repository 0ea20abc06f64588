/// The loop: deadlines in order, descriptors by edge, calls from other threads, and no spinning.
#include "net/loop.hpp"

#include "net/fd.hpp"

#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ronde::net {
namespace {

constexpr TimeNs kMs = protocol::kMillisecondNs;

class Clock final : public Node {
public:
    Clock(Loop& loop, std::vector<int>* log, int name) : Node(loop), log_(log), name_(name) {}
    using Node::set_deadline;

    std::atomic<int> signals{0};
    TimeNs woken_ns = 0;

private:
    void on_deadline(TimeNs now) override {
        woken_ns = now;
        if (log_ != nullptr)
            log_->push_back(name_);
    }
    void on_signal(TimeNs) override { ++signals; }

    std::vector<int>* log_;
    int name_;
};

class Ear final : public Pollable {
public:
    void on_ready(std::uint32_t ready) override {
        ++calls;
        last = ready;
    }
    int calls = 0;
    std::uint32_t last = 0;
};

std::array<Fd, 2> socket_pair() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
    return {Fd(fds[0]), Fd(fds[1])};
}

/// Two sockets: who listens at one of them, and what is said at the other.
struct Line {
    explicit Line(Loop& its_loop) : loop(its_loop) {}

    [[nodiscard]] int watch() { return loop.watch(ends[0].get(), EPOLLIN, ear, watched); }
    [[nodiscard]] int watch_level() { return loop.watch_level(ends[0].get(), EPOLLIN, ear, watched); }
    void unwatch() { loop.unwatch(watched); }
    [[nodiscard]] bool say(char byte) const { return ::write(ends[1].get(), &byte, 1) == 1; }

    Loop& loop;
    std::array<Fd, 2> ends = socket_pair();
    Ear ear;
    Loop::Watch watched;
};

TEST(Loop, TellsDeadlinesInTheirOrderHoweverTheyWereSetAndChanged) {
    Loop loop;
    std::vector<int> log;
    std::vector<std::unique_ptr<Clock>> clocks;
    TimeNs const now = monotonic_ns();
    constexpr int kClocks = 1000;
    clocks.reserve(kClocks);
    for (int i = 0; i < kClocks; ++i)
        clocks.push_back(std::make_unique<Clock>(loop, &log, i));
    for (int i = 0; i < kClocks; ++i)
        clocks[static_cast<std::size_t>(i)]->set_deadline(now - (i * 7919) % 5000);
    // Every third is put off or brought forward, every tenth is taken back, some vanish.
    for (int i = 0; i < kClocks; i += 3)
        clocks[static_cast<std::size_t>(i)]->set_deadline(now - (i * 104'729) % 5000);
    for (int i = 0; i < kClocks; i += 10)
        clocks[static_cast<std::size_t>(i)]->set_deadline(kNever);
    for (int i = 5; i < kClocks; i += 100)
        clocks[static_cast<std::size_t>(i)].reset();

    loop.run_once(0);

    std::vector<std::pair<int, int>> expected;
    for (int i = 0; i < kClocks; ++i) {
        if (i % 10 == 0 || i % 100 == 5)
            continue;
        expected.emplace_back(-((i % 3 == 0 ? i * 104'729 : i * 7919) % 5000), i);
    }
    ASSERT_EQ(log.size(), expected.size());
    auto const deadline_of = [](int i) { return -((i % 3 == 0 ? i * 104'729 : i * 7919) % 5000); };
    EXPECT_TRUE(std::is_sorted(log.begin(), log.end(),
                               [&](int left, int right) { return deadline_of(left) < deadline_of(right); }));
}

TEST(Loop, SleepsUntilTheDeadlineInsteadOfAskingAgainAndAgain) {
    Loop loop;
    Clock clock(loop, nullptr, 0);
    TimeNs const due_ns = monotonic_ns() + 30 * kMs;
    clock.set_deadline(due_ns);
    EXPECT_TRUE(loop.run_until([&] { return clock.woken_ns != 0; }));
    EXPECT_GE(clock.woken_ns, due_ns);
    EXPECT_LE(loop.batches(), 3U);
}

TEST(Loop, ReturnsAtTheTimeItWasGivenWhenNothingHappens) {
    Loop loop;
    EXPECT_FALSE(loop.run_until([] { return false; }, monotonic_ns() + 5 * kMs));
    EXPECT_LE(loop.batches(), 3U);
}

TEST(Loop, TellsAnEdgeOnceAndAgainWhenMoreComes) {
    Loop loop;
    Line line(loop);
    ASSERT_EQ(line.watch(), 0);
    ASSERT_TRUE(line.say('a'));
    loop.run_once();
    EXPECT_EQ(line.ear.calls, 1);
    loop.run_once(0);
    EXPECT_EQ(line.ear.calls, 1) << "the byte is still unread, but its edge was told";
    ASSERT_TRUE(line.say('b'));
    loop.run_once();
    EXPECT_EQ(line.ear.calls, 2);
    line.unwatch();
}

TEST(Loop, TellsALevelInEveryBatchUntilItIsTakenAway) {
    Loop loop;
    Line line(loop);
    ASSERT_EQ(line.watch_level(), 0);
    ASSERT_TRUE(line.say('a'));
    loop.run_once(0);
    loop.run_once(0);
    loop.run_once(0);
    EXPECT_EQ(line.ear.calls, 3) << "nobody has read the byte";
    char byte = 0;
    ASSERT_EQ(::read(line.ends[0].get(), &byte, 1), 1);
    loop.run_once(0);
    EXPECT_EQ(line.ear.calls, 3);
    line.unwatch();
}

TEST(Loop, SleepsAlthoughADescriptorWhoseLevelNobodyHearsAnyMoreIsStillReady) {
    Loop loop;
    Line line(loop);
    ASSERT_EQ(line.watch_level(), 0);
    ASSERT_TRUE(line.say('a'));
    line.unwatch();
    EXPECT_FALSE(loop.run_until([] { return false; }, monotonic_ns() + 5 * kMs));
    EXPECT_LE(loop.batches(), 3U) << "a level that is left behind wakes the loop in every batch";
    EXPECT_EQ(line.ear.calls, 0);
    // The place is used by an edge next, which must not inherit the level.
    ASSERT_EQ(line.watch(), 0);
    loop.run_once(0);
    loop.run_once(0);
    EXPECT_EQ(line.ear.calls, 1);
    line.unwatch();
}

TEST(Loop, CallsAgainWhoGaveWayToOthers) {
    Loop loop;
    Line line(loop);
    ASSERT_EQ(line.watch(), 0);
    loop.call_again(line.watched);
    loop.run_once();
    EXPECT_EQ(line.ear.calls, 1);
    EXPECT_EQ(line.ear.last, 0U);
    loop.run_once(0);
    EXPECT_EQ(line.ear.calls, 1);
    line.unwatch();
}

TEST(Loop, TellsNothingOfADescriptorThatIsNoLongerWatchedAlsoWhenACopyLives) {
    Loop loop;
    Line old(loop);
    Fd const copy(::dup(old.ends[0].get()));  // as a forked child would hold
    ASSERT_EQ(old.watch(), 0);
    old.unwatch();
    old.ends[0].reset();
    Line other(loop);
    ASSERT_EQ(other.watch(), 0);
    ASSERT_TRUE(old.say('a'));
    loop.run_once(0);
    EXPECT_EQ(old.ear.calls, 0);
    EXPECT_EQ(other.ear.calls, 0) << "its place was taken over, its events were not";
    other.unwatch();
}

TEST(Loop, IsWokenFromAnotherThread) {
    Loop loop;
    Clock clock(loop, nullptr, 0);
    Clock other(loop, nullptr, 1);
    std::thread caller([&] {
        for (int i = 0; i < 100; ++i)
            loop.signal(clock);
    });
    EXPECT_TRUE(loop.run_until([&] { return clock.signals > 0; }));
    caller.join();
    loop.run_once(0);
    EXPECT_EQ(other.signals, 0);
    int const told = clock.signals;
    loop.run_once(0);
    EXPECT_EQ(clock.signals, told);
}

TEST(Loop, ForgetsTheSignalOfANodeThatIsGone) {
    Loop loop;
    Clock stays(loop, nullptr, 0);
    {
        Clock goes(loop, nullptr, 1);
        loop.signal(goes);
        loop.signal(stays);
    }
    loop.run_once();
    EXPECT_EQ(stays.signals, 1);
}

}  // namespace
}  // namespace ronde::net
