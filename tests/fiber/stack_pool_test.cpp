// Stacks: made once, used again, paid for only where they were touched.

#include "fiber/stack_pool.hpp"

#include "fiber/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace ronde::fiber {
namespace {

using testing::HasSubstr;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kPage = 4 * kKiB;

std::vector<Stack> take(StackPool& pool, std::size_t count) {
    std::vector<Stack> stacks;
    for (std::size_t index = 0; index < count; ++index)
        stacks.push_back(std::move(*pool.take()));
    return stacks;
}

TEST(StackPool, AStackIsWritableFromTopToLimit) {
    StackPool pool;
    Stack const stack = std::move(*pool.take());
    EXPECT_GE(stack.usable_bytes(), 57 * kKiB) << "64 KiB less the guard page and at most 2 KiB of colour";
    EXPECT_LE(stack.usable_bytes(), 60 * kKiB);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack.top()) % 64, 0U);
    std::memset(stack.limit(), 0x5a, stack.usable_bytes());
    EXPECT_TRUE(stack.wholly_intact());
}

TEST(StackPool, NeighboursDoNotBeginAtTheSameCacheLineOfTheirPage) {
    StackPool pool;
    auto const stacks = take(pool, 2);
    EXPECT_NE(reinterpret_cast<std::uintptr_t>(stacks[0].top()) % kPage,
              reinterpret_cast<std::uintptr_t>(stacks[1].top()) % kPage);
}

TEST(StackPool, TheStackGivenBackLastIsTakenFirst) {
    StackPool pool;
    auto stacks = take(pool, 3);
    stacks[1].reset();
    stacks[2].reset();
    stacks[0].reset();
    EXPECT_EQ(pool.take()->index(), 0U) << "and comes back at once";
    auto const again = take(pool, 4);
    EXPECT_EQ(again[0].index(), 0U);
    EXPECT_EQ(again[1].index(), 2U);
    EXPECT_EQ(again[2].index(), 1U);
    EXPECT_EQ(again[3].index(), 3U) << "only now is a new one made";
    EXPECT_EQ(pool.counts().made, 4U);
    EXPECT_EQ(pool.counts().in_use, 4U);
    EXPECT_EQ(pool.counts().most_in_use, 4U);
    EXPECT_EQ(pool.counts().reused, 4U);
}

TEST(StackPool, ASlabHoldsManyStacksAndASmallOneHoldsOne) {
    StackPool large({.stack_bytes = 32 * kKiB, .slab_bytes = 128 * kKiB});
    auto const five = take(large, 5);
    EXPECT_EQ(large.counts().slabs, 2U);
    EXPECT_EQ(large.counts().address_bytes, 256 * kKiB);
    StackPool small({.stack_bytes = 1, .slab_bytes = 1});
    auto const two = take(small, 2);
    EXPECT_EQ(small.stack_bytes(), 16 * kKiB) << "the least there is";
    EXPECT_EQ(small.counts().slabs, 2U);
}

TEST(StackPool, NoMoreThanItsBound) {
    StackPool pool({.max_stacks = 2});
    auto stacks = take(pool, 2);
    auto const third = pool.take();
    ASSERT_FALSE(third.has_value());
    EXPECT_EQ(third.error().os_error, 0);
    EXPECT_THAT(third.error().message(), HasSubstr("2 stacks of 65536 bytes exist, which is the pool's bound"));
    stacks.pop_back();
    EXPECT_TRUE(pool.take().has_value()) << "one is free again";
}

TEST(StackPool, WithoutAddressSpaceThereIsAnErrorAndNotAnEnd) {
    if (kThreadSanitizer)
        GTEST_SKIP() << "its mmap stops the process when there is no room";
    StackPool pool({.slab_bytes = std::size_t{1} << 55U});
    auto const stack = pool.take();
    ASSERT_FALSE(stack.has_value());
    EXPECT_EQ(stack.error().os_error, ENOMEM);
    EXPECT_THAT(stack.error().message(), HasSubstr("mmap of 36028797018963968 bytes: Cannot allocate memory"));
    EXPECT_THAT(stack.error().message(), HasSubstr("0 stacks"));
    EXPECT_EQ(pool.counts().in_use, 0U);
}

TEST(StackGuards, TheKindsAreTriedFromTheBestOn) {
    StackPool best;
    auto const of_best = take(best, 3);
    EXPECT_EQ(best.counts().canaries, 0U) << "Linux 6.13 has light guards, all others have room for three mapped ones";
    EXPECT_EQ(best.counts().light_guards + best.counts().mapped_guards, 3U);

    StackPool budgeted({.guards = GuardPolicy::mapped_canary, .max_mapped_guards = 2});
    auto const of_budgeted = take(budgeted, 3);
    EXPECT_EQ(of_budgeted[1].guard(), Guard::mapped);
    EXPECT_EQ(of_budgeted[2].guard(), Guard::canary);
    EXPECT_EQ(budgeted.counts().mapped_guards, 2U);
    EXPECT_EQ(budgeted.counts().canaries, 1U);

    StackPool plain({.guards = GuardPolicy::canary});
    EXPECT_EQ(plain.take()->guard(), Guard::canary);
}

TEST(StackGuards, AllPoolsTogetherTakeAQuarterOfTheMapsAtMost) {
    std::ifstream file("/proc/sys/vm/max_map_count");
    std::size_t limit = 0;
    ASSERT_TRUE(file >> limit);
    EXPECT_LE(StackPool::mapped_guard_budget(), limit / 4);
    EXPECT_GT(StackPool::mapped_guard_budget(), limit / 16) << "a test is no process with many maps";
    if (limit > 100'000)
        GTEST_SKIP() << "too many guards for a test";

    StackOptions const options{.stack_bytes = 16 * kKiB, .guards = GuardPolicy::mapped_canary};
    std::size_t const budget = StackPool::mapped_guard_budget();
    {
        StackPool first(options);
        StackPool second(options);
        auto const of_first = take(first, budget - 1);
        auto const of_second = take(second, 3);
        EXPECT_EQ(first.counts().mapped_guards, budget - 1);
        EXPECT_EQ(second.counts().mapped_guards, 1U);
        EXPECT_EQ(second.counts().canaries, 2U);
    }
    StackPool third(options);
    EXPECT_EQ(third.take()->guard(), Guard::mapped) << "pools that end give their share back";
}

TEST(StackGuards, ACanaryKnowsAnyByteThatIsNotZero) {
    StackPool pool({.guards = GuardPolicy::canary});
    Stack const stack = std::move(*pool.take());
    EXPECT_TRUE(stack.wholly_intact());
    EXPECT_TRUE(stack.in_guard(stack.limit() - 1));
    EXPECT_FALSE(stack.in_guard(stack.limit()));
    std::byte* const first = stack.limit() - 1;
    *first = std::byte{1};
    EXPECT_FALSE(stack.intact());
    *first = std::byte{0};
    std::byte* const last = stack.limit() - kPage;
    EXPECT_TRUE(stack.in_guard(last));
    *last = std::byte{1};
    EXPECT_TRUE(stack.intact()) << "a switch looks at the nearest cache line only";
    EXPECT_FALSE(stack.wholly_intact());
    *last = std::byte{0};
}

TEST(StackGuards, AStackWithABrokenCanaryDoesNotGoBack) {
    StackPool pool({.guards = GuardPolicy::canary});
    EXPECT_DEATH(
        {
            Stack stack = std::move(*pool.take());
            *(stack.limit() - 100) = std::byte{1};
            stack.reset();
        },
        "canary untouched");
}

TEST(StackMemory, OnlyTouchedPagesCost) {
    StackPool pool({.guards = GuardPolicy::mapped_canary, .max_mapped_guards = 2});
    auto stacks = take(pool, 4);
    EXPECT_EQ(pool.measure().resident_bytes, 0U);
    EXPECT_EQ(pool.measure().deepest_bytes, 0U);

    *(stacks[0].top() - 1) = std::byte{7};
    EXPECT_EQ(pool.measure().resident_bytes, kPage);
    *(stacks[3].top() - 10'000) = std::byte{7};
    StackMemory const memory = pool.measure();
    EXPECT_EQ(memory.resident_bytes, 2 * kPage);
    EXPECT_GE(memory.deepest_bytes, 10'000U);
    EXPECT_LE(memory.deepest_bytes, 10'000U + 3 * 64U + 8U) << "the colour of stack 3 counts, rounded to a word";
    EXPECT_EQ(pool.measure().resident_bytes, 2 * kPage) << "measuring touches nothing";
}

TEST(StackMemory, MemoryOfFreeStacksIsGivenBackOnDemand) {
    StackPool pool;
    auto stacks = take(pool, 3);
    for (Stack const& stack : stacks)
        std::memset(stack.limit(), 0x11, stack.usable_bytes());
    std::size_t const deepest_bytes = pool.measure().deepest_bytes;
    EXPECT_EQ(pool.give_back_memory(), 0U) << "all are in use";
    stacks.pop_back();
    stacks.pop_back();
    EXPECT_EQ(pool.measure().resident_bytes, 3 * 60 * kKiB) << "all but the guards";
    EXPECT_EQ(pool.give_back_memory(), 2 * 60 * kKiB);
    EXPECT_EQ(pool.measure().deepest_bytes, deepest_bytes) << "what was seen once is not forgotten";
    EXPECT_TRUE(pool.take()->wholly_intact());
}

TEST(StackPool, EndsAfterItsStacks) {
    EXPECT_DEATH(
        {
            Stack stack;
            StackPool pool;
            stack = std::move(*pool.take());
        },
        "a stack pool ends after the fibers");
}

}  // namespace
}  // namespace ronde::fiber
