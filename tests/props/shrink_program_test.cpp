/// `ronde shrink` as a shell sees it: what it prints, and what lies beside the small script.
#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace ronde::cli_test {
namespace {

/// Four ranks of which one never comes, under a profile that waits for ever, and something that does not matter.
std::string hanging_script(Folder const& folder) {
    std::string const path = folder / "hang.toml";
    std::ofstream(path) << "ranks = 4\nprofile = \"nccl\"\n\n[[fault]]\nkind = \"never\"\nranks = 2\n\n"
                           "[[fault]]\nkind = \"slow\"\nranks = 1\namount = 3\n";
    return path;
}

TEST(ShrinkProgram, SaysForProgramsHowSmallItGotAndHowSmallItCouldBe) {
    Folder const folder;
    Ended const ended =
        ronde("shrink " + hanging_script(folder) + " --property L2 --format json", {{"RONDE_PICTURES", "on"}});
    ASSERT_EQ(ended.status, 0) << ended.err;
    Json const json = ended.json();
    EXPECT_EQ(json["property"], "L2");
    EXPECT_EQ(json["before"]["ranks"], 4);
    EXPECT_EQ(json["before"]["faults"], 2);
    EXPECT_EQ(json["after"], json["minimum"].patch(Json::parse(R"([{"op": "remove", "path": "/command"}])")));
    EXPECT_EQ(json["minimum"]["command"], "ronde explore --ranks 2 --profile nccl --property L2 --given crash:0");
    EXPECT_EQ(json["small"], folder / "hang.small.toml");
    EXPECT_EQ(json["picture"], folder / "hang.small.svg");
    for (char const* const name : {"small", "test", "picture"})
        EXPECT_NE(content_of(json[name]), "") << name;
    // The command shows what it is said to show.
    std::string const command = json["minimum"]["command"];
    Ended const shown = ronde(command.substr(command.find(' ') + 1) + " --format json");
    EXPECT_EQ(shown.status, 1);
    EXPECT_EQ(shown.json()["path"].size(), json["minimum"]["moves"]);
}

TEST(ShrinkProgram, DrawsWhereItIsAskedTo) {
    Folder const folder;
    std::string const picture = folder / "hang-story.svg";
    Ended const ended = ronde("shrink " + hanging_script(folder) + " --property L2 --picture " + picture);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.err.find("picture: " + picture), std::string::npos) << ended.err;
    EXPECT_NE(ended.out.find("minimum       2 ranks, 1 fault, 6 moves; this is as small as it can be"),
              std::string::npos)
        << ended.out;
    EXPECT_NE(content_of(picture).find("</svg>"), std::string::npos);
    EXPECT_EQ(content_of(folder / "hang.small.svg"), "");
}

TEST(ShrinkProgram, RefusesAPictureThatItCannotMakeBeforeItBegins) {
    Folder const folder;
    Ended const ended = ronde("shrink " + hanging_script(folder) + " --property L2 --picture story.gif");
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_NE(ended.err.find("story.gif"), std::string::npos) << ended.err;
    EXPECT_EQ(content_of(folder / "hang.small.toml"), "");
}

}  // namespace
}  // namespace ronde::cli_test
