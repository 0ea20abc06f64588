// Cancelling: a parked fiber that nobody needs any more leaves as if its wait had thrown.

#include "fiber/fiber.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ronde::fiber {
namespace {

using testing::ElementsAre;

/// Says when it is destroyed.
class Witness {
public:
    Witness(std::vector<std::string>& log, std::string text) : log_(log), text_(std::move(text)) {}
    Witness(Witness const&) = delete;
    Witness& operator=(Witness const&) = delete;
    Witness(Witness&&) = delete;
    Witness& operator=(Witness&&) = delete;
    ~Witness() { log_.push_back(text_); }

private:
    std::vector<std::string>& log_;
    std::string text_;
};

struct CancelTest : testing::Test {
    Stack stack() { return std::move(*pool.take()); }
    StackPool pool;
    std::vector<std::string> log;
};

TEST_F(CancelTest, DestroyingAParkedFiberDestroysWhatIsOnItsStack) {
    {
        Fiber fiber(stack(), "parked", [&] {
            Witness const outer(log, "outer");
            auto const on_heap = std::make_unique<Witness>(log, "on the heap");
            [&] {
                Witness const inner(log, "inner");
                Fiber::park();
                log.emplace_back("never said");
            }();
        });
        fiber.resume();
        EXPECT_TRUE(log.empty());
    }
    EXPECT_THAT(log, ElementsAre("inner", "on the heap", "outer"));
    EXPECT_EQ(pool.counts().in_use, 0U);
}

TEST_F(CancelTest, AFiberThatNeverRanLosesItsBodyOnly) {
    auto const token = std::make_shared<int>(1);
    {
        Fiber const fiber(stack(), "never", [token] { FAIL() << "must not run"; });
        EXPECT_EQ(token.use_count(), 2);
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(CancelTest, AFiberThatHasEndedIsLeftAlone) {
    Fiber fiber(stack(), "done", [] {});
    fiber.resume();
    fiber.cancel();
    EXPECT_TRUE(fiber.ended());
}

TEST_F(CancelTest, CatchAllSeesItAndPassesItOn) {
    Fiber fiber(stack(), "catch all", [&] {
        try {
            Fiber::park();
        } catch (std::exception const&) {
            log.emplace_back("a cancellation is no std::exception");
        } catch (...) {
            log.emplace_back(Fiber::being_cancelled() ? "leaving" : "another exception");
            throw;
        }
    });
    fiber.resume();
    fiber.cancel();
    EXPECT_TRUE(fiber.ended());
    EXPECT_THAT(log, ElementsAre("leaving"));
}

TEST_F(CancelTest, WhoSwallowsItIsToldAgainAtTheNextPark) {
    int swallowed = 0;
    Fiber fiber(stack(), "deaf for a while", [&] {
        for (;;) {
            try {
                Fiber::park();
            } catch (...) {
                if (++swallowed == 5)
                    return;
            }
        }
    });
    fiber.resume();
    fiber.cancel();
    EXPECT_TRUE(fiber.ended());
    EXPECT_EQ(swallowed, 5);
}

TEST_F(CancelTest, WhoSwallowsItForEverIsNamed) {
    Fiber fiber(stack(), "rank 8", [&] {
        for (;;) {
            try {
                Fiber::park();
            } catch (...) {  // NOLINT(bugprone-empty-catch): that is what the test is about
                if (!Fiber::being_cancelled())
                    return;
            }
            if (!Fiber::being_cancelled())
                return;
        }
    });
    fiber.resume();
    EXPECT_DEATH(fiber.cancel(), "fiber 'rank 8': swallows its cancellation");
    // Its destructor would find out as well: let it end by itself.
    fiber.resume();
}

TEST_F(CancelTest, ADestructorThatWouldParkIsNamed) {
    struct Parker {
        ~Parker() { Fiber::park(); }
    };
    auto const cancelled = [&] {
        Fiber fiber(stack(), "rank 9", [] {
            Parker const parker;
            Fiber::park();
        });
        fiber.resume();
        fiber.cancel();
    };
    EXPECT_DEATH(cancelled(), "fiber 'rank 9': parks in a destructor while its stack is unwound");
}

TEST_F(CancelTest, ADestructorCanAskInsteadOfParking) {
    struct Polite {
        std::vector<std::string>& log;
        ~Polite() { log.emplace_back(Fiber::being_cancelled() ? "went without waiting" : "waited"); }
    };
    {
        Fiber fiber(stack(), "polite", [&] {
            Polite const polite{log};
            Fiber::park();
        });
        fiber.resume();
    }
    EXPECT_THAT(log, ElementsAre("went without waiting"));
    EXPECT_FALSE(Fiber::being_cancelled()) << "outside of all fibers nothing is cancelled";
}

TEST_F(CancelTest, AnExceptionInsteadArrivesAtWhoCancels) {
    auto const stubborn = [] {
        try {
            Fiber::park();
        } catch (...) {
            throw std::runtime_error("could not clean up");
        }
    };
    Fiber fiber(stack(), "stubborn", stubborn);
    fiber.resume();
    EXPECT_THROW(fiber.cancel(), std::runtime_error);
    EXPECT_TRUE(fiber.ended());
    auto dropped = std::make_optional<Fiber>(stack(), "stubborn too", stubborn);
    dropped->resume();
    dropped.reset();  // a destructor has nobody to tell
    EXPECT_EQ(pool.counts().in_use, 1U);
}

TEST_F(CancelTest, FibersAreCancelledWhileAnExceptionUnwindsTheirOwner) {
    try {
        Fiber fiber(stack(), "owned", [&] {
            Witness const witness(log, std::to_string(std::uncaught_exceptions()));
            Fiber::park();
        });
        fiber.resume();
        throw std::runtime_error("the owner fails");
    } catch (std::runtime_error const& error) {
        log.emplace_back(error.what());
    }
    EXPECT_THAT(log, ElementsAre("0", "the owner fails"));
}

TEST_F(CancelTest, NobodyCancelsHimself) {
    auto const suicide = [&] {
        std::optional<Fiber> fiber;
        fiber.emplace(stack(), "suicide", [&] { fiber->cancel(); });
        fiber->resume();
    };
    EXPECT_DEATH(suicide(), "from outside, while it does not run");
}

}  // namespace
}  // namespace ronde::fiber
