/// Failures leave a picture, and say where.
#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace ronde::cli_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The path behind "picture: ", or nothing.
std::string picture_in(std::string const& said) {
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("picture: "))
            return line.substr(9);
    }
    return {};
}

/// Files below the folder that stands for the system's temporary one.
std::vector<std::string> left_in(Folder const& folder) {
    std::vector<std::string> files;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder / "")) {
        if (entry.is_regular_file())
            files.push_back(entry.path().string());
    }
    return files;
}

Ended drawing(Folder const& temporary, std::string const& arguments) {
    return ronde(arguments, {{"RONDE_PICTURES", "on"}, {"TMPDIR", temporary / ""}});
}

TEST(Pictures, OfASmallPretendedFailureAreItsSequence) {
    Folder const temporary;
    std::string const command = "sim root-dies --ranks 6 --set fault.0.at=100us";
    Ended const ended = drawing(temporary, command);
    EXPECT_EQ(ended.status, 1);
    std::string const picture = picture_in(ended.err);
    EXPECT_THAT(picture, StartsWith(temporary / "ronde-"));
    std::string const svg = content_of(picture);
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("root 0<"));
    EXPECT_THAT(svg, HasSubstr("ronde sim root-dies --ranks 6 --set fault.0.at=100us<")) << "how to see it again";

    Ended const again = drawing(temporary, command + " --format json");
    EXPECT_EQ(again.json()["picture"], picture) << "an equal run has the same picture, in the same place";
    EXPECT_TRUE(content_of(picture) == svg);
    EXPECT_EQ(left_in(temporary).size(), 1U);
}

TEST(Pictures, OfAWorldWithAnOddNameStayWhereTheyBelong) {
    Folder const temporary;
    Folder const scenarios;
    std::string const odd = scenarios / "odd.toml";
    ASSERT_EQ(ronde("sim root-dies --ranks 4 --set fault.0.at=100us --set name=../../odd --print -o " + odd).status, 0);
    std::string const picture = picture_in(drawing(temporary, "sim " + odd).err);
    EXPECT_EQ(left_in(temporary), std::vector<std::string>{picture});
    EXPECT_THAT(picture, HasSubstr("/odd-"));
}

TEST(Pictures, OfALargeOneAreItsRing) {
    Folder const temporary;
    Ended const ended = drawing(temporary, "sim missing-ranks --ranks 600 --set fault.0.ranks=17-18");
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(content_of(picture_in(ended.err)), HasSubstr("600 ranks, failed"));
}

TEST(Pictures, OfARealFailureAreTheRingThatTheLauncherKnows) {
    Folder const temporary;
    Ended const ended = drawing(temporary, "run -n 4 --in-process --deadline 200ms --fault never:2 --format json");
    EXPECT_EQ(ended.status, 1);
    std::string const picture = picture_in(ended.err);
    EXPECT_EQ(ended.json()["picture"], picture);
    EXPECT_THAT(picture, testing::EndsWith(installed("neato") ? ".svg" : ".dot"));
    EXPECT_THAT(content_of(picture), HasSubstr("4 ranks, failed"));
}

TEST(Pictures, OfARealFailureAreAGraphWhereNobodyDrawsIt) {
    Folder const temporary;
    std::vector<std::string> words_of_run = {"env", "PATH=/no/such/folder", ronde_path()};
    for (std::string const& word : words("run -n 3 --in-process --deadline 200ms --fault never:2"))
        words_of_run.push_back(word);
    Ended const ended = run(words_of_run, {{"RONDE_PICTURES", "on"}, {"TMPDIR", temporary / ""}});
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(content_of(picture_in(ended.err)), StartsWith("digraph ring"));
}

TEST(Pictures, OfAnExplorationAreItsStory) {
    Folder const temporary;
    Ended const ended = drawing(temporary, "explore --ranks 2 --profile article --given drop:1 --format json");
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.json()["picture"], picture_in(ended.err));
    EXPECT_THAT(content_of(picture_in(ended.err)), HasSubstr("waits for ever"));
}

TEST(Pictures, OfScriptsLieBesideThem) {
    Folder const temporary;
    Folder const scripts;
    std::string const script = scripts / "refused.toml";
    write_broken_script(script);
    Ended const checked = drawing(temporary, "check " + script);
    EXPECT_EQ(checked.status, 1);
    EXPECT_EQ(picture_in(checked.err), scripts / "refused.svg");
    EXPECT_THAT(content_of(scripts / "refused.svg"), HasSubstr("L1 at step")) << "which property";

    Ended const found = drawing(temporary, "check --cases 1 --format json --failures " + (scripts / ""));
    EXPECT_EQ(found.status, 1);
    EXPECT_EQ(found.json()["picture"], scripts / "refused.svg");

    Ended const small = drawing(temporary, "shrink --continuations 0 --format json " + script);
    EXPECT_EQ(small.status, 0);
    EXPECT_EQ(small.json()["picture"], scripts / "refused.small.svg");
    EXPECT_THAT(content_of(scripts / "refused.small.svg"), HasSubstr("1 rank, failed"));
    EXPECT_TRUE(left_in(temporary).empty());
}

TEST(Pictures, InAFolderOfTheRunAreNamedThere) {
    Folder const temporary;
    Folder const kept;
    Ended const ended = drawing(temporary, "sim root-dies --ranks 6 --set fault.0.at=100us --out " + (kept / "runs"));
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(picture_in(ended.err), StartsWith(kept / "runs/root-dies-"));
    EXPECT_TRUE(std::filesystem::exists(picture_in(ended.err)));
    EXPECT_TRUE(left_in(temporary).empty());
}

TEST(Pictures, AreNotDrawnWhereNobodyWantsThem) {
    Folder const temporary;
    for (char const* const command : {"sim root-dies", "run -n 2 --in-process --deadline 200ms --fault never:1",
                                      "explore --ranks 2 --profile article --given drop:1"}) {
        Ended const flag = drawing(temporary, std::string(command) + " --no-picture");
        EXPECT_EQ(flag.status, 1);
        EXPECT_EQ(picture_in(flag.err), "");
        Ended const variable = ronde(command, {{"RONDE_PICTURES", "off"}, {"TMPDIR", temporary / ""}});
        EXPECT_EQ(variable.status, 1);
        EXPECT_EQ(picture_in(variable.err), "");
    }
    EXPECT_TRUE(left_in(temporary).empty());
}

TEST(Pictures, OfRunsThatStandAreNotDrawn) {
    Folder const temporary;
    EXPECT_EQ(picture_in(drawing(temporary, "sim article-4").err), "");
    EXPECT_EQ(picture_in(drawing(temporary, "explore --ranks 2").err), "");
    EXPECT_TRUE(left_in(temporary).empty());
}

TEST(Pictures, ThatCannotBeDrawnAreAWarningAndNothingElse) {
    Ended const ended = ronde("sim root-dies --format json", {{"RONDE_PICTURES", "on"}, {"TMPDIR", "/no/such/folder"}});
    EXPECT_EQ(ended.status, 1) << "the verdict of the run, and no other";
    EXPECT_EQ(ended.json()["verdict"], "failed");
    EXPECT_FALSE(ended.json().contains("picture"));
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_THAT(ended.err, StartsWith("ronde: warning: no picture: cannot create /no/such/folder/ronde-"));

    Ended const told = ronde("explore --ranks 2 --profile article --given drop:1 --picture /no/such/folder/story.svg");
    EXPECT_EQ(told.status, 1);
    EXPECT_THAT(told.err, StartsWith("ronde: warning: no picture: /no/such/folder/story.svg"));
}

}  // namespace
}  // namespace ronde::cli_test
