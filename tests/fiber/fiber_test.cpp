// One fiber: it stops in the middle, goes on later, and what it throws arrives where it was resumed.

#include "fiber/fiber.hpp"

#include "deep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ronde::fiber {
namespace {

using testing::ElementsAre;

constexpr std::size_t kKiB = 1024;

struct FiberTest : testing::Test {
    Stack stack() { return std::move(*pool.take()); }
    StackPool pool;
};

TEST_F(FiberTest, RunsToItsFirstParkAndThenOn) {
    std::vector<std::string> said;
    Fiber fiber(stack(), "talker", [&] {
        said.emplace_back("one");
        Fiber::park();
        said.emplace_back("two");
    });
    EXPECT_TRUE(said.empty()) << "nothing runs before the first resume";
    fiber.resume();
    EXPECT_THAT(said, ElementsAre("one"));
    EXPECT_TRUE(fiber.resumable());
    fiber.resume();
    EXPECT_THAT(said, ElementsAre("one", "two"));
    EXPECT_TRUE(fiber.ended());
    EXPECT_FALSE(fiber.resumable());
}

TEST_F(FiberTest, ValuesPassThroughInBothDirections) {
    std::uint64_t wire = 0;
    Fiber squarer(stack(), "squarer", [&] {
        for (;;) {
            wire *= wire;
            Fiber::park();
        }
    });
    for (std::uint64_t number : {3U, 5U, 70'000U}) {
        wire = number;
        squarer.resume();
        EXPECT_EQ(wire, number * number);
    }
}

TEST_F(FiberTest, LocalsAndFloatingPointSurviveAPark) {
    double result = 0;
    Fiber fiber(stack(), "counter", [&] {
        double sum = 0.5;
        std::string const text = "a text too long to lie inside of the string object itself";
        for (int round = 0; round < 3; ++round) {
            sum *= 2;
            Fiber::park();
        }
        result = sum + static_cast<double>(text.size());
    });
    while (!fiber.ended())
        fiber.resume();
    EXPECT_EQ(result, 4.0 + 57.0);
}

TEST_F(FiberTest, KnowsWhoItIs) {
    EXPECT_EQ(Fiber::current(), nullptr);
    Fiber const* seen = nullptr;
    Fiber fiber(stack(), "rank 12 345 of a long name", [&] { seen = Fiber::current(); });
    fiber.resume();
    EXPECT_EQ(seen, &fiber);
    EXPECT_EQ(seen->name(), "rank 12 345 of a long name");
    EXPECT_EQ(Fiber::current(), nullptr);
}

TEST_F(FiberTest, FibersResumeFibers) {
    std::vector<std::string> said;
    Fiber inner(stack(), "inner", [&] {
        said.push_back(Fiber::current()->name());
        Fiber::park();
        said.emplace_back("inner again");
    });
    Fiber outer(stack(), "outer", [&] {
        inner.resume();
        said.push_back(Fiber::current()->name());
        Fiber::park();
        inner.resume();
    });
    outer.resume();
    EXPECT_THAT(said, ElementsAre("inner", "outer"));
    outer.resume();
    EXPECT_THAT(said, ElementsAre("inner", "outer", "inner again"));
    EXPECT_TRUE(inner.ended() && outer.ended());
}

TEST_F(FiberTest, NestedCallsMayUseMostOfTheStack) {
    std::size_t calls = 0;
    Fiber fiber(stack(), "deep", [&] { calls = descend(here(), 48 * kKiB, [] { Fiber::park(); }); });
    fiber.resume();
    EXPECT_EQ(calls, 0U) << "it is parked 48 KiB down";
    fiber.resume();
    EXPECT_GT(calls, 40U) << "and all frames were as they had been left";
    EXPECT_GE(pool.measure().deepest_bytes, 48 * kKiB);
    EXPECT_LE(pool.measure().deepest_bytes, 64 * kKiB);
}

TEST_F(FiberTest, AnExceptionArrivesWhereItWasResumed) {
    Fiber fiber(stack(), "thrower", [] {
        Fiber::park();
        throw std::runtime_error("no route to rank 7");
    });
    fiber.resume();
    try {
        fiber.resume();
        FAIL() << "it has thrown";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "no route to rank 7");
    }
    EXPECT_TRUE(fiber.ended());
}

TEST_F(FiberTest, AnExceptionCrossesSeveralFibers) {
    Fiber inner(stack(), "inner", [] { throw 42; });
    Fiber outer(stack(), "outer", [&] { inner.resume(); });
    EXPECT_THROW(outer.resume(), int);
    EXPECT_TRUE(inner.ended() && outer.ended());
}

TEST_F(FiberTest, ExceptionsAreCaughtInsideAcrossParks) {
    std::string caught;
    Fiber fiber(stack(), "careful", [&] {
        try {
            Fiber::park();
            throw std::runtime_error("first");
        } catch (std::runtime_error const& error) {
            caught = error.what();
        }
    });
    fiber.resume();
    fiber.resume();
    EXPECT_EQ(caught, "first");
}

TEST_F(FiberTest, EachFiberHandlesItsOwnExceptionWhileOthersHandleTheirs) {
    std::vector<std::string> rethrown;
    auto const handler = [&](char const* text) {
        return [&rethrown, text] {
            try {
                throw std::runtime_error(text);
            } catch (std::runtime_error const&) {
                Fiber::park();  // the other one throws and catches in the meantime
                try {
                    throw;
                } catch (std::runtime_error const& error) {
                    rethrown.emplace_back(error.what());
                }
            }
        };
    };
    Fiber first(stack(), "first", handler("first"));
    Fiber second(stack(), "second", handler("second"));
    first.resume();
    second.resume();
    EXPECT_EQ(std::current_exception(), nullptr) << "here nothing is being handled";
    first.resume();
    second.resume();
    EXPECT_THAT(rethrown, ElementsAre("first", "second"));
}

TEST_F(FiberTest, ADestructorMayParkWhileAThrowUnwindsIt) {
    std::vector<int> uncaught;
    struct Parker {
        std::vector<int>& uncaught;
        ~Parker() {
            uncaught.push_back(std::uncaught_exceptions());
            Fiber::park();
            uncaught.push_back(std::uncaught_exceptions());
        }
    };
    bool caught = false;
    Fiber fiber(stack(), "leaver", [&] {
        try {
            Parker const parker{uncaught};
            throw 1;
        } catch (int) {
            caught = true;
        }
    });
    fiber.resume();
    EXPECT_EQ(std::uncaught_exceptions(), 0) << "the throw is the fiber's, not ours";
    fiber.resume();
    EXPECT_THAT(uncaught, ElementsAre(1, 1));
    EXPECT_TRUE(caught);
}

TEST_F(FiberTest, TheBodyLivesAsLongAsTheFiberRuns) {
    auto const token = std::make_shared<int>(1);
    Fiber fiber(stack(), "holder", [token] { Fiber::park(); });
    EXPECT_EQ(token.use_count(), 2);
    fiber.resume();
    EXPECT_EQ(token.use_count(), 2);
    fiber.resume();
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(FiberTest, ABodyNeedNotBeCopyable) {
    int seen = 0;
    Fiber fiber(stack(), "mover", [number = std::make_unique<int>(9), &seen] { seen = *number; });
    fiber.resume();
    EXPECT_EQ(seen, 9);
}

TEST_F(FiberTest, MisuseIsSaid) {
    EXPECT_DEATH(Fiber::park(), "inside of a fiber");
    Fiber fiber(stack(), "short", [] {});
    fiber.resume();
    EXPECT_DEATH(fiber.resume(), "neither runs nor has ended");
}

}  // namespace
}  // namespace ronde::fiber
