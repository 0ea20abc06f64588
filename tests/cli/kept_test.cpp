/// --out DIR: what each command leaves in the folder of its run.
#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <sstream>

namespace ronde::cli_test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

Names names_in(fs::path const& folder) {
    Names names;
    for (fs::directory_entry const& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

Names runs_in(std::string const& dir) {
    Names names = names_in(dir);
    names.erase("latest");
    return names;
}

/// Every file of the folder stands in its index, and everything in the index that is said to be there is.
void expect_honest_index(fs::path const& folder) {
    std::string const index = content_of(folder / "index.txt");
    ASSERT_NE(index, "");
    std::string const here = index.substr(0, index.find("\nnot here:\n"));
    for (std::string const& name : names_in(folder)) {
        if (name != "index.txt") {
            EXPECT_NE(here.find("\n" + name), std::string::npos) << name << " is not in the index:\n" << index;
        }
        EXPECT_EQ(name.find(".tmp"), std::string::npos) << name << " was left half written";
    }
    std::istringstream lines(here.substr(here.find("again")));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::string const name = line.substr(0, line.find(' '));
        EXPECT_TRUE(name.empty() || fs::exists(folder / name)) << name << " is in the index only";
    }
}

Ended in_folder(std::string const& folder, std::string const& arguments) {
    return run({"sh", "-c", "cd '" + folder + "' && exec '" + ronde_path() + "' " + arguments});
}

std::string broken_script(Folder const& folder) {
    std::string const path = folder / "refused.toml";
    write_broken_script(path);
    return path;
}

TEST(KeptSim, LeavesAllThatIsNeededToSeeAndRepeatIt) {
    Folder const folder;
    std::string const dir = folder / "a/b/runs";
    Ended const ended = ronde("sim stragglers --ranks 12 --seed 7 --out " + dir);
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::string const latest = dir + "/latest";
    EXPECT_EQ(names_in(latest), (Names{"index.txt", "report.html", "results.json", "ring.svg", "scenario.toml",
                                       "sequence.svg", "storm.csv", "storm.svg", "tape", "trace.txt"}));
    expect_honest_index(latest);
    EXPECT_NE(content_of(latest + "/index.txt").find("command   ronde sim stragglers --ranks 12 --seed 7 --out"),
              std::string::npos);

    Json const results = Json::parse(content_of(latest + "/results.json"));
    Json again = in_folder(latest, "sim scenario.toml --format json").json();
    for (char const* const cost : {"wall_s", "cpu_s", "events_per_s", "peak_rss_bytes"}) {
        EXPECT_FALSE(results.contains(cost)) << cost << " differs from run to run";
        again.erase(cost);
    }
    EXPECT_EQ(results, again) << "the scenario of the folder is another one";
    for (char const* const what : {"trace.txt", "tape"}) {
        Ended const replayed = in_folder(latest, std::string("replay ") + what);
        EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
        EXPECT_NE(replayed.out.find("the same"), std::string::npos) << replayed.out;
        EXPECT_EQ(in_folder(latest, std::string("draw ring --format dot ") + what).status, 0);
    }
}

TEST(KeptSim, OfARingThatCouldBeComputedHasOneDigestEverywhere) {
    Folder const folder;
    Ended const ended = ronde("sim article-4 --ranks 20 --format json --out " + (folder / "runs"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::string const digest = ended.json()["digest"];
    std::string const latest = folder / "runs/latest";
    EXPECT_EQ(Json::parse(content_of(latest + "/results.json"))["digest"], digest);
    EXPECT_NE(content_of(latest + "/tape").find("outcome " + digest), std::string::npos);
    EXPECT_EQ(in_folder(latest, "replay trace.txt").status, 0);
    EXPECT_EQ(in_folder(latest, "sim scenario.toml --format json").json()["digest"], digest);
}

TEST(KeptSim, NamesTheFolderAndLinksToItByARelativePath) {
    Folder const folder;
    std::string const dir = folder / "runs";
    Ended const ended = ronde("sim article-4 --out " + dir);
    ASSERT_EQ(ended.status, 0) << ended.err;
    Names const runs = runs_in(dir);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(fs::read_symlink(dir + "/latest"), *runs.begin());
    EXPECT_EQ(ended.err, "folder: " + dir + "/" + *runs.begin() + "\n");
    EXPECT_THAT(*runs.begin(), testing::MatchesRegex("article-4-[0-9]{8}T[0-9]{6}Z"));
}

TEST(KeptSim, EqualRunsLeaveEqualFoldersWhateverTheClockSays) {
    Folder const folder;
    std::string const dir = folder / "runs";
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(ronde("sim root-dies --ranks 9 --set fault.0.at=100us --out " + dir).status, 1);
    Names const runs = runs_in(dir);
    ASSERT_EQ(runs.size(), 3U) << "several runs within one second have folders of their own";
    for (std::string const& run : runs) {
        for (std::string const& name : names_in(dir + "/" + *runs.begin()))
            EXPECT_EQ(content_of(dir + "/" + run + "/" + name), content_of(dir + "/" + *runs.begin() + "/" + name))
                << name;
    }
}

TEST(KeptSim, SaysWhatIsLeftOutOfALargeWorldAndHowToHaveIt) {
    Folder const folder;
    ASSERT_EQ(ronde("sim storm-4k --ranks 5000 --out " + (folder / "runs")).status, 0);
    std::string const latest = folder / "runs/latest";
    EXPECT_EQ(names_in(latest), (Names{"index.txt", "report.html", "results.json", "ring.svg", "scenario.toml",
                                       "storm.csv", "storm.svg"}));
    expect_honest_index(latest);
    std::string const index = content_of(latest + "/index.txt");
    std::string const left_out = index.substr(index.find("\nnot here:\n"));
    EXPECT_NE(left_out.find("ronde sim scenario.toml --trace trace.txt"), std::string::npos) << index;
    EXPECT_NE(left_out.find("ronde sim scenario.toml --tape tape"), std::string::npos) << index;
    EXPECT_NE(left_out.find("\nsequence.svg"), std::string::npos) << index;
}

TEST(KeptSim, ThatFailsLeavesItsFolderAndTheStoryOfTheGuilty) {
    Folder const folder;
    Ended const ended = ronde("sim missing-ranks --ranks 64 --set fault.0.ranks=17-18 --out " + (folder / "runs"));
    EXPECT_EQ(ended.status, 1);
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(content_of(latest + "/index.txt").find("missing-ranks: failed: of 64 ranks 62 ended with an error"), 0U);
    std::string const story = content_of(latest + "/sequence.svg");
    for (char const* const shown : {"rank 16<", "rank 17<", "rank 18<", "rank 19<"})
        EXPECT_NE(story.find(shown), std::string::npos) << shown;
    ASSERT_EQ(ronde("sim missing-ranks --ranks 64 --set fault.0.ranks=17-30 --out " + (folder / "runs")).status, 1);
    EXPECT_NE(content_of(latest + "/sequence.svg").find("rank 16<"), std::string::npos)
        << "however many are guilty, somebody who is not stands beside them";
}

TEST(KeptSim, OfAPersonsChoicesHasTheirTape) {
    Folder const folder;
    std::string const command = "printf '1\\nend\\n' | '" + ronde_path() +
                                "' sim lossy-management-network --ranks 3 --choose --out '" + (folder / "runs") + "'";
    Ended const ended = run({"sh", "-c", command});
    std::string const latest = folder / "runs/latest";
    std::string const digest = Json::parse(content_of(latest + "/results.json"))["digest"];
    EXPECT_NE(content_of(latest + "/tape").find("outcome " + digest), std::string::npos) << ended.err;
    EXPECT_EQ(in_folder(latest, "replay tape").status, 0);
    EXPECT_EQ(in_folder(latest, "replay trace.txt").status, 0);
}

TEST(KeptRun, HasItsCommandItsReportItsRingAndItsRecordings) {
    Folder const folder;
    Ended const ended = ronde("run -n 5 --format json --out " + (folder / "runs"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(content_of(latest + "/results.json"), ended.out);
    EXPECT_EQ(content_of(latest + "/command.txt").find("ronde run -n 5 --format json --out "), 0U);
    EXPECT_TRUE(fs::exists(latest + "/ring.svg") || fs::exists(latest + "/ring.dot"));
    EXPECT_NE(content_of(latest + "/sequence.svg").find("rank 4<"), std::string::npos);
    Ended const replayed = in_folder(latest, "replay recordings");
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_EQ(lines_of(replayed.out), 7U) << replayed.out;  // five ranks, the root, the rules of TCP
}

TEST(KeptRun, ThatFailsLeavesItsFolder) {
    Folder const folder;
    ASSERT_EQ(ronde("run -n 4 --in-process --deadline 200ms --fault never:2 --out " + (folder / "runs")).status, 1);
    expect_honest_index(folder / "runs/latest");
    EXPECT_EQ(Json::parse(content_of(folder / "runs/latest/results.json"))["verdict"], "failed");
}

TEST(KeptRun, OfAProgramHasWhatTheRootsSaw) {
    Folder const folder;
    ASSERT_EQ(ronde("run -n 2 --out " + (folder / "runs") + " -- " + hello_ring_path()).status, 0);
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(names_in(latest), (Names{"command.txt", "index.txt", "recordings", "report.html"}));
    EXPECT_EQ(names_in(latest + "/recordings").count("root-0.ronde"), 1U);
}

TEST(KeptRun, OfAJobThatOthersStartedIsLeftOnceByRankZero) {
    Folder const folder;
    std::string const dir = folder / "runs";
    ASSERT_EQ(ronde("run -n 3 --label never -- " + ronde_path() + " run --out " + dir).status, 0);
    EXPECT_EQ(runs_in(dir).size(), 1U);
    expect_honest_index(dir + "/latest");
    EXPECT_EQ(names_in(dir + "/latest/recordings"), Names{"rank-00000.ronde"});
    EXPECT_EQ(Json::parse(content_of(dir + "/latest/results.json"))["ranks"], 3);
}

TEST(KeptRun, OfAnIdOnTheCommandLineKeepsTheSecret) {
    Folder const folder;
    std::string const id = folder / "id";
    ASSERT_EQ(ronde("id new --at 127.0.0.1:1 " + id).status, 0);
    std::string text = content_of(id);
    text.erase(text.find_last_not_of('\n') + 1);
    ASSERT_EQ(text.find("ronde1-"), 0U);
    EXPECT_EQ(ronde("run --rank 0 --world-size 1 --deadline 100ms --out " + (folder / "runs") + " --id " + text).status,
              1);
    for (char const* const file : {"command.txt", "index.txt", "results.json"}) {
        std::string const content = content_of(folder / "runs/latest/" + file);
        EXPECT_NE(content, "") << file;
        EXPECT_EQ(content.find(text.substr(7, 20)), std::string::npos) << file;
    }
    EXPECT_NE(content_of(folder / "runs/latest/command.txt").find("--id ronde1-...\n"), std::string::npos);
}

TEST(KeptCheck, HasTheScriptsThatFailedAndTheWorldOfTheFirst) {
    Folder const folder;
    std::string const script = broken_script(folder);
    Ended const ended = ronde("check " + script + " --out " + (folder / "runs"));
    EXPECT_EQ(ended.status, 1) << ended.out;
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(content_of(latest + "/failures/refused.toml"), content_of(script));
    EXPECT_EQ(in_folder(latest, "check failures/refused.toml --no-picture").status, 1);
    EXPECT_EQ(in_folder(latest, "replay trace.txt").status, 0);
    EXPECT_NE(content_of(latest + "/sequence.svg").find("L1 at step"), std::string::npos) << "why it is a failure";
    EXPECT_EQ(Json::parse(content_of(latest + "/results.json"))["scripts"][0]["verdict"], "violated");
}

TEST(KeptCheck, ThatFindsNothingHasItsReport) {
    Folder const folder;
    ASSERT_EQ(ronde("check --cases 5 --ranks 3..5 --failures " + (folder / "failures") + " --out " + (folder / "runs"))
                  .status,
              0);
    EXPECT_EQ(names_in(folder / "runs/latest"), (Names{"index.txt", "results.json"}));
    Ended const merged = ronde("check --merge " + (folder / "runs/latest/results.json"));
    EXPECT_EQ(merged.status, 0) << merged.err;
}

TEST(KeptShrink, HasTheSmallScript) {
    Folder const folder;
    Ended const ended =
        ronde("shrink --continuations 0 " + broken_script(folder) + " --format json --out " + (folder / "runs"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(content_of(latest + "/failures/refused.small.toml"), content_of(folder / "refused.small.toml"));
    EXPECT_EQ(content_of(latest + "/results.json"), ended.out);
    EXPECT_EQ(ended.json()["after"]["ranks"], 1);
    EXPECT_EQ(ended.json()["after"]["faults"], 2);
}

TEST(KeptExplore, HasTheStoryInWordsAndAsAPicture) {
    Folder const folder;
    Ended const ended = ronde("explore --ranks 2 --profile article --given drop:1 --out " + (folder / "runs"));
    EXPECT_EQ(ended.status, 1);
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(content_of(latest + "/story.txt").find("L2: rank 0 waits for ever"), 0U);
    EXPECT_NE(content_of(latest + "/sequence.svg").find("waits for ever"), std::string::npos);
    ASSERT_EQ(ronde("explore --ranks 2 --out " + (folder / "runs")).status, 0);
    EXPECT_EQ(names_in(latest), (Names{"index.txt", "results.json"})) << "latest is the one that holds";
}

TEST(KeptSweep, HasItsTableItsPlotAndItsScenario) {
    Folder const folder;
    ASSERT_EQ(ronde("sweep storm-4k --vary ranks=16,32 --out " + (folder / "runs")).status, 0);
    std::string const latest = folder / "runs/latest";
    expect_honest_index(latest);
    EXPECT_EQ(names_in(latest),
              (Names{"index.txt", "plot.svg", "results.csv", "results.json", "scenario.toml", "storms.svg"}));
    EXPECT_EQ(lines_of(content_of(latest + "/results.csv")), 3U);
}

TEST(KeptRuns, ThatCannotBeKeptTellTheirResultsAllTheSame) {
    Folder const folder;
    std::string const dir = folder / "runs";
    fs::create_directories(dir + "/latest/in the way");
    for (char const* const command : {"sim article-4", "run -n 2 --in-process", "explore --ranks 2"}) {
        Ended const ended = ronde(std::string(command) + " --format json --out " + dir);
        EXPECT_EQ(ended.status, 3) << command;
        EXPECT_FALSE(ended.json().empty()) << command;
        EXPECT_NE(ended.err.find("--out: cannot let " + dir + "/latest point to"), std::string::npos) << ended.err;
    }
}

struct WrongOut {
    char const* name;
    char const* arguments;
    int status;
    char const* said;
};
class BadFolder : public testing::TestWithParam<WrongOut> {};

TEST_P(BadFolder, IsToldInOneLine) {
    Ended const ended = ronde(GetParam().arguments);
    EXPECT_EQ(ended.status, GetParam().status);
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_NE(ended.err.find(GetParam().said), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadFolder,
    testing::Values(WrongOut{"a_report", "sim article-4 --out report.json", 2, "-o FILE puts the report into a file"},
                    WrongOut{"a_file", "run -n 2 --out /dev/null", 2, "--out: /dev/null is a file"},
                    WrongOut{"nowhere", "run -n 2 --out /proc/runs", 3, "--out: cannot make the folder /proc/runs"}),
    [](testing::TestParamInfo<WrongOut> const& one) { return std::string(one.param.name); });

/// Waits until a file whose name begins so is made in `folder`. Empty when that cannot be watched.
std::string await_file(std::string const& folder, std::string const& beginning) {
    int const watcher = ::inotify_init1(IN_CLOEXEC);
    std::string found;
    if (watcher >= 0 && ::inotify_add_watch(watcher, folder.c_str(), IN_CREATE) >= 0) {
        for (;;) {
            Names const names = names_in(folder);
            auto const name = names.lower_bound(beginning);
            if (name != names.end() && name->starts_with(beginning)) {
                found = *name;
                break;
            }
            std::array<char, 4'096> events{};
            if (::read(watcher, events.data(), events.size()) <= 0)
                break;
        }
    }
    ::close(watcher);
    return found;
}

TEST(KeptRuns, ThatAreInterruptedLeaveNothingHalfWritten) {
    Folder const folder;
    std::string const dir = folder / "runs";
    fs::create_directory(dir);
    pid_t const child = ::fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "w", stdout) == nullptr)
            ::_exit(125);
        // Its trace takes far longer to write than a signal to arrive.
        ::execl(ronde_path().c_str(), "ronde", "sim", "lossy-management-network", "--ranks", "4096", "--out",
                dir.c_str(), nullptr);
        ::_exit(127);
    }
    ASSERT_GT(child, 0);
    std::string const run = dir + "/" + await_file(dir, "lossy");
    ASSERT_NE(await_file(run, "trace.txt."), "") << "its trace is being written";
    ASSERT_EQ(::kill(child, SIGINT), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ends as any interrupted program does";
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    EXPECT_EQ(names_in(run), (Names{"scenario.toml"})) << "whole files only, and no index";
    EXPECT_FALSE(fs::exists(dir + "/latest"));
}

}  // namespace
}  // namespace ronde::cli_test
