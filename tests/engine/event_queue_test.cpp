// The fast queue against the simple one: whatever is pushed, both must say the same, pop by pop.
#include "engine/event_queue.hpp"

#include "engine/draw.hpp"
#include "engine/heap_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <string>

namespace ronde::sim {
namespace {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kNever;
using protocol::kSecondNs;

constexpr TimeNs kEndOfTime = std::numeric_limits<TimeNs>::max();

/// Both queues at once. Each push gets a new slot, so that a pop tells which of the equal times came first.
class Twins {
public:
    void push(TimeNs at_ns) {
        fast_.push(at_ns, slots_);
        simple_.push(at_ns, slots_);
        ++slots_;
    }

    TimeNs pop() {
        TimeNs const next_ns = looks_ahead ? fast_.next_ns() : simple_.next_ns();
        EXPECT_EQ(next_ns, simple_.next_ns());
        TimeNs const slack_ns = static_cast<TimeNs>(pops_ % 7) * 1000;  // the limit lies in the bucket, or behind it
        EXPECT_TRUE(fast_.has_by(std::min(next_ns, kEndOfTime - slack_ns) + slack_ns)) << "pop " << pops_;
        if (looks_ahead) {
            EXPECT_FALSE(fast_.has_by(next_ns - 1)) << "pop " << pops_;
        }
        auto const fast = fast_.pop();
        auto const simple = simple_.pop();
        EXPECT_EQ(fast.at_ns, simple.at_ns) << "pop " << pops_;
        EXPECT_EQ(fast.slot, simple.slot) << "pop " << pops_ << " at " << simple.at_ns << " ns";
        EXPECT_EQ(fast_.size(), simple_.size());
        ++pops_;
        return simple.at_ns;
    }

    /// What both forget: every event whose slot `drops`.
    void remove(std::function<bool(std::uint32_t slot)> const& drops) {
        auto const by_slot = [&](TimeNs, std::uint32_t slot) { return drops(slot); };
        fast_.remove_if(by_slot);
        simple_.remove_if(by_slot);
        EXPECT_EQ(fast_.size(), simple_.size());
    }

    void drain() {
        while (!simple_.empty() && !::testing::Test::HasFailure())
            pop();
        EXPECT_TRUE(fast_.empty());
        EXPECT_FALSE(fast_.has_by(kEndOfTime));
        EXPECT_EQ(fast_.high_water(), simple_.high_water());
    }

    [[nodiscard]] bool empty() const { return simple_.empty(); }

    bool looks_ahead = false;  ///< asks next_ns before each pop

private:
    EventQueue fast_;
    HeapQueue simple_;
    std::uint32_t slots_ = 0;
    std::uint64_t pops_ = 0;
};

struct Workload {
    std::string name;
    std::uint32_t pending;
    std::function<TimeNs(std::uint64_t bits)> delay_ns;
};

std::vector<Workload> workloads() {
    auto const upto = [](TimeNs most_ns) {
        return [most_ns](std::uint64_t bits) {
            return static_cast<TimeNs>(below(bits, static_cast<std::uint64_t>(most_ns)));
        };
    };
    std::vector<Workload> all;
    for (std::uint32_t const pending : {1U, 5U, 64U, 65U, 66U, 700U, 9'000U}) {
        all.push_back({"inside a window", pending, upto(50)});
        all.push_back({"some windows", pending, upto(10 * kMicrosecondNs)});
        all.push_back({"a network", pending, upto(kMillisecondNs)});
        all.push_back({"far apart", pending, upto(100 * kSecondNs)});
        all.push_back({"centuries", pending, upto(TimeNs{1} << 61U)});
        all.push_back({"equal", pending, [](std::uint64_t) { return 20 * kMicrosecondNs; }});
        all.push_back({"now", pending, [](std::uint64_t bits) { return bits % 8 == 0 ? 1 : 0; }});
        all.push_back({"two times", pending, [](std::uint64_t bits) { return bits % 2 == 0 ? 2'048 : 4'096; }});
        all.push_back({"every scale", pending,
                       [](std::uint64_t bits) { return static_cast<TimeNs>((bits >> 8U) >> (16 + bits % 41)); }});
        all.push_back({"bursts", pending,
                       [](std::uint64_t bits) { return static_cast<TimeNs>(below(bits, 4)) * 333 * kMicrosecondNs; }});
    }
    return all;
}

TEST(EventQueue, PopsWhatTheHeapPopsWhenTheNumberOfEventsHolds) {
    for (Workload const& load : workloads()) {
        SCOPED_TRACE(load.name + ", " + std::to_string(load.pending) + " pending");
        Draws const draws{7, load.pending};
        Twins twins;
        twins.looks_ahead = load.pending % 2 == 0;
        std::uint64_t counter = 0;
        for (std::uint32_t i = 0; i < load.pending; ++i)
            twins.push(load.delay_ns(draws.at(counter++)));
        // A queue that lives for long: the wheel turns over on all of its levels.
        for (std::uint32_t i = 0; i < 3 * load.pending + 200; ++i) {
            TimeNs const now_ns = twins.pop();
            TimeNs const delay_ns = load.delay_ns(draws.at(counter++));
            twins.push(now_ns + std::min(delay_ns, kNever - now_ns));
        }
        twins.drain();
        ASSERT_FALSE(HasFailure());
    }
}

TEST(EventQueue, PopsWhatTheHeapPopsWhenItGrowsAndEmptiesAgainAndAgain) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Draws const draws{seed, 1};
        Twins twins;
        twins.looks_ahead = seed % 2 == 0;
        TimeNs now_ns = 0;
        std::uint64_t counter = 0;
        for (int wave = 0; wave < 12; ++wave) {
            auto const pushes = below(draws.at(counter++), 400);
            auto const scale = below(draws.at(counter++), 40);
            for (std::uint64_t i = 0; i < pushes; ++i)
                twins.push(now_ns + static_cast<TimeNs>(draws.at(counter++) >> (63 - scale)));
            auto const pops = below(draws.at(counter++), 500);
            for (std::uint64_t i = 0; i < pops && !twins.empty(); ++i)
                now_ns = twins.pop();
        }
        twins.drain();
        ASSERT_FALSE(HasFailure());
    }
}

TEST(EventQueue, WhatIsTakenOutIsGoneAndTheOthersKeepTheirOrder) {
    for (Workload const& load : workloads()) {
        SCOPED_TRACE(load.name + ", " + std::to_string(load.pending) + " pending");
        Draws const draws{9, load.pending};
        Twins twins;
        twins.looks_ahead = load.pending % 2 == 1;
        std::uint64_t counter = 0;
        TimeNs now_ns = 0;
        for (std::uint32_t const share : {3U, 2U, 1U}) {  // one in three of them, one in two, all
            for (std::uint32_t i = 0; i < load.pending; ++i) {
                TimeNs const delay_ns = load.delay_ns(draws.at(counter++));
                twins.push(now_ns + std::min(delay_ns, kNever - now_ns));
                if (i % 3 == 0)
                    now_ns = twins.pop();
            }
            twins.remove([share](std::uint32_t slot) { return slot % share == 0; });
            for (std::uint32_t i = 0; i < load.pending / 4 && !twins.empty(); ++i)
                now_ns = twins.pop();
        }
        EXPECT_TRUE(twins.empty());
        twins.push(now_ns);  // and goes on
        twins.drain();
        ASSERT_FALSE(HasFailure());
    }
}

TEST(EventQueue, WhatIsTakenOutMakesRoomForOthers) {
    EventQueue queue;
    auto const fill = [&](bool all) {
        for (std::uint32_t slot = 0; slot < 50'000; ++slot) {
            if (all || slot % 10 != 0)
                queue.push(static_cast<TimeNs>(draw(5, 1, slot) >> 32U), slot);
        }
    };
    fill(true);
    std::size_t const bytes = queue.bytes();
    for (int i = 0; i < 5; ++i) {
        queue.remove_if([](TimeNs, std::uint32_t slot) { return slot % 10 != 0; });
        EXPECT_EQ(queue.size(), 5'000U);
        fill(false);
    }
    EXPECT_LE(queue.bytes(), bytes + 64 * 1024);  // a block of chunks or two, by chance
}

TEST(EventQueue, LookingAtTheNextTimeAllowsEarlierPushesStill) {
    EventQueue queue;
    for (std::uint32_t slot = 0; slot < 200; ++slot)
        queue.push(10 * kSecondNs + slot, slot);
    EXPECT_EQ(queue.next_ns(), 10 * kSecondNs);
    queue.push(5, 999);
    EXPECT_EQ(queue.next_ns(), 5);
    EXPECT_EQ(queue.pop(), (EventQueue::Popped{5, 999}));
    queue.push(3 * kSecondNs, 998);
    EXPECT_EQ(queue.next_ns(), 3 * kSecondNs);
    EXPECT_EQ(queue.pop().slot, 998U);
    EXPECT_EQ(queue.pop(), (EventQueue::Popped{10 * kSecondNs, 0}));
}

TEST(EventQueue, TheEndOfTimeIsATime) {
    Twins twins;
    for (int i = 0; i < 100; ++i) {
        twins.push(kNever);
        twins.push(kNever - 1);
        twins.push(i);
    }
    twins.drain();
}

TEST(EventQueue, TellsTheCallerWhoComesNext) {
    EventQueue queue;
    for (std::uint32_t slot = 0; slot < 500; ++slot)
        queue.push(kMillisecondNs + (slot * 7) % 500, slot);
    queue.pop();
    std::size_t told = 0;
    while (!queue.empty()) {
        std::uint32_t const foreseen = queue.peek_slot(0);
        std::uint32_t const later = queue.peek_slot(1);
        std::uint32_t const slot = queue.pop().slot;
        if (foreseen != kNoSlot) {
            EXPECT_EQ(foreseen, slot);
            ++told;
        }
        if (later != kNoSlot) {
            EXPECT_EQ(later, queue.peek_slot(0));
        }
    }
    EXPECT_GT(told, 400U);
    EXPECT_EQ(queue.peek_slot(0), kNoSlot);
    EXPECT_EQ(queue.peek_slot(1'000'000), kNoSlot);
}

TEST(EventQueue, NeedsAboutTenBytesForAnEventAndLittleForASmallWorld) {
    EventQueue small;
    EXPECT_LT(small.bytes(), 300U);
    for (std::uint32_t slot = 0; slot < EventQueue::kSmall; ++slot)
        small.push(slot, slot);
    EXPECT_LT(small.bytes(), 2'000U);

    constexpr std::uint32_t kEvents = 300'000;
    EventQueue large;
    for (std::uint32_t slot = 0; slot < kEvents; ++slot)
        large.push(static_cast<TimeNs>(below(draw(1, 1, slot), 5 * kMillisecondNs)), slot);
    EXPECT_EQ(large.high_water(), kEvents);
    EXPECT_LT(large.bytes(), 11 * std::size_t{kEvents});
}

TEST(EventQueue, HoldingStillCostsNoMemory) {
    EventQueue queue;
    for (std::uint32_t slot = 0; slot < 2'000; ++slot)
        queue.push(static_cast<TimeNs>(draw(1, 1, slot) >> 44U), slot);
    auto const turn = [&](std::uint64_t times) {
        for (std::uint64_t i = 0; i < times; ++i) {
            auto const [at_ns, slot] = queue.pop();
            queue.push(at_ns + static_cast<TimeNs>(draw(1, 2, i) >> 44U), slot);
        }
    };
    turn(100'000);
    std::size_t const bytes = queue.bytes();
    turn(100'000);
    EXPECT_LE(queue.bytes(), bytes + 64 * 1024);  // a block of chunks or two, by chance
    EXPECT_EQ(queue.high_water(), 2'000U);
}

TEST(EventQueue, ClearedItIsAsNewAndKeepsItsMemory) {
    EventQueue queue;
    auto const fill = [&] {
        for (std::uint32_t slot = 0; slot < 3'000; ++slot)
            queue.push(static_cast<TimeNs>(draw(3, 1, slot) >> 40U), slot);
    };
    fill();
    std::vector<EventQueue::Popped> first;
    for (int i = 0; i < 1'000; ++i)
        first.push_back(queue.pop());
    std::size_t const bytes = queue.bytes();
    queue.clear();
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.high_water(), 0U);
    fill();
    for (auto const& popped : first)
        ASSERT_EQ(queue.pop(), popped);
    EXPECT_EQ(queue.bytes(), bytes);
}

TEST(EventQueueDeathTest, RefusesThePastAndAnEmptyPop) {
    EventQueue queue;
    EXPECT_DEATH(queue.pop(), "expected an event, the queue is empty");
    EXPECT_DEATH(queue.push(-1, 0), "must not lie before the last popped time");
    queue.push(100, 1);
    queue.pop();
    EXPECT_DEATH(queue.push(99, 1), "must not lie before the last popped time");
    queue.push(100, 2);
    EXPECT_EQ(queue.pop().slot, 2U);
}

}  // namespace
}  // namespace ronde::sim
