/// `ronde sim` and `ronde sweep` from outside.
#include "cli/program.hpp"

#include <fmt/format.h>
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

TEST(Sim, ChecksTheDeterminismOfWorldsThatAreWatchedToo) {
    Ended const ended = ronde("sim article-4 --check-determinism");
    EXPECT_EQ(ended.status, 0) << ended.err;
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
    ASSERT_EQ(ronde("sim uneven-hosts --ranks 99 --print -o " + file).status, 0);
    Ended const a = ronde("sim " + file + " --format json");
    Ended const b = ronde("sim uneven-hosts --ranks 99 --format json");
    ASSERT_EQ(a.status, 0) << a.err;
    EXPECT_EQ(a.json()["digest"], b.json()["digest"]);
}

TEST(Sim, WritesReportAndTraceToFiles) {
    Folder const folder;
    std::string const out = folder / "out.csv";
    std::string const trace = folder / "steps";
    Ended const ended = ronde("sim article-4 --format csv -o " + out + " --trace " + trace);
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

TEST(Sim, TellsTheCriticalPathToPrograms) {
    Json const json = ronde("sim storm-4k --ranks 64 --critical-path --format json").json();
    ASSERT_TRUE(json["critical_path"].is_object()) << json;
    EXPECT_EQ(json["critical_path"]["end_ns"], json["time_to_table_ns"]);
    EXPECT_EQ(json["critical_path"]["process"], "rank " + std::to_string(json["slowest_rank"].get<int>()));
    EXPECT_EQ(json["critical_path"]["slack"]["of_ranks_ns"].size(), 64U);
    EXPECT_FALSE(ronde("sim article-4 --format json").json().contains("critical_path"));
}

constexpr char const* kLossy = "lossy-management-network --ranks 12";

TEST(SimReplay, ATapeAndATraceAreEachEnough) {
    Folder const folder;
    for (char const* const kind : {"tape", "trace"}) {
        std::string const file = folder / kind;
        Ended const recorded = ronde(fmt::format("sim {} --seed 5 --{} {}", kLossy, kind, file));
        ASSERT_EQ(recorded.status, 0) << recorded.err;
        Ended const replayed = ronde("replay " + file);
        EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
        EXPECT_EQ(replayed.out.find(fmt::format("{}: {} of lossy-management-network (12 ranks, seed 5): ", file, kind)),
                  0U)
            << replayed.out;
        EXPECT_EQ(lines_of(replayed.out), 1U) << replayed.out;
    }
}

TEST(SimReplay, ATapeThatWasKeptBesideATraceIsEnoughToo) {
    Folder const folder;
    // Whoever watches makes a ring be played that would be computed otherwise.
    std::string const files = "--tape " + (folder / "tape") + " --trace " + (folder / "trace");
    ASSERT_EQ(ronde("sim stragglers --profile nccl --ranks 24 " + files).status, 0);
    EXPECT_EQ(ronde("replay " + (folder / "tape")).status, 0);
    EXPECT_EQ(ronde("replay " + (folder / "trace")).status, 0);
}

TEST(SimReplay, ARunThatFailsIsReplayedJustAsWell) {
    Folder const folder;
    ASSERT_EQ(ronde("sim missing-ranks --ranks 32 --set fault.0.ranks=17 --trace " + (folder / "steps")).status, 1);
    EXPECT_EQ(ronde("replay " + (folder / "steps")).status, 0);
}

TEST(SimReplay, WhatCannotBeReadIsToldInOneLine) {
    Folder const folder;
    ASSERT_EQ(ronde("sim article-4 --trace " + (folder / "steps") + " --tape " + (folder / "tape")).status, 0);
    auto const broken = [&](std::string const& name, std::string const& text, int status, std::string const& said) {
        std::ofstream(folder / name, std::ios::binary) << text;
        Ended const ended = ronde("replay " + (folder / name));
        EXPECT_EQ(ended.status, status) << name << ended.out << ended.err;
        EXPECT_EQ(ended.out, "");
        EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
        EXPECT_EQ(ended.err.find("ronde replay: " + (folder / name)), 0U) << ended.err;
        EXPECT_NE(ended.err.find(said), std::string::npos) << ended.err;
    };
    std::string const steps = content_of(folder / "steps");
    broken("cut", steps.substr(0, steps.size() / 2), 3, "the trace is cut off");
    std::string torn = steps;
    torn[torn.rfind("listening>")] = 'L';
    broken("torn", torn, 3, "the trace is damaged");
    std::string const tape = content_of(folder / "tape");
    broken("short", tape.substr(0, tape.rfind("end ")), 3, "the file is cut off: expected 'end'");
    broken("neither", "hello\n", 3, "expected a tape (ronde sim --tape), a trace (ronde sim --trace), or the folder");
    broken("empty", "", 3, "expected a tape");
    broken("rank-00000.ronde", "ronderec....", 2, "is one file of a recording; expected its folder");
}

/// `ronde sim` with answers from a pipe.
Ended choose(std::string const& answers, std::string const& arguments) {
    return run({"sh", "-c", "printf '" + answers + "' | " + ronde_path() + " sim --choose " + arguments});
}

TEST(SimChoose, AsksOnStandardErrorAndTakesAnswersFromAPipe) {
    Ended const ended = choose("1\\n0\\n", fmt::format("{} --format json", kLossy));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_GE(ended.json()["storm"]["packets_lost"], 1);
    EXPECT_NE(ended.err.find(" lost?\n   0  no\n   1  yes\n0-1 ["), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("no more answers: the seed chooses from here on\nchoices: 2 by hand, "), std::string::npos)
        << ended.err;
}

TEST(SimChoose, WithoutAnswersItIsTheSeedsRun) {
    Ended const ended = choose("", fmt::format("{} --format json", kLossy));
    EXPECT_EQ(ended.json()["digest"], ronde(fmt::format("sim {} --format json", kLossy)).json()["digest"]);
    EXPECT_NE(ended.err.find("choices: 0 by hand, "), std::string::npos) << ended.err;
}

TEST(SimChoose, WhatWasPickedIsKeptByTapeAndTrace) {
    Folder const folder;
    std::string const files = " --tape " + (folder / "tape") + " --trace " + (folder / "trace");
    Ended const picked = choose("1\\n1\\nend\\n", fmt::format("{} --format json{}", kLossy, files));
    ASSERT_EQ(picked.status, 0) << picked.err;
    EXPECT_NE(picked.json()["digest"], ronde(fmt::format("sim {} --format json", kLossy)).json()["digest"]);
    for (char const* const kind : {"tape", "trace"}) {
        Ended const replayed = ronde("replay " + (folder / kind));
        EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
    }
    EXPECT_NE(content_of(folder / "tape").find("outcome " + picked.json()["digest"].get<std::string>()),
              std::string::npos);
}

TEST(SimChoose, SaysSoWhereNothingIsLeftToChance) {
    Ended const ended = choose("1\\n", "article-4");
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err.find("nothing to choose: "), 0U) << ended.err;
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
        Wrong{"tape", "sim article-4 --tape no/such/folder", 3, "--tape no/such/folder: cannot create"},
        Wrong{"chosen_twice", "sim article-4 --choose --check-determinism", 2,
              "--check-determinism: the second run of --choose would ask again"},
        Wrong{"nothing_varied", "sweep article-4", 2, "--vary KEY=VALUE,VALUE is missing"},
        Wrong{"unknown_varied", "sweep article-4 --vary rank=1", 2, "--vary rank: no such key; did you mean ranks?"},
        Wrong{"plot_of_words", "sweep article-4 --vary profile=ronde,article --plot x.svg", 2,
              "--plot x.svg: no varied key has numbers"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(Sweep, DrawsTheStormOfEachWorld) {
    Folder const folder;
    std::string const picture = folder / "storms.svg";
    std::string const command =
        "sweep storm-4k --vary ranks=16,32 --vary root_host.somaxconn=8,64 --picture " + picture;
    ASSERT_EQ(ronde(command).status, 0);
    std::string const svg = content_of(picture);
    for (char const* const title :
         {"ranks=16, somaxconn=8<", "ranks=16, somaxconn=64<", "ranks=32, somaxconn=8<", "ranks=32, somaxconn=64<"})
        EXPECT_NE(svg.find(title), std::string::npos) << title;
    ASSERT_EQ(ronde(command + " --jobs 3").status, 0);
    EXPECT_TRUE(content_of(picture) == svg) << "whoever finishes first";

    Ended const many =
        ronde("sweep article-4 --vary ranks=2,3,4,5,6,7,8,9,10 --vary seed=1,2,3,4,5,6,7,8 --picture " + picture);
    EXPECT_EQ(many.status, 2);
    EXPECT_NE(many.err.find("--picture: 72 worlds do not fit into one picture, 64 do"), std::string::npos) << many.err;
    EXPECT_EQ(ronde("sweep article-4 --vary ranks=2,3 --picture " + (folder / "storms.gif")).status, 2);
}

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
