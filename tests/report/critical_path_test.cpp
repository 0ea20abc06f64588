/// The longest chain, in words.
#include "report/critical_path.hpp"

#include "report/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ronde::sim {
namespace {

/// Of three ranks and a root: rank 2 comes last, checks in, and has its answer.
CriticalPath some_path() {
    CriticalPath path;
    path.end_ns = 60;
    path.pieces = {{2, kNoProcess, Wait::start, 0, 10, 1},
                   {3, 2, Wait::travel, 10, 30, 1},
                   {3, kNoProcess, Wait::busy, 30, 35, 1},
                   {3, kNoProcess, Wait::service, 35, 40, 1},
                   {2, 3, Wait::travel, 40, 60, 1}};
    path.spent_ns = {10, 40, 5, 5, 0};
    path.slack_ns = {30, 20, 0, 0};
    return path;
}

TEST(CriticalPathText, SaysWhatTheTimeWasSpentOnAndWhoHadTime) {
    WorldPlan plan;
    plan.nranks = 3;
    CriticalPath const path = some_path();
    EXPECT_EQ(critical_path_text(path, plan),
              "critical path, 60 ns to the table of rank 2: start 10 ns, travel 40 ns, busy 5 ns, service 5 ns\n"
              "  at     0 ns     10 ns  rank 2 is not there yet\n"
              "  at    10 ns     20 ns  on the way from rank 2 to root 0\n"
              "  at    30 ns      5 ns  root 0 is busy with others\n"
              "  at    35 ns      5 ns  root 0 works on it\n"
              "  at    40 ns     20 ns  on the way from root 0 to rank 2\n"
              "slack of the ranks: none for 1, median 20 ns, most 30 ns\n");
}

TEST(CriticalPathJson, HasEachPieceAndTheSlackOfEachRank) {
    Outcome outcome;
    outcome.nranks = 3;
    outcome.nroots = 1;
    CriticalPath const path = some_path();
    auto const json = nlohmann::json::parse(outcome_json(outcome, {}, &path))["critical_path"];
    EXPECT_EQ(json["end_ns"], 60);
    EXPECT_EQ(json["process"], "rank 2");
    EXPECT_EQ(
        json["spent"],
        (nlohmann::json{{"start_ns", 10}, {"travel_ns", 40}, {"busy_ns", 5}, {"service_ns", 5}, {"timer_ns", 0}}));
    ASSERT_EQ(json["pieces"].size(), 5U);
    EXPECT_EQ(json["pieces"][1], (nlohmann::json{{"wait", "travel"},
                                                 {"process", "root 0"},
                                                 {"from", "rank 2"},
                                                 {"begin_ns", 10},
                                                 {"end_ns", 30},
                                                 {"steps", 1}}));
    EXPECT_EQ(json["pieces"][2]["from"], nullptr);
    EXPECT_EQ(json["slack"],
              (nlohmann::json{{"ranks_without", 1}, {"median_ns", 20}, {"most_ns", 30}, {"of_ranks_ns", {30, 20, 0}}}));
}

TEST(CriticalPathJson, IsThereOnlyIfItWasAskedFor) {
    CriticalPath const none;
    EXPECT_FALSE(nlohmann::json::parse(outcome_json({}, {})).contains("critical_path"));
    EXPECT_EQ(nlohmann::json::parse(outcome_json({}, {}, &none)).at("critical_path"), nullptr);
}

TEST(CriticalPathText, IsEmptyWithoutAPath) { EXPECT_EQ(critical_path_text({}, WorldPlan{}), ""); }

}  // namespace
}  // namespace ronde::sim
