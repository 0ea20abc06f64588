/// `ronde sim` and `ronde sweep` from outside.
#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ronde::cli_test {
namespace {

std::string content_of(std::string const& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

TEST(Sim, PlaysAShippedScenarioWithChanges) {
    Ended const ended = ronde("sim storm-4k --ranks 64 --seed 3 --set network.same_rack=50us --format json");
    ASSERT_EQ(ended.status, 0) << ended.err;
    Json const json = ended.json();
    EXPECT_EQ(json["verdict"], "ready");
    EXPECT_EQ(json["scenario"], "storm-4k");
    EXPECT_EQ(json["ranks"], 64);
    EXPECT_EQ(json["seed"], 3);
    EXPECT_EQ(json["ends"]["ready"], 64);
    EXPECT_EQ(json["digest"].get<std::string>().size(), 32U);
}

TEST(Sim, TheSameCommandHasTheSameDigest) {
    auto const digest = [](std::string const& seed) {
        return ronde("sim stragglers --ranks 32 --format json --seed " + seed).json()["digest"];
    };
    Json const first = digest("1");
    EXPECT_EQ(first, digest("1"));
    EXPECT_NE(first, digest("2"));
}

TEST(Sim, ARingThatFailsEndsWithStatusOneAndNamesTheMissing) {
    Ended const ended = ronde("sim missing-ranks --ranks 64 --set fault.0.ranks=17-18");
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.out.find("failed: of 64 ranks 62 ended with an error, 2 never started"), 0U) << ended.out;
    EXPECT_NE(ended.err.find("2 ranks (17-18): was never started"), std::string::npos) << ended.err;
}

TEST(Sim, ChecksItsDeterminism) {
    Ended const ended = ronde("sim port-scan --check-determinism");
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_NE(ended.err.find("deterministic: a second run has the same digest"), std::string::npos) << ended.err;
}

TEST(Sim, TheArticleIsTakenApartRoundByRound) {
    Ended const ended = ronde("sim article-4");
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("\nround 3, "), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("after 3 rounds: 4 of 4 ranks know everybody\n"), std::string::npos) << ended.out;
}

TEST(Sim, PrintsAScenarioThatItReadsBack) {
    Folder const folder;
    std::string const file = folder / "mine.toml";
    ASSERT_EQ(ronde("sim uneven-hosts --ranks 99 --print --out " + file).status, 0);
    Ended const a = ronde("sim " + file + " --format json");
    Ended const b = ronde("sim uneven-hosts --ranks 99 --format json");
    ASSERT_EQ(a.status, 0) << a.err;
    EXPECT_EQ(a.json()["digest"], b.json()["digest"]);
}

TEST(Sim, WritesReportAndTraceToFiles) {
    Folder const folder;
    std::string const out = folder / "out.csv";
    std::string const trace = folder / "steps";
    Ended const ended = ronde("sim article-4 --format csv --out " + out + " --trace " + trace);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(content_of(out)), 2U);
    EXPECT_EQ(content_of(trace).find("ronde-trace 1 article-4 seed=1 ranks=4 roots=1\n"), 0U);
}

TEST(Sim, ListsWhatItHas) {
    Ended const ended = ronde("sim --list");
    EXPECT_EQ(ended.status, 0);
    EXPECT_NE(ended.out.find("article-4  "), std::string::npos);
    EXPECT_NE(ended.out.find("nccl-98k-768  "), std::string::npos);
    Ended const schema = ronde("sim --schema");
    EXPECT_EQ(schema.status, 0);
    EXPECT_NE(schema.out.find("[network]: "), std::string::npos);
}

struct Wrong {
    char const* name;
    char const* arguments;
    int status;
    char const* said;
};
class BadUsage : public testing::TestWithParam<Wrong> {};

TEST_P(BadUsage, IsToldInOneLine) {
    Ended const ended = ronde(GetParam().arguments);
    EXPECT_EQ(ended.status, GetParam().status) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_NE(ended.err.find(GetParam().said), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadUsage,
    testing::Values(
        Wrong{"no_scenario", "sim", 2, "ronde sim: SCENARIO is missing"},
        Wrong{"unknown_scenario", "sim strom-4k", 2, "'strom-4k' is no scenario; did you mean storm-4k?"},
        Wrong{"no_file", "sim ./no.toml", 3, "ronde sim: ./no.toml: cannot read: No such file or directory"},
        Wrong{"flag_value", "sim article-4 --ranks none", 2, "--ranks: 'none' is not a number of 1 to 1048576"},
        Wrong{"flag_of_a_section", "sim article-4 --gather tree", 2,
              "ronde sim: --gather: 'tree' is no gather; expected automatic, star, doubling, ring or ring2"},
        Wrong{"set_key", "sim article-4 --set network.los=1%", 2,
              "--set [network] los: no such key; did you mean loss?"},
        Wrong{"contradiction", "sim article-4 --roots 5", 2, "article-4: "},
        Wrong{"rounds_of_many", "sim storm-4k --rounds", 2, "--rounds: 4096 ranks do not fit on a page"},
        Wrong{"format", "sim article-4 --format yaml", 2, "'yaml' is no format; expected text or json or csv"},
        Wrong{"trace", "sim article-4 --trace no/such/folder", 3, "--trace no/such/folder: cannot create"},
        Wrong{"nothing_varied", "sweep article-4", 2, "--vary KEY=VALUE,VALUE is missing"},
        Wrong{"unknown_varied", "sweep article-4 --vary rank=1", 2, "--vary rank: no such key; did you mean ranks?"},
        Wrong{"plot_of_words", "sweep article-4 --vary profile=ronde,article --plot x.svg", 2,
              "--plot x.svg: no varied key has numbers"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(Sweep, PrintsATableAndDrawsAPlot) {
    Folder const folder;
    std::string const plot = folder / "plot.svg";
    Ended const ended =
        ronde("sweep article-4 --vary ranks=4,8,16 --vary profile=article,ronde --jobs 2 --plot " + plot);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out), 7U) << ended.out;
    EXPECT_EQ(content_of(plot).find("<svg "), 0U);
    Ended const csv = ronde("sweep article-4 --vary roots=1,5 --format csv");
    ASSERT_EQ(csv.status, 0) << csv.err;
    EXPECT_EQ(lines_of(csv.out), 3U);
}

}  // namespace
}  // namespace ronde::cli_test
