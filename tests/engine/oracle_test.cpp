// One question, many ways to answer it.
#include "engine/draw.hpp"
#include "engine/exhaustive_oracle.hpp"
#include "engine/function_oracle.hpp"
#include "engine/interactive_oracle.hpp"
#include "engine/pct_oracle.hpp"
#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <vector>

namespace ronde::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Answers = std::vector<std::uint32_t>;

/// Every second number of at most six is worth a line; nobody can tell one nonce from another.
class PlainWords final : public Phrasebook {
public:
    std::string question(Choice kind, std::uint64_t key, std::uint32_t) override {
        return "the " + std::string(name_of(kind)) + " of " + std::to_string(key);
    }
    std::vector<std::uint32_t> options(Choice kind, std::uint64_t, std::uint32_t n) override {
        std::vector<std::uint32_t> some;
        for (std::uint32_t i = 0; i < std::min(n, 6U) && kind != Choice::nonce; i += 2)
            some.push_back(i);
        return some;
    }
    std::string meaning(Choice, std::uint64_t, std::uint32_t, std::uint32_t picked) override {
        return "number " + std::to_string(picked);
    }
};

// --- laws of all ----------------------------------------------------------------------------------------------------

TEST(Oracle, EveryAnswerIsBelowNAndAChoiceAmongOneIsNone) {
    SeededOracle seeded{1};
    FunctionOracle function{
        [](Choice, std::uint64_t key, std::uint32_t n) { return static_cast<std::uint32_t>(key % n); }};
    ExhaustiveOracle exhaustive;
    PctOracle pct{1, 3, 100, seeded};
    std::istringstream input;
    std::ostringstream output;
    PlainWords words;
    InteractiveOracle interactive{input, output, seeded, words};
    TapeOracle recording = TapeOracle::record(seeded);
    TapeOracle replaying = TapeOracle::replay({});
    for (Oracle* const oracle :
         std::initializer_list<Oracle*>{&seeded, &function, &exhaustive, &pct, &interactive, &recording, &replaying}) {
        for (std::uint32_t const n : {2U, 3U, 7U, 1'000U}) {
            for (std::uint64_t key = 0; key < 50; ++key) {
                EXPECT_LT(oracle->pick(Choice::order, key, n), n);
                EXPECT_LT(oracle->pick(Choice::delay, key, n), n);
                EXPECT_EQ(oracle->pick(Choice::loss, key, 1), 0U);
            }
        }
    }
    EXPECT_EQ(recording.tape().entries.size(), 400U);  // without those among one
}

TEST(Oracle, KindsAreKnownByTheirNames) {
    std::set<std::string_view> names;
    for (std::uint32_t i = 0; i < kChoices; ++i) {
        auto const kind = static_cast<Choice>(i);
        EXPECT_EQ(choice_named(name_of(kind)), kind);
        names.insert(name_of(kind));
    }
    EXPECT_EQ(names.size(), kChoices);
    EXPECT_FALSE(choice_named("colour"));
}

TEST(SeededOracle, AnswersByTheNameOfTheDrawAlone) {
    SeededOracle forward{5};
    SeededOracle backward{5};
    Answers a;
    Answers b;
    for (std::uint64_t key = 0; key < 100; ++key)
        a.push_back(forward.pick(Choice::delay, key, 1'000));
    for (std::uint64_t key = 100; key-- > 0;) {
        backward.pick(Choice::loss, key, 3);  // one more draw changes no other
        b.push_back(backward.pick(Choice::delay, key, 1'000));
    }
    std::reverse(b.begin(), b.end());
    EXPECT_EQ(a, b);
}

TEST(SeededOracle, SeedKindAndKeyAllMatter) {
    auto const answers = [](std::uint64_t seed, Choice kind, std::uint64_t first_key) {
        SeededOracle oracle{seed};
        Answers all;
        for (std::uint64_t key = 0; key < 20; ++key)
            all.push_back(oracle.pick(kind, first_key + key, 1'000));
        return all;
    };
    std::set<Answers> const seen{answers(1, Choice::delay, 0), answers(2, Choice::delay, 0),
                                 answers(1, Choice::loss, 0), answers(1, Choice::delay, 1ULL << 32U)};
    EXPECT_EQ(seen.size(), 4U);
}

TEST(SeededOracle, ThreePicksAreSixtyFourBits) {
    SeededOracle oracle{1};
    std::uint64_t ever = 0;
    std::uint64_t always = ~0ULL;
    for (std::uint64_t key = 0; key < 200; key += 3) {
        ever |= pick_bits(oracle, Choice::nonce, key);
        always &= pick_bits(oracle, Choice::nonce, key);
    }
    EXPECT_EQ(ever, ~0ULL);
    EXPECT_EQ(always, 0U);
}

TEST(FunctionOracleDeathTest, AnAnswerOutOfRangeIsNone) {
    FunctionOracle oracle{[](Choice, std::uint64_t, std::uint32_t n) { return n; }};
    EXPECT_DEATH(oracle.pick(Choice::order, 0, 2), "must be below n");
}

// --- tape -----------------------------------------------------------------------------------------------------------

/// A run whose later questions depend on earlier answers.
Answers run(Oracle& oracle, std::uint32_t questions = 20) {
    Answers answers;
    std::uint32_t n = 5;
    for (std::uint32_t i = 0; i < questions; ++i) {
        answers.push_back(oracle.pick(i % 3 == 0 ? Choice::order : Choice::delay, i, n));
        n = 2 + answers.back() * 3;
    }
    return answers;
}

TEST(TapeOracle, ReplaysWhatItRecorded) {
    SeededOracle seeded{3};
    TapeOracle recording = TapeOracle::record(seeded);
    Answers const first = run(recording);
    TapeOracle replaying = TapeOracle::replay(recording.tape());
    EXPECT_EQ(run(replaying), first);
    EXPECT_FALSE(replaying.misfit());
    EXPECT_TRUE(replaying.used_up());
    EXPECT_EQ(replaying.tape(), recording.tape());
}

TEST(TapeOracle, BehindItsEndItGoesOnWithZeroOrWithAnother) {
    SeededOracle seeded{3};
    TapeOracle recording = TapeOracle::record(seeded);
    Answers const all = run(recording);
    Tape half = recording.tape();
    half.entries.resize(10);

    TapeOracle with_zero = TapeOracle::replay(half);
    Answers const zeros = run(with_zero);
    EXPECT_TRUE(std::equal(zeros.begin(), zeros.begin() + 10, all.begin()));
    EXPECT_EQ(std::count(zeros.begin() + 10, zeros.end(), 0U), 10);
    EXPECT_FALSE(with_zero.misfit());

    TapeOracle with_seed = TapeOracle::replay(half, &seeded);
    EXPECT_EQ(run(with_seed), all);
    EXPECT_EQ(with_seed.replayed(), 10U);
}

TEST(TapeOracle, SaysWhereTheTapeStopsFitting) {
    TapeOracle oracle =
        TapeOracle::replay({0, "", {{Choice::order, 3, 2, 8}, {Choice::delay, 4096, 17, 9}, {Choice::loss, 2, 1, 9}}});
    EXPECT_EQ(oracle.pick(Choice::order, 0, 3), 2U);  // another key does not matter
    EXPECT_EQ(oracle.pick(Choice::loss, 1, 2), 0U);
    EXPECT_EQ(oracle.pick(Choice::loss, 9, 2), 0U);  // would fit again, but the run is another one
    ASSERT_TRUE(oracle.misfit());
    EXPECT_EQ(oracle.misfit()->text(),
              "choice 1: the tape has delay of 4096 (key 0x9), the run asks for loss of 2 (key 0x1)");
    EXPECT_FALSE(oracle.used_up());
    EXPECT_EQ(oracle.tape().entries.size(), 3U);

    TapeOracle other_n = TapeOracle::replay({0, "", {{Choice::order, 3, 2, 0}}});
    EXPECT_EQ(other_n.pick(Choice::order, 0, 4), 0U);
    EXPECT_TRUE(other_n.misfit());
}

// --- exhaustive -----------------------------------------------------------------------------------------------------

TEST(ExhaustiveOracle, TwoTimesThreeTimesTwoAreTwelve) {
    ExhaustiveOracle oracle;
    std::vector<Answers> runs;
    do {
        runs.push_back({oracle.pick(Choice::loss, 0, 2), oracle.pick(Choice::order, 0, 3),
                        oracle.pick(Choice::order, 1, 1), oracle.pick(Choice::loss, 1, 2)});
    } while (oracle.next());
    EXPECT_EQ(runs.size(), 12U);
    EXPECT_EQ(oracle.runs(), 12U);
    EXPECT_EQ((std::set<Answers>{runs.begin(), runs.end()}).size(), 12U);
    EXPECT_TRUE(std::is_sorted(runs.begin(), runs.end()));
    EXPECT_FALSE(oracle.cut());
}

TEST(ExhaustiveOracle, FollowsQuestionsThatDependOnAnswers) {
    // 0 ends at once; 1 asks for one of 2; 2 asks for one of 3, and its last option for one of 4.
    ExhaustiveOracle oracle;
    std::set<Answers> runs;
    do {
        Answers answers{oracle.pick(Choice::fault, 0, 3)};
        if (answers[0] > 0)
            answers.push_back(oracle.pick(Choice::victim, 0, answers[0] + 1));
        if (answers == Answers{2, 2})
            answers.push_back(oracle.pick(Choice::arrival, 0, 4));
        EXPECT_TRUE(runs.insert(answers).second);
    } while (oracle.next());
    EXPECT_EQ(runs.size(), 1U + 2U + 2U + 4U);
}

TEST(ExhaustiveOracle, AWorldWithoutChoicesHasOneRun) {
    ExhaustiveOracle oracle;
    oracle.pick(Choice::order, 0, 1);
    EXPECT_FALSE(oracle.next());
    EXPECT_EQ(oracle.runs(), 1U);
}

TEST(ExhaustiveOracle, CutsWhereItWasTold) {
    ExhaustiveOracle oracle{2};
    do {
        for (std::uint64_t i = 0; i < 5; ++i)
            oracle.pick(Choice::order, i, 3);
    } while (oracle.next());
    EXPECT_EQ(oracle.runs(), 9U);
    EXPECT_TRUE(oracle.cut());
}

TEST(ExhaustiveOracle, LeavesOtherKindsToAnother) {
    SeededOracle rest{1};
    std::array<Choice, 1> const explored{Choice::loss};
    ExhaustiveOracle oracle{explored, rest};
    std::set<std::uint32_t> delays;
    do {
        delays.insert(oracle.pick(Choice::delay, 4, 1'000));
        oracle.pick(Choice::loss, 0, 2);
        oracle.pick(Choice::loss, 1, 2);
    } while (oracle.next());
    EXPECT_EQ(oracle.runs(), 4U);
    EXPECT_THAT(delays, ElementsAre(rest.pick(Choice::delay, 4, 1'000)));
}

TEST(ExhaustiveOracleDeathTest, RefusesAWorldThatIsNoFunctionOfItsChoices) {
    ExhaustiveOracle oracle;
    oracle.pick(Choice::order, 0, 2);
    oracle.pick(Choice::order, 1, 2);
    ASSERT_TRUE(oracle.next());
    EXPECT_DEATH(oracle.pick(Choice::order, 0, 3), "a function of its choices");
}

// --- PCT ------------------------------------------------------------------------------------------------------------

/// Threads of so many steps each, run in the order that the oracle chooses: who did each step.
std::vector<std::uint64_t> schedule(Oracle& oracle, std::vector<std::uint32_t> steps_left) {
    std::vector<std::uint64_t> order;
    for (std::uint64_t step = 0;; ++step) {
        std::vector<std::uint64_t> ready;
        for (std::uint64_t thread = 0; thread < steps_left.size(); ++thread) {
            if (steps_left[thread] > 0)
                ready.push_back(thread);
        }
        if (ready.empty())
            return order;
        order.push_back(ready[oracle.pick_among(Choice::order, step, ready)]);
        --steps_left[order.back()];
    }
}

/// A check, and the use of what was checked one step later, with the change of another thread in between: one order
/// of thread 0's step 5, all of thread 1, and thread 0's step 6. Its depth is 2.
bool is_broken(std::vector<std::uint64_t> const& order) {
    auto const first_of_1 = std::find(order.begin(), order.end(), 1U);
    auto const last_of_1 = std::find(order.rbegin(), order.rend(), 1U).base();
    return std::count(order.begin(), first_of_1, 0U) == 5 && std::count(order.begin(), last_of_1, 0U) == 5;
}

TEST(PctOracle, FindsABugOfDepthTwoAsOftenAsItPromises) {
    // n = 4 threads, k = 40 steps: at least one run of 160.
    constexpr std::uint64_t kRuns = 16'000;
    SeededOracle rest{1};
    std::uint64_t found = 0;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
        PctOracle oracle{seed, 2, 40, rest};
        found += is_broken(schedule(oracle, {10, 10, 10, 10})) ? 1U : 0U;
        ASSERT_EQ(oracle.steps_taken(), 40U);
    }
    EXPECT_GE(found, kRuns / 160);

    // Depth 1 has no change points: it cannot interrupt thread 0 at all.
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        PctOracle oracle{seed, 1, 40, rest};
        EXPECT_FALSE(is_broken(schedule(oracle, {10, 10, 10, 10})));
    }
}

TEST(PctOracle, FindsWhatAWalkAtRandomHardlyFinds) {
    SeededOracle rest{1};
    std::uint64_t by_chance = 0;
    std::uint64_t by_pct = 0;
    for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
        SeededOracle chance{seed};
        by_chance += is_broken(schedule(chance, {10, 10, 10, 10})) ? 1U : 0U;
        PctOracle pct{seed, 2, 40, rest};
        by_pct += is_broken(schedule(pct, {10, 10, 10, 10})) ? 1U : 0U;
    }
    EXPECT_GT(by_pct, 10 * (by_chance + 1));
}

TEST(PctOracle, DepthOneRunsThreadsInOneOfTheirOrders) {
    SeededOracle rest{1};
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        PctOracle oracle{seed, 1, 9, rest};
        orders.insert(schedule(oracle, {3, 3, 3}));
    }
    EXPECT_EQ(orders.size(), 6U);
}

TEST(PctOracle, TheSameSeedIsTheSameScheduleAndOtherKindsAreAskedElsewhere) {
    SeededOracle rest{1};
    PctOracle a{7, 3, 30, rest};
    PctOracle b{7, 3, 30, rest};
    EXPECT_EQ(schedule(a, {10, 10, 10}), schedule(b, {10, 10, 10}));
    EXPECT_EQ(a.pick(Choice::delay, 3, 100), rest.pick(Choice::delay, 3, 100));
    EXPECT_EQ(a.steps_taken(), 30U);
}

// --- a person -------------------------------------------------------------------------------------------------------

TEST(InteractiveOracle, ListsTheOptionsAndAsksUntilItUnderstands) {
    std::istringstream input{"seven\n3\n-1\n=9\n\t2 \n\n1\n=7\n"};
    std::ostringstream output;
    FunctionOracle rest{[](Choice, std::uint64_t, std::uint32_t n) { return n - 1; }};
    PlainWords words;
    InteractiveOracle oracle{input, output, rest, words};
    EXPECT_EQ(oracle.pick(Choice::delay, 16, 9), 4U);
    EXPECT_THAT(output.str(), HasSubstr("the delay of 16\n   0  number 0\n   1  number 2\n   2  number 4\n"
                                        "0-2 [number 8]> "));
    for (std::string_view const wrong : {"seven", "3", "-1", "=9"})
        EXPECT_THAT(output.str(), HasSubstr("'" + std::string(wrong) +
                                            "' is none of them; expected a number of 0 to 2, =0 to =8, nothing"));
    EXPECT_EQ(oracle.pick(Choice::delay, 17, 9), 8U) << "an empty line";
    EXPECT_EQ(oracle.pick(Choice::delay, 18, 9), 2U);
    EXPECT_EQ(oracle.pick(Choice::delay, 19, 9), 7U) << "exactly that one";
    EXPECT_THAT(output.str(), HasSubstr("0-2 [number 8]>   number 7\n")) << "what was taken is said";
    EXPECT_EQ(oracle.answered(), 4U);
    EXPECT_FALSE(oracle.ended());
}

TEST(InteractiveOracle, AsksForNothingThatHasNoOptions) {
    std::istringstream input{"0\n"};
    std::ostringstream output;
    SeededOracle rest{1};
    PlainWords words;
    InteractiveOracle oracle{input, output, rest, words};
    EXPECT_EQ(oracle.pick(Choice::nonce, 5, 1'000), rest.pick(Choice::nonce, 5, 1'000));
    EXPECT_EQ(output.str(), "");
}

TEST(InteractiveOracle, WithoutInputTheRestGoesOn) {
    std::istringstream input{"nonsense"};
    std::ostringstream output;
    SeededOracle rest{1};
    PlainWords words;
    InteractiveOracle oracle{input, output, rest, words};
    EXPECT_EQ(oracle.pick(Choice::loss, 0, 1'000), rest.pick(Choice::loss, 0, 1'000));
    EXPECT_TRUE(oracle.ended());
    std::string const said = output.str();
    EXPECT_THAT(said, HasSubstr("no more answers: the seed chooses from here on\n"));
    EXPECT_EQ(oracle.pick(Choice::loss, 1, 1'000), rest.pick(Choice::loss, 1, 1'000));
    EXPECT_EQ(output.str(), said);
    EXPECT_EQ(oracle.answered(), 0U);
}

TEST(InteractiveOracle, SkipsOneKindAndEndsAll) {
    std::istringstream input{"skip\n1\nend\n1\n"};
    std::ostringstream output;
    FunctionOracle rest{[](Choice, std::uint64_t, std::uint32_t n) { return n - 1; }};
    PlainWords words;
    InteractiveOracle oracle{input, output, rest, words};
    EXPECT_EQ(oracle.pick(Choice::delay, 0, 9), 8U);
    EXPECT_EQ(oracle.pick(Choice::delay, 1, 9), 8U) << "not asked";
    EXPECT_EQ(oracle.pick(Choice::loss, 2, 9), 2U);
    EXPECT_EQ(oracle.pick(Choice::loss, 3, 9), 8U);
    EXPECT_EQ(oracle.pick(Choice::loss, 4, 9), 8U) << "not asked";
    EXPECT_TRUE(oracle.ended());
    EXPECT_EQ(oracle.answered(), 1U);
}

}  // namespace
}  // namespace ronde::sim
