/// The storm's numbers, against what a chronicle says.
#include "storm/storm_grid.hpp"
#include "storm/storm_svg.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace ronde::viz {
namespace {

TEST(Storm, AcceptsOfAllIntervalsAreTheAccepts) {
    Chronicle const told = stories::of_two();
    StormNumbers const numbers = storm_numbers(told);
    ASSERT_FALSE(numbers.accepts_per_second.empty());
    std::uint64_t accepts = 0;
    for (StormPoint const& rate : numbers.accepts_per_second)
        accepts += rate.value * static_cast<std::uint64_t>(numbers.rate_interval_ns);
    EXPECT_EQ(accepts, told.listener.back().accepts * static_cast<std::uint64_t>(protocol::kSecondNs));
}

TEST(Storm, QuantilesAreThoseOfTheRanks) {
    Chronicle told = stories::of_crowd(10);
    told.nroots = 2;
    told.processes.push_back({Process::Kind::root, kNoRank, 1, "root 1"});
    StormNumbers const numbers = storm_numbers(told);
    // Everybody checks in at r us and is registered at 50 + r us; ranks 0 and 5 are the first of their blocks.
    ASSERT_GE(numbers.phases.size(), 2U);
    EXPECT_EQ(numbers.phases[0].rank_class, "first of a block");
    EXPECT_EQ(numbers.phases[0].ranks, 2U);
    EXPECT_EQ(numbers.phases[1].rank_class, "others");
    EXPECT_EQ(numbers.phases[1].ranks, 8U);
    for (PhaseQuantiles const& phase : {numbers.phases[0], numbers.phases[1]}) {
        EXPECT_EQ(phase.phase, protocol::Phase::checking_in);
        EXPECT_EQ(phase.least_ns, 50 * protocol::kMicrosecondNs);
        EXPECT_EQ(phase.most_ns, 50 * protocol::kMicrosecondNs);
    }
}

TEST(Storm, QuantilesSpreadFromTheFirstToTheLast) {
    Chronicle told = stories::of_crowd(101);
    for (RankId rank = 0; rank < 101; ++rank) {
        auto& entered = told.ranks[rank].entered_ns;
        entered.fill(kNever);
        entered[static_cast<std::size_t>(protocol::Phase::gathering)] = 1'000;
        entered[static_cast<std::size_t>(protocol::Phase::ready)] = 1'000 + 1'000 * (100 - static_cast<TimeNs>(rank));
        told.processes[rank].host = 0;
    }
    StormNumbers const numbers = storm_numbers(told);
    ASSERT_EQ(numbers.phases.size(), 1U);
    EXPECT_EQ(numbers.phases[0].rank_class, "all ranks");
    EXPECT_EQ(numbers.phases[0].least_ns, 0);
    EXPECT_EQ(numbers.phases[0].median_ns, 50'000);
    EXPECT_EQ(numbers.phases[0].p99_ns, 99'000);
    EXPECT_EQ(numbers.phases[0].most_ns, 100'000);
}

TEST(Storm, UnequalHostsAreClassesOfTheirOwn) {
    Chronicle told = stories::of_crowd(5);  // hosts of 3 and of 2
    StormNumbers const numbers = storm_numbers(told);
    ASSERT_GE(numbers.phases.size(), 2U);
    EXPECT_EQ(numbers.phases[0].rank_class, "hosts of 2 ranks");
    EXPECT_EQ(numbers.phases[1].rank_class, "hosts of 3 ranks");
}

TEST(Storm, WithoutAListenerOnlyThePhasesAreDrawn) {
    Chronicle const told = stories::of_crowd(4);
    std::string const svg = storm_svg(told, storm_numbers(told));
    EXPECT_EQ(svg.find("accept queue of root 0</text>"), std::string::npos);
    EXPECT_NE(svg.find("time in each phase"), std::string::npos);
    EXPECT_EQ(svg, storm_svg(told, storm_numbers(told)));
}

// --- side by side ---------------------------------------------------------------------------------------------------

StormCell cell_with(std::string const& title, std::uint64_t depth, TimeNs end_ns) {
    StormCell cell{title, "full table", true, {}};
    cell.numbers.end_ns = end_ns;
    cell.numbers.queue_depth = {{0, 0}, {end_ns / 2, depth}, {end_ns, 0}};
    return cell;
}

std::size_t times_in(std::string const& svg, std::string const& text) {
    std::size_t times = 0;
    for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1))
        ++times;
    return times;
}

TEST(StormGrid, AllWorldsShareTheirAxes) {
    std::vector<StormCell> const cells = {cell_with("few", 3, 2'000'000), cell_with("many", 300, 8'000'000)};
    std::string const svg = storm_grid("a sweep", "", cells, 2);
    EXPECT_EQ(times_in(svg, ">300</text>"), 2U) << "the highest queue sets the scale of both";
    EXPECT_EQ(times_in(svg, ">8 ms</text>"), 2U) << "and the longest world the time";
    EXPECT_EQ(times_in(storm_grid("a sweep", "", std::span(cells).first(1), 1), ">300</text>"), 0U);
    EXPECT_EQ(svg, storm_grid("a sweep", "", cells, 2));
}

TEST(StormGrid, ABacklogThatNobodyCameNearDoesNotPressTheLinesToTheGround) {
    StormCell cell = cell_with("roomy", 90, 1'000'000);
    cell.numbers.backlog = 4'096;
    EXPECT_EQ(times_in(storm_grid("t", "", std::span(&cell, 1), 1), ">4 000</text>"), 0U);
    cell.numbers.backlog = 100;
    EXPECT_GT(times_in(storm_grid("t", "", std::span(&cell, 1), 1), "stroke-dasharray"),
              times_in(storm_grid("t", "", std::vector{cell_with("roomy", 90, 1'000'000)}, 1), "stroke-dasharray"));
}

TEST(StormGrid, AWorldThatCouldNotBeSaysWhyInItsPlace) {
    std::vector<StormCell> const cells = {
        cell_with("one", 3, 1'000), {"roots=9", "more roots than ranks", false, {}}, cell_with("three", 3, 1'000)};
    std::string const svg = storm_grid("t", "", cells, 3);
    EXPECT_LT(svg.find(">roots=9<"), svg.find(">more roots than ranks<"));
    EXPECT_LT(svg.find(">more roots than ranks<"), svg.find(">three<"));
    EXPECT_NE(svg.find("<text class=\"f-alarm\""), std::string::npos);
}

}  // namespace
}  // namespace ronde::viz
