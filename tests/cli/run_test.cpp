/// `ronde run` when all goes well.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ronde::cli_test {
namespace {

void expect_ready(Json const& json, std::uint64_t ranks) {
    EXPECT_EQ(json["verdict"], "ready");
    EXPECT_EQ(json["ranks"], ranks);
    EXPECT_EQ(json["errors"], Json::array());
    EXPECT_EQ(json["table_digest"].get<std::string>().size(), 32U);
    EXPECT_GT(json["time_to_table_ns"].get<std::int64_t>(), 0);
    EXPECT_GE(json["messages"].get<std::uint64_t>(), ranks);
    EXPECT_GE(json["bytes"].get<std::uint64_t>(), ranks * 64);
    EXPECT_GE(json["cpu_s"].get<double>(), 0.0);
    EXPECT_GT(json["peak_rss_bytes"].get<std::uint64_t>(), 0U);
}

TEST(Run, SixtyFourProcessesFormARingAndSayWhatItTook) {
    Ended const ended = ronde("run -n 64 --format json");
    ASSERT_EQ(ended.status, 0) << ended.err;
    Json const json = ended.json();
    expect_ready(json, 64);
    EXPECT_EQ(json["profile"], "ronde");
    EXPECT_EQ(ended.err, "");
    for (auto const& [name, times] : json["phases"].items()) {
        EXPECT_LE(times["min_ns"], times["median_ns"]) << name;
        EXPECT_LE(times["median_ns"], times["max_ns"]) << name;
        EXPECT_LT(times["slowest_rank"], 64) << name;
    }
    EXPECT_TRUE(json["phases"].contains("checking_in"));
    EXPECT_TRUE(json["phases"].contains("connecting_ring"));
}

TEST(Run, TextSaysTheSameToPeople) {
    Ended const ended = ronde("run -n 4");
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.out.find("ready: 4 ranks in a ring (profile ronde, gather star, 1 root)\n"), 0U) << ended.out;
    EXPECT_NE(ended.out.find("table digest  "), std::string::npos);
    EXPECT_NE(ended.out.find("slowest"), std::string::npos);
    EXPECT_EQ(ended.err, "");
}

TEST(Run, OneRankIsARing) { expect_ready(ronde("run -n 1 --format json").json(), 1); }

class Shape : public testing::TestWithParam<char const*> {};

TEST_P(Shape, IsReadyInProcessesAndInOne) {
    for (char const* const where : {"", " --in-process"}) {
        Ended const ended = ronde(fmt::format("run -n 8 --format json {}{}", GetParam(), where));
        EXPECT_EQ(ended.status, 0) << GetParam() << where << ": " << ended.out << ended.err;
        expect_ready(ended.json(), 8);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Shape,
                         testing::Values("--profile article", "--profile nccl", "--profile nccl --roots 2", "--roots 3",
                                         "--gather star", "--gather doubling", "--gather ring", "--gather ring2",
                                         "--no-auth", "--ipv6", "--interface lo", "--max-io-bytes 1",
                                         "--no-device-check --devices 0,0,0,0,0,0,0,0"),
                         [](auto const& test) {
                             std::string name;
                             for (char const c : std::string(test.param))
                                 name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             return name;
                         });

TEST(Run, VerbsAfterReadyAreMeasuredAndTheirContentsChecked) {
    for (char const* const where : {"", " --in-process"}) {
        Ended const ended =
            ronde(fmt::format("run -n 5 --barrier 4 --all-gather 4KiB --repeat 3 --format json{}", where));
        ASSERT_EQ(ended.status, 0) << ended.err;
        Json const json = ended.json();
        expect_ready(json, 5);
        EXPECT_EQ(json["all_gathers"], 3);
        EXPECT_EQ(json["all_gather_bytes"], 4096);
        EXPECT_GT(json["all_gather_ns"], 0);
        EXPECT_EQ(json["barriers"], 4);
        EXPECT_GT(json["barrier_ns"], 0);
    }
}

TEST(Run, ALateRankIsWaitedFor) {
    for (char const* const where : {"", " --in-process"}) {
        Json const json = ronde(fmt::format("run -n 4 --fault late:2=60ms --format json{}", where)).json();
        expect_ready(json, 4);
        EXPECT_GE(json["time_to_table_ns"].get<std::int64_t>(), 60'000'000);
    }
}

TEST(Run, ARecordingReplaysToTheSameStates) {
    Folder const folder;
    std::string const records = folder / "records";
    ASSERT_EQ(ronde("run -n 5 --roots 2 --record " + records).status, 0);
    Ended const replayed = ronde("replay " + records);
    EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
    for (char const* const machine : {"rank-00000", "rank-00004", "root-0", "root-1"})
        EXPECT_NE(replayed.out.find(machine), std::string::npos) << replayed.out;
}

TEST(Run, ADamagedRecordingIsNotReplayed) {
    Folder const folder;
    std::string const records = folder / "records";
    ASSERT_EQ(ronde("run -n 2 --record " + records).status, 0);
    {
        std::fstream file(records + "/rank-00001.ronde",
                          std::ios::in | std::ios::out | std::ios::binary | std::ios::ate);
        auto const size = static_cast<std::streamoff>(file.tellg());
        file.seekg(size / 2);
        char const byte = static_cast<char>(file.get());
        file.seekp(size / 2);
        file.put(static_cast<char>(byte ^ 1));
    }
    Ended const replayed = ronde("replay " + records);
    EXPECT_EQ(replayed.status, 1) << replayed.out << replayed.err;
    EXPECT_NE(replayed.out.find("rank-00001"), std::string::npos) << replayed.out;
}

TEST(Run, GraphvizDrawsThePictures) {
    Folder const folder;
    ASSERT_EQ(ronde("run -n 12 --roots 2 --dot " + (folder / "ready.dot")).status, 0);
    ASSERT_EQ(ronde("run -n 4 --deadline 300ms --fault never:1 --dot " + (folder / "failed.dot")).status, 1);
    if (!installed("neato"))
        GTEST_SKIP() << "neato is not installed";
    for (char const* const name : {"ready", "failed"}) {
        std::string const svg = folder / (std::string(name) + ".svg");
        Ended const drawn = run({"neato", "-n2", "-Tsvg", "-o", svg, folder / (std::string(name) + ".dot")});
        EXPECT_EQ(drawn.status, 0) << drawn.err;
        EXPECT_EQ(drawn.err, "");
        EXPECT_GT(std::filesystem::file_size(svg), 1'000U);
    }
}

}  // namespace
}  // namespace ronde::cli_test
