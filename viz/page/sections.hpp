/// The parts of a page, in their order. Each is HTML; an empty one is left out.
#pragma once

#include "chronicle/chronicle.hpp"
#include "page/playback.hpp"
#include "storm/storm_numbers.hpp"

#include <string>
#include <string_view>

namespace ronde::viz {

struct Section {
    std::string_view id;  ///< in links: "#storm"
    std::string_view heading;
    std::string body;
};

/// Whether it ended well, who says what about it, and how to see it again.
[[nodiscard]] Section verdict_section(Chronicle const& chronicle);
/// Up to kMostStageRanks ranks: each a mark, and controls to walk through the run (hidden until a script shows them).
/// Otherwise as heat.
[[nodiscard]] Section ring_section(Chronicle const& chronicle, Playback const& playback);
/// A row for each of up to kMostStageRanks ranks.
[[nodiscard]] Section ranks_section(Chronicle const& chronicle, Playback const& playback);
[[nodiscard]] Section storm_section(Chronicle const& chronicle, StormNumbers const& numbers);
[[nodiscard]] Section phases_section(StormNumbers const& numbers);
[[nodiscard]] Section sequence_section(Chronicle const& chronicle);
[[nodiscard]] Section slack_section(Chronicle const& chronicle);
[[nodiscard]] Section scenario_section(Chronicle const& chronicle);
[[nodiscard]] Section numbers_section(std::string_view results_json);

/// Whether the page of so many ranks has a player.
[[nodiscard]] inline bool has_player(Chronicle const& chronicle) { return chronicle.nranks <= kMostStageRanks; }

}  // namespace ronde::viz
