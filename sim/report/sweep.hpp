/// One scenario with some of its keys varied: every combination is a world of its own.
#pragma once

#include "report/report.hpp"
#include "scenario/values.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {

/// A key of the scenario and the values that it takes in turn.
struct Axis {
    std::string key;
    std::vector<std::string> values;
};
/// "ranks=1k,8k,98k". Commas part the values, so a key whose values have commas of their own cannot be varied.
[[nodiscard]] Read<Axis> axis_from(std::string_view text);

/// `base` with the value of each axis. An unknown key or a value that it cannot have is an error; contradictions are
/// not.
[[nodiscard]] Read<WorldPlan> plan_with(WorldPlan base, std::span<Axis const> axes,
                                        std::vector<std::string> const& values);

struct SweepRow {
    std::vector<std::string> values;  ///< of each axis, as they were given
    std::string problem;              ///< why this combination cannot be, or empty
    std::optional<Outcome> outcome;   ///< unless there is a problem
    Costs costs;                      ///< wall time alone: the other costs belong to the process
};

/// Most rows that one sweep may have.
inline constexpr std::size_t kMostSweepRows = 10'000;

/// All combinations, the last axis running fastest, on `jobs` threads. The rows depend on neither their number nor
/// their timing. `done` is called after each world, by whichever thread ran it, never by two at once.
/// An unknown key is an error of the whole sweep; a combination that contradicts itself is a row that says so.
[[nodiscard]] Read<std::vector<SweepRow>> run_sweep(WorldPlan const& base, std::span<Axis const> axes,
                                                    std::uint32_t jobs,
                                                    std::function<void(std::size_t done, std::size_t of)> const& done);

[[nodiscard]] std::string sweep_text(std::span<Axis const> axes, std::span<SweepRow const> rows);
[[nodiscard]] std::string sweep_csv(std::span<Axis const> axes, std::span<SweepRow const> rows);
[[nodiscard]] std::string sweep_json(std::span<Axis const> axes, std::span<SweepRow const> rows);

/// Time to the full table over the first axis whose values are all numbers or durations; a line for each combination
/// of the others. An error when there is no such axis or nothing to draw.
[[nodiscard]] Read<std::string> sweep_svg(std::string_view title, std::span<Axis const> axes,
                                          std::span<SweepRow const> rows);

}  // namespace ronde::sim
