/// Traces, and finding the step where two worlds part.
#include "report/trace.hpp"

#include "scenario/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::sim {
namespace {

namespace fs = std::filesystem;

std::string trace_of(WorldPlan const& plan, Outcome* outcome = nullptr) {
    std::string pattern = (fs::temp_directory_path() / "trace-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    std::string const path = pattern + "/trace";
    {
        AtomicFile file(path);
        TraceWriter writer(file, plan);
        World world(plan);
        world.watch(writer);
        Outcome const end = world.run();
        if (outcome != nullptr)
            *outcome = end;
        writer.finish();
        EXPECT_TRUE(file.commit()) << file.error();
    }
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    fs::remove_all(pattern);
    return text.str();
}

TEST(Trace, HasALineForEachStepBetweenAHeadAndAnEnd) {
    auto const plan = load_scenario("article-4");
    ASSERT_TRUE(plan) << plan.error();
    Outcome outcome;
    std::istringstream lines(trace_of(*plan, &outcome));
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "ronde-trace 1 article-4 seed=1 ranks=4 roots=1");
    std::string scenario;
    while (std::getline(lines, line) && line.starts_with("plan "))
        scenario += line.substr(5) + "\n";
    EXPECT_EQ(scenario, write_scenario(*plan));
    std::uint64_t steps = 0;
    TimeNs last_ns = 0;
    for (; lines && !line.starts_with("end "); std::getline(lines, line)) {
        std::istringstream words(line);
        std::uint64_t number = 0;
        TimeNs now_ns = 0;
        words >> number >> now_ns;
        ASSERT_EQ(number, ++steps) << line;
        ASSERT_GE(now_ns, last_ns) << line;
        last_ns = now_ns;
    }
    EXPECT_EQ(steps, outcome.steps);
    EXPECT_EQ(line.find("end " + std::to_string(steps) + " steps "), 0U) << line;
}

TEST(Trace, OfTheSamePlanIsTheSame) {
    WorldPlan plan;
    plan.nranks = 9;
    plan.network.same_rack = Distribution::uniform(10'000, 50'000);
    EXPECT_EQ(trace_of(plan), trace_of(plan));
    WorldPlan other = plan;
    other.seed = 2;
    EXPECT_NE(trace_of(plan), trace_of(other));
}

TEST(Trace, ShowsFaults) {
    WorldPlan plan;
    plan.nranks = 4;
    Fault fault;
    fault.ranks = {{2, 1}};
    fault.when.rank = 2;
    fault.when.phase = protocol::Phase::connecting_ring;
    plan.faults.push_back(fault);
    EXPECT_NE(trace_of(plan).find("\nfault "), std::string::npos);
}

/// A trace without its head.
std::string steps_of(std::string const& trace) { return trace.substr(trace.find("\n1 ") + 1); }

WorldMaker maker_of(WorldPlan const& plan) {
    return [plan] { return std::make_unique<World>(plan); };
}

TEST(Determinism, TheSameWorldHasNoDifference) {
    WorldPlan plan;
    plan.nranks = 6;
    EXPECT_FALSE(first_difference(maker_of(plan), maker_of(plan)));
}

TEST(Determinism, TheFirstStepThatDiffersIsNamedFromBothSides) {
    // The second world is the first one but for rank 3, whose process starts a millisecond later.
    WorldPlan plan;
    plan.nranks = 6;
    WorldPlan late = plan;
    Fault fault;
    fault.kind = FaultKind::late;
    fault.ranks = {{3, 1}};
    fault.duration_ns = kMillisecondNs;
    late.faults.push_back(fault);
    auto const difference = first_difference(maker_of(plan), maker_of(late));
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->first, "0 3 start created>listening listen ring accept ring*4") << difference->second;
    EXPECT_NE(difference->second, difference->first);

    // The trace says the same: all lines before that step are equal.
    std::istringstream a(steps_of(trace_of(plan))), b(steps_of(trace_of(late)));
    std::string x, y;
    std::uint64_t equal = 0;
    while (std::getline(a, x) && std::getline(b, y) && x == y)
        ++equal;
    EXPECT_EQ(equal + 1, difference->step);
}

}  // namespace
}  // namespace ronde::sim
