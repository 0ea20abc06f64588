/// A fault that is awake is noticed; one that nobody notices fails the run.
#include "mutants/catalogue.hpp"
#include "mutants/run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace ronde::mutants {
namespace {

TEST(Mutants, ThereAreEnoughOfThemAndEachHasAName) {
    std::set<std::string_view> names;
    for (Mutant const& mutant : catalogue()) {
        EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
        EXPECT_FALSE(mutant.what.empty()) << mutant.name;
        EXPECT_NE(mutant.original, "") << mutant.name;
    }
    EXPECT_GE(names.size(), 60U);
}

TEST(Mutants, ACommitBeforeAllAreDoneIsNoticed) {
    Said const said = run_mutants("--fast commit_before_all_are_done");
    EXPECT_EQ(said.status, 0) << said.text;
    EXPECT_NE(said.text.find("S3"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("1 of 1 mutants die"), std::string::npos) << said.text;
}

TEST(Mutants, TheMachineAsItIsStands) {
    Said const said = run_mutants("--fast commit_before_all_are_done");
    EXPECT_NE(said.text.find("(none)"), std::string::npos) << said.text;
    EXPECT_EQ(said.text.find("BROKEN"), std::string::npos) << said.text;
}

TEST(Mutants, ASurvivorRingsTheAlarm) {
    Said const said = run_mutants("--fast harmless_canary");
    EXPECT_EQ(said.status, 1) << said.text;
    EXPECT_NE(said.text.find("harmless_canary survives"), std::string::npos) << said.text;
}

TEST(Mutants, ARecordingOfTheMachineAsItIsShowsAnotherState) {
    Said const said = run_mutants("--layer recordings slice_passed_on_too_often ready_without_commit");
    EXPECT_EQ(said.status, 1) << said.text;
    EXPECT_NE(said.text.find("ready_without_commit"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("D4 "), std::string::npos) << said.text;
    // What it says to others is another matter: that mutant's own state is that of the machine as it is.
    EXPECT_NE(said.text.find("slice_passed_on_too_often survives"), std::string::npos) << said.text;
}

TEST(Mutants, RealSocketsNoticeAWrongSlice) {
    Said const said = run_mutants("--layer sockets slices_swapped");
    EXPECT_EQ(said.status, 0) << said.text;
    EXPECT_NE(said.text.find("1 of 1 mutants die: 1 over sockets;"), std::string::npos) << said.text;
}

TEST(Mutants, TheirJsonCountsThem) {
    Said const said = run_mutants("--fast --layer neighbours --format json window_too_short harmless_canary");
    auto const json = nlohmann::json::parse(said.text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << said.text;
    EXPECT_EQ(json.at("verdict"), "bad");
    EXPECT_EQ(json.at("mutants"), 2);
    EXPECT_EQ(json.at("killed"), 1);
    EXPECT_EQ(json.at("survivors"), 1);
    EXPECT_EQ(json.at("rows").size(), 3U);
}

TEST(Mutants, AnUnknownLayerIsBadUsage) {
    Said const said = run_mutants("--layer moon");
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.text.find("--layer moon: expected explorer"), std::string::npos) << said.text;
}

TEST(Mutants, AnUnknownNameIsBadUsage) {
    Said const said = run_mutants("no_such_mutant");
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.text.find("'no_such_mutant' is no mutant"), std::string::npos) << said.text;
}

}  // namespace
}  // namespace ronde::mutants
