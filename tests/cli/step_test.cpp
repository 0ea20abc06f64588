/// A stepped world as a story: what can be chosen, what comes of it, and the way back.
#include "cli/step_screen.hpp"
#include "cli/step_session.hpp"
#include "report/replay.hpp"
#include "scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace ronde::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

sim::WorldPlan plan_of(std::string const& name, std::vector<std::string> const& sets = {}) {
    auto plan = sim::load_scenario(name);
    EXPECT_TRUE(plan) << plan.error();
    for (std::string const& set : sets)
        EXPECT_EQ(sim::set_key(*plan, set), "");
    return *plan;
}

sim::WorldPlan three_ranks() { return plan_of("article-4", {"ranks=3"}); }

std::vector<std::string> phases_at(StepStop const& stop) {
    std::vector<std::string> phases;
    for (StepProcess const& process : stop.processes)
        phases.push_back(process.phase);
    return phases;
}

/// Takes the option that begins so.
void choose(StepSession& session, std::string const& option) {
    auto const& options = session.stop().options;
    auto const at =
        std::find_if(options.begin(), options.end(), [&](auto const& text) { return text.starts_with(option); });
    ASSERT_NE(at, options.end()) << option << " is none of:\n" << stop_text(session);
    session.choose(static_cast<std::size_t>(at - options.begin()));
}

TEST(Stepping, BeginsWithAllWhoCouldStart) {
    StepSession const session(three_ranks());
    EXPECT_EQ(session.stop().question, "at 0 ns: what comes first?");
    EXPECT_THAT(session.stop().options,
                ElementsAre("rank 0 starts", "rank 1 starts", "rank 2 starts", "root 0 starts"));
    EXPECT_THAT(phases_at(session.stop()), ElementsAre("not started", "not started", "not started", "not started"));
    EXPECT_TRUE(session.at_the_beginning());
}

TEST(Stepping, WhatAPersonChoosesHappensFirst) {
    StepSession session(three_ranks());
    choose(session, "root 0 starts");
    choose(session, "rank 2 starts");
    EXPECT_THAT(phases_at(session.stop()),
                ElementsAre("not started", "not started", "checking in", "collecting check-ins"));
    EXPECT_THAT(session.stop().options, ElementsAre("rank 0 starts", "rank 1 starts"));
    EXPECT_THAT(session.stop().done.back(), HasSubstr("rank 2 listening listening>checking_in connect root:0"));
    EXPECT_EQ(session.chosen(), 2U);
}

TEST(Stepping, TheWayBackLeadsThroughTheSamePlaces) {
    StepSession session(three_ranks());
    std::vector<std::string> there;
    for (int i = 0; i < 12; ++i) {
        there.push_back(stop_text(session));
        if (session.stop().options.empty())
            session.go_on();
        else
            session.choose(session.stop().options.size() - 1);
    }
    EXPECT_GT(session.chosen(), 5U);
    while (!there.empty()) {
        ASSERT_TRUE(session.go_back());
        EXPECT_EQ(stop_text(session), there.back());
        there.pop_back();
    }
    EXPECT_FALSE(session.go_back()) << "this is the beginning";
    EXPECT_EQ(session.chosen(), 0U);
}

TEST(Stepping, EveryStepOfAMachineIsSeenOnce) {
    StepSession session(three_ranks());
    std::vector<std::string> seen;
    while (!session.stop().over) {
        session.go_on();
        seen.insert(seen.end(), session.stop().done.begin(), session.stop().done.end());
    }
    EXPECT_EQ(seen.size(), session.stop().steps);

    StepSession at_once(three_ranks());
    at_once.to_the_end();
    EXPECT_EQ(at_once.stop().done, seen) << "the seed chooses the same, step by step or at once";
}

TEST(Stepping, EndsWithTheRingAndTheVerdict) {
    StepSession session(three_ranks());
    session.to_the_end();
    EXPECT_TRUE(session.stop().over);
    EXPECT_THAT(session.stop().verdict, StartsWith("ready: 3 ranks in a ring"));
    for (StepProcess const& process : session.stop().processes) {
        EXPECT_EQ(process.known, 3U) << process.name;
        EXPECT_EQ(process.hand, process.is_rank) << process.name;
    }
    EXPECT_THAT(stop_text(session), HasSubstr("\nring  R=R=R=\n"));
    session.go_on();
    EXPECT_TRUE(session.stop().over) << "and nothing comes behind it";
    ASSERT_TRUE(session.go_back());
    EXPECT_FALSE(session.stop().over);
}

TEST(Stepping, APersonDecidesWhetherAPacketIsLost) {
    StepSession session(plan_of("article-4", {"ranks=2", "network.loss=10%"}));
    while (session.stop().question.find("lost?") == std::string::npos)
        session.go_on();
    std::string const asked = session.stop().question;
    EXPECT_THAT(asked, AllOf(HasSubstr("is a packet from rank"), HasSubstr("to root 0 lost?")));
    choose(session, "yes");
    session.to_the_end();
    EXPECT_GE(session.stop().now_ns, sim::kSecondNs) << "its SYN is sent again after a second";
}

TEST(Stepping, AskedWhenAProcessStartsSaysSo) {
    StepSession session(plan_of("article-4", {"ranks=2", "arrival.skew=uniform 0ns..100ms"}));
    EXPECT_THAT(session.stop().question, StartsWith("how long after its turn does rank 0 start?"));
    EXPECT_THAT(phases_at(session.stop()), ElementsAre("not started", "not started", "not started"));
    session.choose(session.stop().options.size() - 1);
    session.to_the_end();
    EXPECT_THAT(session.stop().verdict, StartsWith("ready"));
}

TEST(Stepping, KeepsItsChoicesAsATapeThatReplays) {
    StepSession session(three_ranks());
    choose(session, "root 0 starts");
    choose(session, "rank 2 starts");
    sim::Tape const tape = session.tape();
    std::string const path = (std::filesystem::temp_directory_path() / "ronde-step-test-XXXXXX").string();
    std::string name = path;
    ASSERT_GE(::mkstemp(name.data()), 0);
    ASSERT_TRUE(sim::save_tape(tape, name));
    auto const replay = sim::replay_tape(name);
    std::filesystem::remove(name);
    ASSERT_TRUE(replay) << replay.error();
    EXPECT_TRUE(replay->same) << replay->text;
    EXPECT_EQ(tape.entries[0].picked, 3U) << "the root was the fourth of four";
    EXPECT_EQ(tape.note, "article-4, 3 ranks, 2 choices by hand");

    session.to_the_end();
    EXPECT_EQ(session.tape(), tape) << "wherever it is asked for, it is the whole run";
}

// --- on a screen ----------------------------------------------------------------------------------------------------

std::vector<std::string> lines_of(std::string const& screen) {
    std::vector<std::string> lines;
    std::istringstream text(screen);
    for (std::string line; std::getline(text, line);) {
        std::string plain;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] != '\x1b') {
                plain += line[i] == '\r' ? std::string() : std::string(1, line[i]);
                continue;
            }
            i = line.find_first_of("mK", i);
        }
        lines.push_back(plain);
    }
    return lines;
}

TEST(StepScreens, AreAsLargeAsTheTerminal) {
    StepSession session(plan_of("port-scan"));
    for (int i = 0; i < 4; ++i) {
        for (auto const& [rows, columns] :
             {std::pair<std::size_t, std::size_t>{24, 80}, {50, 200}, {10, 40}, {4, 20}}) {
            auto const lines = lines_of(stop_screen(session, {.rows = rows, .columns = columns}));
            EXPECT_EQ(lines.size(), rows);
            for (std::string const& line : lines)
                EXPECT_LE(line.size(), columns) << line;
        }
        session.go_on();
    }
}

TEST(StepScreens, ShowWhereTheCursorStands) {
    StepSession const session(plan_of("port-scan"));
    ASSERT_GT(session.stop().options.size(), 40U);
    for (std::size_t const cursor : {std::size_t{0}, std::size_t{17}, session.stop().options.size() - 1}) {
        auto const lines = lines_of(stop_screen(session, {.rows = 24, .columns = 100, .cursor = cursor}));
        auto const marked =
            std::find_if(lines.begin(), lines.end(), [](auto const& line) { return line.starts_with("> "); });
        ASSERT_NE(marked, lines.end());
        EXPECT_THAT(*marked, HasSubstr(session.stop().options[cursor]));
    }
}

TEST(StepScreens, TellPhasesByLettersWithoutColours) {
    StepSession session(three_ranks());
    session.to_the_end();
    std::string const grey = stop_screen(session, {.rows = 24, .columns = 100, .colours = false});
    EXPECT_EQ(grey.find("38;5"), std::string::npos);
    EXPECT_THAT(grey, HasSubstr("R ready"));
    EXPECT_THAT(stop_screen(session, {.rows = 24, .columns = 100}), HasSubstr("38;5"));
}

TEST(StepScreens, HaveALetterOfItsOwnForEachLook) {
    std::string letters;
    for (std::uint32_t look = 0; look < viz::kPhaseLooks; ++look)
        letters += letter_of(static_cast<viz::PhaseLook>(look));
    std::sort(letters.begin(), letters.end());
    EXPECT_EQ(std::adjacent_find(letters.begin(), letters.end()), letters.end()) << letters;
}

}  // namespace
}  // namespace ronde::cli
