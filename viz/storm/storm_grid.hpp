/// Many storms side by side: for each world of a sweep what root 0's queue held over time, and below it how many SYNs
/// were dropped and sent again, and how many connections were ghosts, since the beginning. All on the same axes, so
/// that they can be compared by eye.
#pragma once

#include "storm/storm_numbers.hpp"

#include <span>
#include <string>
#include <string_view>

namespace ronde::viz {

/// One world.
struct StormCell {
    std::string title;     ///< what is different here: "ranks=4k, somaxconn=128"
    std::string verdict;   ///< one line
    bool ready = false;    ///< otherwise the verdict is an alarm
    StormNumbers numbers;  ///< empty for a world that could not be
};

/// Cells that one picture has room for.
inline constexpr std::size_t kMostStormCells = 64;

/// A whole document, cells from left to right in rows of `columns` (1 to kMostStormColumns). At least one cell, at most
/// kMostStormCells.
[[nodiscard]] std::string storm_grid(std::string_view title, std::string_view subtitle,
                                     std::span<StormCell const> cells, std::size_t columns);
inline constexpr std::size_t kMostStormColumns = 6;

}  // namespace ronde::viz
