/// `ronde replay` of what processes did over real sockets: it asks the kernel, too.
#include "cli/program.hpp"
#include "doctored.hpp"

#include <gtest/gtest.h>

namespace ronde::conformance {
namespace {

using cli_test::Folder;

/// Runs, records, and replays; the run ends with `status`.
void expect_conforms(std::string const& arguments, int status) {
    Folder const folder;
    auto const ran = cli_test::ronde("run " + arguments + " --record " + (folder / "rec"));
    EXPECT_EQ(ran.status, status) << arguments << "\n" << ran.err;
    auto const replayed = cli_test::ronde("replay " + (folder / "rec"));
    EXPECT_EQ(replayed.status, 0) << arguments << "\n" << replayed.out << replayed.err;
    EXPECT_NE(replayed.out.find(": all as a TCP does it\n"), std::string::npos) << replayed.out;
}

TEST(Processes, ConformWhateverGoesWrong) {
    expect_conforms("-n 5 --max-io-bytes 1", 0);
    expect_conforms("-n 6 --roots 3 --gather ring2 --all-gather 4KiB --barrier 3", 0);
    expect_conforms("-n 4 --profile nccl", 0);
    expect_conforms("-n 5 --gather doubling --deadline 3s --fault kill:2@gathering", 1);
    expect_conforms("-n 5 --max-io-bytes 1 --deadline 3s --fault kill:1@connecting_ring", 1);
    expect_conforms("-n 4 --deadline 1s --fault never:3", 1);
    expect_conforms("-n 4 --deadline 1s --fault stop:2@committing", 1);
    expect_conforms("-n 4 --deadline 2s --fault kill-root@4", 1);
}

TEST(Processes, WhoseFolderHoldsRecordingsOfAnEarlierRunConform) {
    Folder const folder;
    ASSERT_EQ(cli_test::ronde("run -n 6 --gather doubling --record " + (folder / "rec")).status, 0);
    ASSERT_EQ(cli_test::ronde("run -n 3 --gather doubling --record " + (folder / "rec")).status, 0);
    auto const replayed = cli_test::ronde("replay " + (folder / "rec"));
    EXPECT_EQ(replayed.status, 0) << replayed.out;
    EXPECT_NE(replayed.out.find("in 7 recordings"), std::string::npos) << replayed.out;
}

TEST(Processes, OfWhichOneRecordingWasChangedDoNot) {
    Folder const folder;
    ASSERT_EQ(cli_test::ronde("run -n 3 --record " + (folder / "rec")).status, 0);
    Recording rank = load_recording(folder / "rec", "rank-00001.ronde");
    std::size_t const table = rank.find([](protocol::Event const& event) {
        return event.kind == protocol::EventKind::frame && event.frame.kind == protocol::FrameKind::slices;
    });
    ASSERT_LT(table, rank.events.size());
    rank.insert(table + 1U, rank.events[table]);
    record_again(folder / "rec", rank);
    auto const replayed = cli_test::ronde("replay " + (folder / "rec"));
    EXPECT_EQ(replayed.status, 1) << replayed.out;
    EXPECT_NE(replayed.out.find("rank-00001.ronde, event "), std::string::npos) << replayed.out;
    EXPECT_NE(replayed.out.find(": never-sent: slices on root(0), frame 3 from root 0"), std::string::npos)
        << replayed.out;
}

}  // namespace
}  // namespace ronde::conformance
