/// `ronde run` when something dies, never comes, or does not fit: everybody else says so, by name.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ronde::cli_test {
namespace {

/// The error of each rank, by rank.
std::map<std::uint32_t, Json> errors_of(Json const& json) {
    std::map<std::uint32_t, Json> errors;
    for (Json const& error : json["errors"]) {
        for (char const* const key : {"rank", "phase", "code", "about", "message"})
            EXPECT_TRUE(error.contains(key)) << key;
        EXPECT_TRUE(errors.emplace(error["rank"], error).second) << "rank " << error["rank"] << " twice";
    }
    return errors;
}

class KilledIn : public testing::TestWithParam<char const*> {};

TEST_P(KilledIn, EveryOtherRankEndsAndNamesTheDeadOne) {
    // Gather doubling goes through all phases; the deadline is long, so that only the death can end the run.
    std::string const phase = GetParam();
    Ended const ended =
        ronde(fmt::format("run -n 8 --gather doubling --deadline 2s --fault kill:5@{} --format json", phase));
    ASSERT_EQ(ended.status, 1) << ended.out << ended.err;
    Json const json = ended.json();
    EXPECT_EQ(json["verdict"], "failed");
    auto const errors = errors_of(json);
    ASSERT_EQ(errors.size(), 8U) << ended.out;
    EXPECT_EQ(errors.at(5)["code"], "killed");
    EXPECT_EQ(errors.at(5)["phase"], phase);
    EXPECT_NE(errors.at(5)["message"].get<std::string>().find("SIGKILL"), std::string::npos);
    for (auto const& [rank, error] : errors) {
        EXPECT_NE(error["code"], "hung") << error;
        EXPECT_EQ(error["about"], 5) << error;
        EXPECT_TRUE(rank == 5 || error["message"].get<std::string>().find('5') != std::string::npos) << error;
    }
}

INSTANTIATE_TEST_SUITE_P(Phases, KilledIn,
                         testing::Values("listening", "checking_in", "awaiting_successor", "connecting_ring",
                                         "gathering", "committing"),
                         [](auto const& test) { return std::string(test.param); });

TEST(Failure, ALostRootIsNamedByEveryRank) {
    for (char const* const where : {"", " --in-process"}) {
        Ended const ended = ronde(fmt::format("run -n 8 --deadline 2s --fault kill-root@3 --format json{}", where));
        ASSERT_EQ(ended.status, 1) << ended.out << ended.err;
        auto const errors = errors_of(ended.json());
        ASSERT_EQ(errors.size(), 8U);
        for (auto const& [rank, error] : errors)
            EXPECT_EQ(error["code"], "root_lost") << rank << ": " << error;
    }
}

class Missing : public testing::TestWithParam<std::pair<char const*, std::set<std::uint32_t>>> {};

TEST_P(Missing, RanksAreNamedAndNoOther) {
    auto const& [list, ranks] = GetParam();
    for (char const* const where : {"", " --in-process"}) {
        Ended const ended =
            ronde(fmt::format("run -n 8 --deadline 400ms --fault never:{} --format json{}", list, where));
        ASSERT_EQ(ended.status, 1) << ended.out << ended.err;
        auto const errors = errors_of(ended.json());
        ASSERT_EQ(errors.size(), 8U);
        for (auto const& [rank, error] : errors) {
            if (ranks.count(rank) != 0) {
                EXPECT_EQ(error["code"], "never_started");
                continue;
            }
            EXPECT_EQ(error["code"], "ranks_missing") << error;
            EXPECT_EQ(error["about"], *ranks.begin());
            std::string const message = error["message"];
            EXPECT_EQ(message.substr(message.rfind(": ") + 2), list) << message;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, Missing,
                         testing::Values(std::pair("0", std::set<std::uint32_t>{0}),
                                         std::pair("7", std::set<std::uint32_t>{7}),
                                         std::pair("3-4", std::set<std::uint32_t>{3, 4})),
                         [](auto const& test) {
                             return test.index == 0 ? "First" : test.index == 1 ? "Last" : "TwoInTheMiddle";
                         });

TEST(Failure, ADeviceClaimedTwiceIsRefusedAndBothRanksAreNamed) {
    Ended const ended = ronde("run -n 4 --devices 0,1,2,1 --deadline 5s");
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.err.find("ranks 1 and 3 claim the same device of one host"), std::string::npos) << ended.err;
}

TEST(Failure, ManyRanksWithOneCauseMakeOneLineWithItsRemedy) {
    Ended const ended = ronde("run -n 32 --deadline 400ms --fault never:9");
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.err.find("31 ranks (0-8, 10-31): "), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("  -> "), std::string::npos) << ended.err;
    EXPECT_LE(lines_of(ended.err), 4U) << ended.err;
    EXPECT_EQ(ended.out.find("failed: 32 of 32 ranks"), 0U) << ended.out;
}

TEST(Failure, AProfileThatWaitsForEverIsEndedFromOutsideAndSaysWhere) {
    Ended const ended = ronde("run -n 4 --profile nccl --deadline 200ms --fault never:2 --format json");
    ASSERT_EQ(ended.status, 1);
    auto const errors = errors_of(ended.json());
    ASSERT_EQ(errors.size(), 4U);
    EXPECT_EQ(errors.at(0)["code"], "hung") << errors.at(0);
    EXPECT_NE(errors.at(0)["message"].get<std::string>().find("hung in phase "), std::string::npos);
}

TEST(Failure, ARankThatStopsIsNotWaitedForLongerThanTheDeadline) {
    Ended const ended = ronde("run -n 4 --deadline 500ms --fault stop:2@connecting_ring --format json");
    ASSERT_EQ(ended.status, 1);
    auto const errors = errors_of(ended.json());
    ASSERT_EQ(errors.size(), 4U) << ended.out;
    EXPECT_EQ(errors.at(2)["code"], "hung");
    for (std::uint32_t const rank : {0U, 1U, 3U}) {
        EXPECT_NE(errors.at(rank)["code"], "hung") << errors.at(rank);
        EXPECT_EQ(errors.at(rank)["about"], 2) << errors.at(rank);
    }
}

TEST(Failure, AFaultThatCouldNotHappenIsMentioned) {
    Ended const ended = ronde("run -n 4 --fault kill:1@delayed");
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.err.find("rank 1 never entered that phase"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace ronde::cli_test
