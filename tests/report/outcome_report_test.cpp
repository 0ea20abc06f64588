/// The whole report, byte by byte where people read it, key by key where programs do.
#include "golden.hpp"
#include "made_up.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ronde::sim {
namespace {

using Json = nlohmann::json;

TEST(Report, OfARingThatStands) { expect_golden("ready.txt", outcome_text(ready_outcome(), some_costs())); }
TEST(Report, OfARingThatDoesNot) { expect_golden("failed.txt", outcome_text(failed_outcome(), some_costs())); }

TEST(Report, AsJsonHasTheKeysOfARealRunAndItsOwn) {
    Json const json = Json::parse(outcome_json(ready_outcome(), some_costs()));
    EXPECT_EQ(json["verdict"], "ready");
    EXPECT_EQ(json["ranks"], 1'000);
    EXPECT_EQ(json["profile"], "ronde");
    EXPECT_EQ(json["gather"], "doubling");
    EXPECT_EQ(json["roots"], 2);
    EXPECT_EQ(json["seed"], 7);
    EXPECT_EQ(json["digest"], "0123456789abcdeffedcba9876543210");
    EXPECT_EQ(json["time_to_table_ns"], 1'234'567'890);
    EXPECT_EQ(json["time_to_ready_ns"], 1'300'000'000);
    EXPECT_EQ(json["phases"]["checking_in"]["max_ns"], 1'000'000'000);
    EXPECT_EQ(json["phases"]["checking_in"]["slowest_rank"], 999);
    EXPECT_EQ(json["phases"]["gathering"]["median_ns"], 340'000);
    EXPECT_EQ(json["messages"], 30'000);
    EXPECT_EQ(json["messages_by_kind"], Json({{"check_in", 1'000}}));
    EXPECT_EQ(json["storm"]["syn_drops"], 300);
    EXPECT_EQ(json["storm"]["queue_depth"], Json::parse("[[0, 0], [1000, 129]]"));
    EXPECT_EQ(json["simulated_s"], 61.3);
    EXPECT_EQ(json["wall_s"], 0.5);
    EXPECT_EQ(json["events_per_s"], 4'000'000);
    EXPECT_EQ(json["bytes_per_rank"], 512);
    EXPECT_EQ(json["peak_rss_bytes"], 64 << 20);
    EXPECT_EQ(json["errors"], Json::array());
}

TEST(Report, AsJsonTellsEveryRanksErrorAndTheirCauses) {
    Json const json = Json::parse(outcome_json(failed_outcome(), some_costs()));
    EXPECT_EQ(json["verdict"], "failed");
    EXPECT_TRUE(json["time_to_table_ns"].is_null());
    ASSERT_EQ(json["errors"].size(), 16U);
    Json const& lost = json["errors"][0];
    EXPECT_EQ(lost["code"], "rank_lost");
    EXPECT_EQ(lost["about"], 7);
    EXPECT_EQ(lost["phase"], "awaiting_successor");
    EXPECT_EQ(lost["at_ns"], 1'000'000'000);
    EXPECT_EQ(json["errors"][3]["code"], "never_started");
    EXPECT_EQ(json["errors"][7]["code"], "killed");
    EXPECT_EQ(json["errors"][8]["code"], "hung");
    EXPECT_EQ(json["causes"][0]["ranks"], Json::parse("[[3, 4]]"));
    EXPECT_EQ(json["causes"][2]["count"], 9);
}

TEST(Report, ABrokenPromiseIsNoReadyRing) {
    Outcome outcome = ready_outcome();
    outcome.broken = "rank 5 is ready with 7 of 8 entries";
    EXPECT_EQ(Json::parse(outcome_json(outcome, some_costs()))["verdict"], "failed");
    std::string const text = outcome_text(outcome, some_costs());
    EXPECT_EQ(text.find("failed: "), 0U) << text;
    EXPECT_NE(text.find("rank 5 is ready with 7 of 8 entries: this is a bug"), std::string::npos) << text;
}

TEST(Report, AsCsvHasACellForEachColumn) {
    std::string const head = outcome_csv_head();
    std::string const row = outcome_csv_row(failed_outcome(), some_costs());
    EXPECT_EQ(std::count(head.begin(), head.end(), ','), std::count(row.begin(), row.end(), ','));
    EXPECT_EQ(head.find("verdict,ranks,roots,profile,gather,seed,time_to_table_ns,"), 0U) << head;
    EXPECT_EQ(row.find("failed,16,1,ronde,star,0,,,2000000000,"), 0U) << row;
}

}  // namespace
}  // namespace ronde::sim
