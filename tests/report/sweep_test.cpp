/// Sweeps: all combinations in order, whoever runs them; and what cannot be is said in its row.
#include "report/sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ronde::sim {
namespace {

std::vector<Axis> axes_of(std::initializer_list<char const*> texts) {
    std::vector<Axis> axes;
    for (char const* const text : texts) {
        auto axis = axis_from(text);
        EXPECT_TRUE(axis) << axis.error();
        axes.push_back(*axis);
    }
    return axes;
}

/// Without wall time, which is nobody's promise.
std::string lasting(std::span<Axis const> axes, std::vector<SweepRow> rows) {
    for (SweepRow& row : rows)
        row.costs = {};
    return sweep_csv(axes, rows) + sweep_text(axes, rows);
}

TEST(Sweep, RunsAllCombinationsTheLastKeyFastest) {
    auto const axes = axes_of({"ranks=4,8", "profile=ronde,article"});
    auto const rows = run_sweep(WorldPlan(), axes, 1, {});
    ASSERT_TRUE(rows) << rows.error();
    ASSERT_EQ(rows->size(), 4U);
    EXPECT_EQ((*rows)[1].values, (std::vector<std::string>{"4", "article"}));
    EXPECT_EQ((*rows)[2].values, (std::vector<std::string>{"8", "ronde"}));
    for (SweepRow const& row : *rows) {
        ASSERT_TRUE(row.outcome);
        EXPECT_TRUE(row.outcome->all_ready());
        EXPECT_EQ(row.outcome->nranks, row.values[0] == "4" ? 4U : 8U);
        EXPECT_EQ(name_of(row.outcome->policies.profile), row.values[1]);
    }
}

TEST(Sweep, DoesNotDependOnItsThreads) {
    auto const axes = axes_of({"ranks=4,9,30,64", "network.same_rack=20us,uniform 10us..50us", "seed=1,2"});
    std::size_t reports = 0;
    auto const alone = run_sweep(WorldPlan(), axes, 1, [&](std::size_t, std::size_t of) { reports += of == 16; });
    auto const together = run_sweep(WorldPlan(), axes, 4, {});
    ASSERT_TRUE(alone && together);
    EXPECT_EQ(lasting(axes, *alone), lasting(axes, *together));
    EXPECT_EQ(reports, 16U);
}

TEST(Sweep, ACombinationThatCannotBeIsARowThatSaysSo) {
    auto const axes = axes_of({"ranks=4,8", "roots=1,6"});
    auto const rows = run_sweep(WorldPlan(), axes, 2, {});
    ASSERT_TRUE(rows) << rows.error();
    EXPECT_FALSE((*rows)[1].outcome);
    EXPECT_NE((*rows)[1].problem.find("roots"), std::string::npos) << (*rows)[1].problem;
    EXPECT_TRUE((*rows)[3].outcome);
    EXPECT_NE(sweep_text(axes, *rows).find("not run: " + (*rows)[1].problem), std::string::npos);
    auto const json = nlohmann::json::parse(sweep_json(axes, *rows));
    EXPECT_EQ(json[1]["problem"], (*rows)[1].problem);
    EXPECT_TRUE(json[1]["outcome"].is_null());
    EXPECT_EQ(json[3]["outcome"]["ranks"], 8);
}

TEST(Sweep, EveryLineOfItsCsvHasTheSameCells) {
    auto const axes = axes_of({"ranks=4,8", "roots=1,6"});
    auto const rows = run_sweep(WorldPlan(), axes, 1, {});
    ASSERT_TRUE(rows);
    std::istringstream lines(sweep_csv(axes, *rows));
    std::set<std::ptrdiff_t> commas;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        // A quoted cell may hold commas of its own.
        bool quoted = false;
        commas.insert(std::count_if(line.begin(), line.end(), [&](char c) {
            quoted ^= c == '"';
            return c == ',' && !quoted;
        }));
    }
    EXPECT_EQ(count, 5U);
    EXPECT_EQ(commas.size(), 1U);
}

TEST(Sweep, AnUnknownKeyIsNoSweep) {
    auto const rows = run_sweep(WorldPlan(), axes_of({"rnaks=4"}), 1, {});
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error(), "rnaks: no such key; did you mean ranks?");
    EXPECT_FALSE(axis_from("ranks"));
    EXPECT_FALSE(axis_from("ranks=4,,8"));
}

TEST(Sweep, DrawsALineForEachCombinationOfTheOtherKeys) {
    auto const axes = axes_of({"profile=ronde,article", "ranks=4,8,16"});
    auto const rows = run_sweep(WorldPlan(), axes, 2, {});
    ASSERT_TRUE(rows);
    auto const svg = sweep_svg("small", axes, *rows);
    ASSERT_TRUE(svg) << svg.error();
    EXPECT_NE(svg->find(">profile ronde</text>"), std::string::npos);
    EXPECT_NE(svg->find(">profile article</text>"), std::string::npos);
    EXPECT_NE(svg->find(">ranks</text>"), std::string::npos);
    auto const words = axes_of({"profile=ronde,article"});
    EXPECT_FALSE(sweep_svg("small", words, *run_sweep(WorldPlan(), words, 1, {})));
}

}  // namespace
}  // namespace ronde::sim
