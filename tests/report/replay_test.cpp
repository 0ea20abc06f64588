/// Tapes and traces are enough to play a run once more, and whatever is wrong with them is found and named.
#include "report/replay.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "report/trace.hpp"
#include "scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::sim {
namespace {

using ::testing::HasSubstr;

/// Every packet may be lost, and takes its own time.
WorldPlan lossy_plan() {
    WorldPlan plan;
    plan.name = "lossy";
    plan.nranks = 5;
    plan.ranks_per_host = {1};
    plan.network.same_rack = Distribution::uniform(10'000, 50'000);
    plan.network.loss_per_million = 100'000;
    return plan;
}

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// Does what the seed does, but for the draws of one kind with one number.
class Meddler final : public Oracle {
public:
    Meddler(Oracle& source, Choice kind, std::uint32_t number, std::uint32_t picked)
        : source_(source), kind_(kind), number_(number), picked_(picked) {}
    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override {
        std::uint32_t const usual = source_.pick(kind, key, n);
        return kind == kind_ && seen_++ == number_ ? picked_ : usual;
    }

private:
    Oracle& source_;
    Choice kind_;
    std::uint32_t number_;
    std::uint32_t picked_;
    std::uint32_t seen_ = 0;
};

class Replay : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "replay-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(std::string const& name = "file") const { return (folder_ / name).string(); }
    [[nodiscard]] std::string content() const {
        std::ostringstream text;
        text << std::ifstream(path(), std::ios::binary).rdbuf();
        return text.str();
    }
    void put(std::string const& text) const { std::ofstream(path(), std::ios::binary) << text; }

    /// The trace of the plan, with its choices in it if they are not the seed's.
    void write_trace(WorldPlan const& plan, Oracle* by_hand = nullptr) const {
        AtomicFile file(path());
        TraceWriter writer(file, plan);
        SeededOracle seeded(plan.seed);
        TracedOracle traced(by_hand == nullptr ? seeded : *by_hand, writer);
        World world(plan, by_hand == nullptr ? nullptr : &traced);
        world.watch(writer);
        static_cast<void>(world.run());
        writer.finish();
        ASSERT_TRUE(file.commit()) << file.error();
    }
    /// Lines as a trace whose last line fits them: what another ronde might have written.
    void put_signed(std::vector<std::string> lines) const {
        RunningDigest digest;
        std::string text;
        lines.back().resize(lines.back().rfind(" text "));
        for (std::string const& line : lines) {
            absorb_line(digest, line);
            text += line + "\n";
        }
        text.pop_back();
        put(text + " text " + trace_text_digest(digest) + "\n");
    }
    [[nodiscard]] static Tape tape_of(WorldPlan const& plan) {
        SeededOracle seeded(plan.seed);
        TapeOracle oracle = TapeOracle::record(seeded);
        World world(plan, &oracle);
        Outcome const outcome = world.run();
        Tape tape = oracle.tape();
        tape.seed = plan.seed;
        tape.plan = write_scenario(plan);
        tape.outcome = TapeOutcome{outcome.digest, choices_digest(tape)};
        return tape;
    }

    std::filesystem::path folder_;
};

using TraceReplay = Replay;
using TapeReplay = Replay;

// --- traces ---------------------------------------------------------------------------------------------------------

TEST_F(TraceReplay, IsTheSame) {
    write_trace(lossy_plan());
    auto const replay = replay_trace(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
    EXPECT_THAT(replay->text, HasSubstr("file: trace of lossy (5 ranks, seed 1): "));
    EXPECT_THAT(replay->text, HasSubstr(" steps, the same\n"));
}

TEST_F(TraceReplay, KnowsTheChoicesThatWereNotTheSeeds) {
    WorldPlan const plan = lossy_plan();
    write_trace(plan);
    std::string const usual = content();
    SeededOracle seeded(plan.seed);
    Meddler meddler(seeded, Choice::loss, 3, 0);
    write_trace(plan, &meddler);
    EXPECT_THAT(content(), HasSubstr("\nchoice loss 1000000 0 0x"));
    EXPECT_NE(lines_of(content()).back(), lines_of(usual).back()) << "the loss was to make a difference";
    auto const replay = replay_trace(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
}

TEST_F(TraceReplay, NamesTheFirstStepThatDiffersFromBothSides) {
    write_trace(lossy_plan());
    auto lines = lines_of(content());
    std::size_t at = 0;
    while (!lines[at].starts_with("70 "))
        ++at;
    std::string const now = lines[at];
    std::size_t const time = now.find(' ') + 1;
    lines[at].insert(time, "9");
    put_signed(lines);
    auto const replay = replay_trace(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_FALSE(replay->same);
    EXPECT_THAT(replay->text, HasSubstr("differs in step 70 at "));
    EXPECT_THAT(replay->text, HasSubstr(" (" + now.substr(time, now.find(' ', time) - time) + " ns), "));
    EXPECT_THAT(replay->text, HasSubstr(" (line " + std::to_string(at + 1) + ")\n"));
    EXPECT_THAT(replay->text, HasSubstr("\n  recorded  " + lines[at] + "\n  now       " + now + "\n"));
}

TEST_F(TraceReplay, TellsAnotherStateFromAnotherStep) {
    write_trace(lossy_plan());
    auto lines = lines_of(content());
    std::string& last_step = lines[lines.size() - 2];
    last_step.back() = last_step.back() == '0' ? '1' : '0';
    put_signed(lines);
    auto const replay = replay_trace(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_FALSE(replay->same);
    EXPECT_THAT(replay->text, HasSubstr("the step is the same, and the state that it left is another\n"));
}

TEST_F(TraceReplay, OfARunThatEndedEarlierDiffersBehindItsEnd) {
    write_trace(lossy_plan());
    auto lines = lines_of(content());
    std::string const now = lines[lines.size() - 2];
    std::string const step = now.substr(0, now.find(' '));
    lines.erase(lines.end() - 2);
    std::string const earlier = std::to_string(std::stoul(step) - 1);
    lines.back().replace(4, step.size(), earlier);
    put_signed(lines);
    auto const replay = replay_trace(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_FALSE(replay->same);
    EXPECT_THAT(replay->text, HasSubstr("differs in step " + step));
    EXPECT_THAT(replay->text, HasSubstr("\n  recorded  end " + earlier + " steps "));
}

TEST_F(TraceReplay, EveryTruncationIsRefused) {
    write_trace(WorldPlan{});
    std::string const whole = content();
    for (std::size_t length = 0; length < whole.size(); length += 1 + length % 97) {
        put(whole.substr(0, length));
        auto const replay = replay_trace(path());
        ASSERT_FALSE(replay) << "cut to " << length << " bytes";
        EXPECT_THAT(replay.error(), HasSubstr(path() + ": line "));
    }
    put(whole.substr(0, whole.rfind("\nend ") + 1));
    EXPECT_THAT(replay_trace(path()).error(), HasSubstr("the trace is cut off: expected 'end'"));
}

TEST_F(TraceReplay, EveryDamageIsRefused) {
    write_trace(WorldPlan{});
    std::string const whole = content();
    for (std::size_t at = 0; at < whole.size(); at += 1 + at % 97) {
        std::string torn = whole;
        torn[at] = static_cast<char>(torn[at] ^ 1);
        put(torn);
        EXPECT_FALSE(replay_trace(path())) << "byte " << at;
    }
    put("ronde-trace 1 x seed=1 ranks=4 roots=1\n2 0 0 start 01234567\n");
    EXPECT_EQ(replay_trace(path()).error(),
              path() + ": line 2: the trace is damaged: expected step 1, from its number to its digest");
    EXPECT_THAT(replay_trace(path("none")).error(), HasSubstr("none: cannot read: "));
}

TEST_F(TraceReplay, APlanThatCannotBeIsAnError) {
    write_trace(WorldPlan{});
    auto lines = lines_of(content());
    lines.insert(lines.begin() + 2, "plan rnaks = 3");
    put_signed(lines);
    EXPECT_THAT(replay_trace(path()).error(), HasSubstr("(its plan):2: rnaks: no such key; did you mean ranks?"));
    lines[2] = "plan roots = 4000";
    put_signed(lines);
    EXPECT_THAT(replay_trace(path()).error(), HasSubstr("its plan contradicts itself: "));
}

// --- tapes ----------------------------------------------------------------------------------------------------------

TEST_F(TapeReplay, IsTheSame) {
    Tape const tape = tape_of(lossy_plan());
    ASSERT_GT(tape.entries.size(), 50U);
    put(to_text(tape));
    auto const replay = replay_tape(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
    EXPECT_THAT(replay->text,
                HasSubstr("tape of lossy (5 ranks, seed 1): " + std::to_string(tape.entries.size()) + " choices, "));
    EXPECT_THAT(replay->text, HasSubstr(" steps, the same; ready\n"));
}

TEST_F(TapeReplay, OfAFastForwardedRingIsTheSame) {
    WorldPlan plan;
    plan.nranks = 40;
    plan.policies = protocol::policies_of(protocol::Profile::nccl);
    plan.arrival.skew = Distribution::uniform(0, kMillisecondNs);
    put(to_text(tape_of(plan)));
    auto const replay = replay_tape(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
}

TEST_F(TapeReplay, OneThatWasEditedIsPlayedAsFarAsItFits) {
    Tape tape = tape_of(lossy_plan());
    auto const slow = std::find_if(tape.entries.begin(), tape.entries.end(),
                                   [](TapeEntry const& entry) { return entry.kind == Choice::delay; });
    ASSERT_NE(slow, tape.entries.end());
    slow->picked = slow->picked == 4095 ? 0 : 4095;
    put(to_text(tape));
    auto const replay = replay_tape(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
    EXPECT_THAT(replay->text, HasSubstr("changed since they were recorded; "));
    EXPECT_THAT(replay->text, Not(HasSubstr(to_text(tape.outcome->run)))) << "the delay was to make a difference";

    auto const first_loss = std::find_if(tape.entries.begin(), tape.entries.end(),
                                         [](TapeEntry const& entry) { return entry.kind == Choice::loss; });
    first_loss->picked = 0;
    put(to_text(tape));
    EXPECT_THAT(replay_tape(path())->text, HasSubstr("the seed goes on where they do not fit any more: choice "));
}

TEST_F(TapeReplay, AChoiceThatIsOutOfRangeNamesItsLine) {
    put("ronde-tape 1\nplan ranks = 4\nloss 2 2 0x1\nend 1\n");
    EXPECT_EQ(replay_tape(path()).error(), path() + ": line 3: picked 2 is not below n = 2");
}

TEST_F(TapeReplay, WithoutAPlanNothingCanBeMade) {
    put("ronde-tape 1\nend 0\n");
    EXPECT_EQ(replay_tape(path()).error(), path() + ": holds no plan, from which its world could be made again");
}

/// What a ronde would see whose worlds ask for other choices: the tape is as it was recorded, by its own account.
TEST_F(TapeReplay, NamesTheChoiceAndTheTimeWhereTheRunPartsFromIt) {
    Tape tape = tape_of(lossy_plan());
    std::size_t at = tape.entries.size() / 2;
    while (tape.entries[at].kind != Choice::delay)
        ++at;
    tape.entries[at].kind = Choice::victim;
    tape.outcome->choices = choices_digest(tape);
    put(to_text(tape));
    auto const replay = replay_tape(path());
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_FALSE(replay->same);
    EXPECT_THAT(replay->text, HasSubstr("differs in choice " + std::to_string(at + 1) + " at "));
    EXPECT_THAT(replay->text, Not(HasSubstr(" at 0 ns")));
    EXPECT_THAT(replay->text, HasSubstr("\n  recorded  victim of 4096, key 0x"));
    EXPECT_THAT(replay->text, HasSubstr("\n  now       delay of 4096, key 0x"));
}

TEST_F(TapeReplay, NoticesChoicesThatAreMissingAndAnotherOutcome) {
    Tape tape = tape_of(lossy_plan());
    std::size_t const choices = tape.entries.size();
    TapeOutcome const outcome = *tape.outcome;
    tape.outcome->run.low ^= 1U;
    put(to_text(tape));
    EXPECT_FALSE(replay_tape(path())->same);
    EXPECT_THAT(replay_tape(path())->text, HasSubstr("\n  recorded  digest " + to_text(tape.outcome->run) +
                                                     "\n  now       digest " + to_text(outcome.run) + "\n"));
    tape.entries.pop_back();
    tape.outcome = TapeOutcome{outcome.run, choices_digest(tape)};
    put(to_text(tape));
    EXPECT_FALSE(replay_tape(path())->same);
    EXPECT_THAT(replay_tape(path())->text, HasSubstr("differs in choice " + std::to_string(choices) + ", behind"));
}

}  // namespace
}  // namespace ronde::sim
