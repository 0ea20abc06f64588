/// `ronde report` as a process: what it takes, and what it says when it cannot.
#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ronde::cli_test {
namespace {

void put(std::string const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }

TEST(Report, OfAScenarioIsAPage) {
    Folder const folder;
    Ended const ended = ronde("report article-4 -o " + (folder / "run.html"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out + ended.err, "");
    std::string const page = content_of(folder / "run.html");
    EXPECT_EQ(page.find("<!DOCTYPE html>"), 0U);
    EXPECT_NE(page.find("<h1>article-4: 4 ranks, ready</h1>"), std::string::npos);
    EXPECT_EQ(page, ronde("report article-4").out) << "the same on standard output";
}

TEST(Report, OfAFolderTakesTheBestWitnessInIt) {
    Folder const folder;
    std::string const run = folder / "run";
    std::filesystem::create_directory(run);
    ASSERT_EQ(
        ronde("sim article-4 --seed 3 --trace " + run + "/trace.txt --tape " + run + "/tape --out " + run + "/text")
            .status,
        0);
    put(run + "/scenario.toml", ronde("sim article-4 --seed 3 --print").out);
    put(run + "/results.json", "{\"mark\": \"of this very run\"}\n");

    std::string const of_trace = ronde("report " + run).out;
    EXPECT_NE(of_trace.find("trace trace.txt of article-4, seed 3"), std::string::npos);
    EXPECT_NE(of_trace.find("of this very run"), std::string::npos) << "its numbers come along";
    std::filesystem::remove(run + "/trace.txt");
    EXPECT_NE(ronde("report " + run).out.find("tape tape of article-4, seed 3"), std::string::npos);
    EXPECT_NE(ronde("draw storm " + run).out.find("tape tape of article-4"), std::string::npos) << "pictures do so too";
    std::filesystem::remove(run + "/tape");
    EXPECT_NE(ronde("report " + run).out.find("scenario.toml, seed 3"), std::string::npos);
}

TEST(Report, OfARealRunTellsItsRecordings) {
    Folder const folder;
    std::string const run = folder / "run";
    std::filesystem::create_directory(run);
    ASSERT_EQ(ronde("run -n 5 --record " + run + "/recordings").status, 0);
    Ended const beside = ronde("report " + run);
    ASSERT_EQ(beside.status, 0) << beside.err;
    EXPECT_NE(beside.out.find("<h1>5 ranks, ready</h1>"), std::string::npos);
    Ended const itself = ronde("report " + run + "/recordings");
    EXPECT_EQ(itself.out, beside.out);
}

TEST(Report, OfTheLargestStormStaysSmall) {
    Folder const folder;
    // A quarter of the ranks: what does not grow with them is in the page already.
    put(folder / "storm.toml", ronde("sim storm-98k --ranks 24576 --print").out);
    Ended const ended = ronde("report " + (folder / "storm.toml"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_LT(ended.out.size(), 500'000U);
    EXPECT_EQ(ended.out.find("<script"), std::string::npos) << "so many ranks have no player";
}

TEST(Report, OfAFailureIsMadeAllTheSame) {
    Ended const ended = ronde("report root-dies");
    EXPECT_EQ(ended.status, 0) << "the page is what was asked for";
    EXPECT_NE(ended.out.find("✗ ranks 0-63: checking in: nobody listens"), std::string::npos);
}

struct Wrong {
    char const* name;
    char const* arguments;
    int status;
    char const* said;
};
class BadReport : public testing::TestWithParam<Wrong> {};

TEST_P(BadReport, IsToldInOneLine) {
    Ended const ended = ronde(GetParam().arguments);
    EXPECT_EQ(ended.status, GetParam().status) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_EQ(ended.err.find("ronde report: "), 0U) << ended.err;
    EXPECT_NE(ended.err.find(GetParam().said), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadReport,
    testing::Values(Wrong{"nothing", "report", 2, "INPUT"},
                    Wrong{"no_such_input", "report artcle-4", 2, "did you mean article-4?"},
                    Wrong{"not_an_input", "report /dev/null", 2, "expected a scenario (.toml), a trace"},
                    Wrong{"empty_folder", "report /sys/kernel/security", 3, "/sys/kernel/security"},
                    Wrong{"no_folder", "report article-4 -o /no/such/folder/x.html", 3, "/no/such/folder/x.html"},
                    Wrong{"flag", "report article-4 --at 3ms", 2, "unknown flag '--at'"}),
    [](testing::TestParamInfo<Wrong> const& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ronde::cli_test
