/// Programs of the user's as ranks, and `ronde run` as a rank of somebody else's job.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace ronde::cli_test {
namespace {

std::vector<std::string> shell(std::string const& flags, std::string const& script) {
    std::vector<std::string> all = words("run " + flags + " --");
    all.insert(all.begin(), ronde_path());
    all.insert(all.end(), {"sh", "-c", script});
    return all;
}

std::multiset<std::string> line_set(std::string const& text) {
    std::istringstream stream(text);
    std::multiset<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.insert(line);
    return lines;
}

TEST(Program, FindsItsPlaceInTheEnvironment) {
    Ended const ended = run(shell("-n 3", "echo $RONDE_RANK $RONDE_WORLD_SIZE $RONDE_LOCAL_RANK $RONDE_LOCAL_SIZE"));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(line_set(ended.out), (std::multiset<std::string>{"0 3 0 3", "1 3 1 3", "2 3 2 3"}));
    EXPECT_EQ(ended.err, "");
}

TEST(Program, FindsAnIdFileThatOnlyItsUserMayReadAndThatGoesAfterwards) {
    Ended const ended = run(shell("-n 1", "stat -c '%a %n' $RONDE_ID_FILE"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    auto const parts = words(ended.out);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0], "600");
    EXPECT_FALSE(std::filesystem::exists(parts[1]));
}

TEST(Program, LabelsPutTheRankBeforeEachLine) {
    Ended const ended = run(shell("-n 2 --label always", "echo one; echo two >&2; printf three"));
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(line_set(ended.out), (std::multiset<std::string>{"[0] one", "[1] one", "[0] three", "[1] three"}));
    EXPECT_EQ(line_set(ended.err), (std::multiset<std::string>{"[0] two", "[1] two"}));
}

TEST(Program, ItsStatusIsPassedOn) {
    for (char const* const label : {"never", "always"}) {
        Ended const ended = run(shell(fmt::format("-n 3 --label {}", label), "exit $((RONDE_RANK == 1 ? 7 : 0))"));
        EXPECT_EQ(ended.status, 7);
        EXPECT_NE(ended.err.find("rank 1: exit status 7"), std::string::npos) << ended.err;
    }
}

TEST(Program, ASignalIsReportedWithItsRank) {
    Ended const ended = run(shell("-n 3", "test $RONDE_RANK = 2 && kill -9 $$; true"));
    EXPECT_EQ(ended.status, 137);
    EXPECT_EQ(ended.err, "ronde: rank 2: killed by SIGKILL\n");
}

TEST(Program, ARankThatPrintsWithoutEndDoesNotKeepTheLauncherFromItsSignals) {
    Folder const folder;
    std::string const fifo = folder / "flowing";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    // Rank 1 ends the job through the launcher, when the flood is in the middle of its way. Were rank 0 heard out
    // first, its flood would end by its own limit, and rank 0 by itself.
    Ended const ended = run(shell(
        "-n 2 --label always",
        fmt::format("if test $RONDE_RANK = 0; then timeout 20 yes | {{ head -c 1000000; echo > {0}; exec cat; }}; "
                    "else read line < {0}; kill -TERM $PPID; exec sleep 1000; fi",
                    fifo)));
    EXPECT_EQ(ended.status, 128 + 15) << ended.err;
    EXPECT_NE(ended.err.find("ronde: rank 0: killed by SIGTERM\n"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("ronde: rank 1: killed by SIGTERM\n"), std::string::npos) << ended.err;
}

TEST(Program, OneThatDoesNotExistIsReportedOnce) {
    Ended const ended = ronde("run -n 3 -- ./no-such-program");
    EXPECT_EQ(ended.status, 127);
    EXPECT_EQ(ended.err, "ronde: cannot start ./no-such-program: No such file or directory (ENOENT)\n");
}

TEST(Program, TheExampleFormsItsRing) {
    Ended const ended = ronde("run -n 4 -- " + hello_ring_path());
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out), 4U) << ended.out;
    EXPECT_NE(ended.out.find("all squares add up to 14"), std::string::npos) << ended.out;
}

TEST(Joining, RondeRunInsideOfRondeRunIsOneRankOfIt) {
    Ended const ended = ronde("run -n 5 -- " + ronde_path() + " run --format json");
    ASSERT_EQ(ended.status, 0) << ended.err;
    Json const json = ended.json();
    EXPECT_EQ(json["verdict"], "ready");
    EXPECT_EQ(json["ranks"], 5);
}

TEST(Joining, MpirunStartsTheRanks) {
    if (!installed("mpirun"))
        GTEST_SKIP() << "mpirun is not installed";
    std::vector<std::string> arguments = words("mpirun --allow-run-as-root --oversubscribe -n 8");
    arguments.insert(arguments.end(), {ronde_path(), "run", "--format", "json"});
    Ended const ended = run(arguments);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.json()["verdict"], "ready");
    EXPECT_EQ(ended.json()["ranks"], 8);

    arguments.resize(arguments.size() - 4);
    arguments.push_back(hello_ring_path());
    Ended const example = run(arguments);
    EXPECT_EQ(example.status, 0) << example.err;
    EXPECT_EQ(lines_of(example.out), 8U) << example.out;
}

TEST(Joining, RanksAndRootStartedByHandMeetThroughAnIdFile) {
    Folder const folder;
    std::string const file = folder / "job.id";
    // Port 0 cannot be written into an id beforehand, so the root's own new id is used: its file appears in one step.
    Ended root;
    std::thread holder([&] { root = ronde("root --listen loopback --ranks 2 --id " + file); });
    std::string const join = fmt::format("run --world-size 2 --id {} ", file);
    Ended first;
    std::thread rank([&] { first = ronde(join + "--rank 0 --format json"); });
    Ended const second = ronde(join + "--rank 1");
    rank.join();
    holder.join();
    EXPECT_EQ(root.status, 0) << root.err;
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(first.json()["verdict"], "ready");
    EXPECT_EQ(second.out, "");
    EXPECT_EQ(root.out, "over: 2 ranks were served\n");
}

TEST(Joining, AnIdFileThatNeverComesIsWaitedForUntilTheDeadlineAndNamed) {
    Folder const folder;
    std::string const file = folder / "job.id";
    Ended const ended = ronde(fmt::format("run --rank 0 --world-size 2 --deadline 50ms --id {}", file));
    EXPECT_EQ(ended.status, 3);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err,
              fmt::format("ronde run: --id: waiting up to 50.0 ms for {0}\n"
                          "ronde run: --id: {0} is not there after 50.0 ms: start the root (ronde root --id {0}), "
                          "or say where its id file is\n",
                          file));
}

TEST(Root, GivesUpAtItsDeadlineAndNamesTheMissing) {
    Ended const ended = ronde("root --listen loopback --ranks 3 --deadline 200ms");
    EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
    EXPECT_NE(ended.err.find("3 ranks never came: 0-2"), std::string::npos) << ended.err;
}

TEST(Id, ShowsWhatEverybodyMayKnow) {
    Folder const folder;
    std::string const file = folder / "fixed.id";
    ASSERT_EQ(ronde("id new --at 127.0.0.1:47123,127.0.0.1:47124 " + file).status, 0);
    EXPECT_EQ(std::filesystem::status(file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::ifstream stream(file);
    std::string text;
    stream >> text;
    ASSERT_EQ(text.rfind("ronde1-", 0), 0U);

    Ended const by_file = ronde("id show " + file);
    EXPECT_EQ(by_file.status, 0) << by_file.err;
    EXPECT_NE(by_file.out.find("127.0.0.1:47123"), std::string::npos) << by_file.out;
    EXPECT_NE(by_file.out.find("127.0.0.1:47124"), std::string::npos) << by_file.out;
    EXPECT_EQ(by_file.out.find(text.substr(7)), std::string::npos);
    EXPECT_EQ(ronde("id show " + text).out, by_file.out);
}

}  // namespace
}  // namespace ronde::cli_test
