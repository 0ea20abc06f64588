/// How late each rank could have been without delaying the end, as a map: a cell for each rank, dark where there is no
/// slack at all.
#pragma once

#include "chronicle/chronicle.hpp"
#include "svg/svg.hpp"

#include <string>

namespace ronde::viz {

struct SlackNumbers {
    std::uint32_t known = 0;  ///< ranks whose slack is known; 0: all below is 0
    std::uint32_t none = 0;   ///< ... that have none: any delay of theirs is one of the end
    TimeNs median_ns = 0;
    TimeNs most_ns = 0;
    RankId most_rank = kNoRank;
};

[[nodiscard]] SlackNumbers slack_numbers(Chronicle const& chronicle);

/// The map and its scale; empty where nobody's slack is known. Above kMostSlackCells ranks neighbours share a cell,
/// which shows the least of them.
[[nodiscard]] std::string slack_map(Chronicle const& chronicle, Embedding where);

inline constexpr std::uint32_t kMostSlackCells = 4096;

}  // namespace ronde::viz
