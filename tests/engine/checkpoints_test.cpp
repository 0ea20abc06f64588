// Two runs that part somewhere, and the way to the step where they do.
#include "engine/checkpoints.hpp"

#include "engine/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

/// A run of `steps` steps; from step `parts_at` on it does something else.
struct Trace {
    std::uint64_t steps;
    std::uint64_t parts_at = kNowhere;
    int* runs = nullptr;

    Checkpoints operator()(Checkpoints checkpoints) const {
        RunningDigest digest;
        for (std::uint64_t step = 1; step <= steps; ++step) {
            digest.absorb(step == parts_at ? ~step : step);
            checkpoints.after(step, digest);
        }
        checkpoints.finish(digest);
        if (runs != nullptr)
            ++*runs;
        return checkpoints;
    }
};

TEST(Checkpoints, KeepAsManyNotesAsTheyMayWhateverTheLength) {
    for (std::uint64_t const steps : {0U, 1U, 7U, 8U, 9U, 16U, 17U, 1'000U, 65'537U}) {
        Checkpoints const notes = Trace{steps}(Checkpoints{8});
        EXPECT_LE(notes.notes().size(), 8U);
        if (steps >= 8) {
            EXPECT_GE(notes.notes().size(), 4U);
        }
        for (std::size_t i = 0; i < notes.notes().size(); ++i)
            EXPECT_EQ(notes.notes()[i].step, (i + 1) * notes.spacing());
        ASSERT_TRUE(notes.last());
        EXPECT_EQ(notes.last()->step, steps);
    }
}

TEST(Checkpoints, EqualRunsHaveNoDivergence) {
    EXPECT_FALSE(first_divergence(Trace{1'000}(Checkpoints{8}), Trace{1'000}(Checkpoints{8})));
    EXPECT_FALSE(first_divergence(Trace{1'000}(Checkpoints{8}), Trace{1'000}(Checkpoints{64})));
    EXPECT_FALSE(locate_divergence(Trace{1'000}, Trace{1'000}));
    EXPECT_FALSE(locate_divergence(Trace{0}, Trace{0}));
}

TEST(Checkpoints, TheIntervalHoldsTheStepWhereverItLies) {
    for (std::uint64_t parts_at = 1; parts_at <= 300; ++parts_at) {
        auto const found = first_divergence(Trace{300}(Checkpoints{8}), Trace{300, parts_at}(Checkpoints{20}));
        ASSERT_TRUE(found) << parts_at;
        EXPECT_LT(found->equal_at, parts_at);
        EXPECT_GE(found->differs_at, parts_at);
        EXPECT_LE(found->differs_at - found->equal_at, 64U);
    }
}

TEST(Checkpoints, RunningAgainWithFinerNotesFindsTheStep) {
    for (std::uint64_t const steps : {1U, 2U, 3U, 17U, 300U, 301U}) {
        for (std::uint64_t parts_at = 1; parts_at <= steps; ++parts_at) {
            for (std::size_t const capacity : {2UL, 3UL, 16UL}) {
                EXPECT_EQ(locate_divergence(Trace{steps}, Trace{steps, parts_at}, capacity), parts_at)
                    << steps << " steps, capacity " << capacity;
            }
        }
    }
}

TEST(Checkpoints, AFewRoundsAreEnoughForALongRun) {
    int runs = 0;
    EXPECT_EQ(locate_divergence(Trace{1'000'000, kNowhere, &runs}, Trace{1'000'000, 765'432}, 64), 765'432U);
    EXPECT_LE(runs, 4);
}

TEST(Checkpoints, ARunThatEndsEarlierDiffersBehindItsEnd) {
    for (std::uint64_t const shorter : {0U, 1U, 99U, 128U, 255U}) {
        EXPECT_EQ(locate_divergence(Trace{shorter}, Trace{256}, 8), shorter + 1);
        EXPECT_EQ(locate_divergence(Trace{256}, Trace{shorter}, 8), shorter + 1);
    }
    // Other things first: they part before the shorter one ends.
    EXPECT_EQ(locate_divergence(Trace{200, 150}, Trace{256}, 8), 150U);
}

TEST(CheckpointsDeathTest, RefusesRunsThatDoNotRepeat) {
    int runs = 0;
    auto const fickle = [&runs](Checkpoints checkpoints) {
        return Trace{500, runs++ == 0 ? 400U : kNowhere}(std::move(checkpoints));
    };
    EXPECT_DEATH(static_cast<void>(locate_divergence(fickle, Trace{500}, 8)), "expected runs that repeat");
    EXPECT_DEATH(static_cast<void>(first_divergence(Checkpoints::between(10, 20), Checkpoints{})), "the same part");
    EXPECT_DEATH(Checkpoints{1}, "at least 2");
}

}  // namespace
}  // namespace ronde::sim
