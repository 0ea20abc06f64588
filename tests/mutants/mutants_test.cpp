/// A fault that is awake is noticed; one that nobody notices fails the run.
#include "mutants/catalogue.hpp"
#include "mutants/run.hpp"

#include <gtest/gtest.h>

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

TEST(Mutants, AnUnknownNameIsBadUsage) {
    Said const said = run_mutants("no_such_mutant");
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.text.find("'no_such_mutant' is no mutant"), std::string::npos) << said.text;
}

}  // namespace
}  // namespace ronde::mutants
