/// The ring of a large job: stretches of hosts around the circle, a row for each phase.
///
/// A cell is as dark as its slowest rank was long in that phase; the scale is the row's own, and the legend says what
/// the darkest cell stands for. The outermost row shows where the ranks stand, by colour and hatching, and marks
/// outside name those who are blamed. Made in one pass over the ranks: 100 000 of them take a fraction of a second.
#pragma once

#include "chronicle/chronicle.hpp"
#include "svg/svg.hpp"

#include <string>

namespace ronde::viz {

/// An SVG of the chronicle at `at_ns` (kNever: when all was over), with at most so many cells a row. In a page it has
/// no heading.
[[nodiscard]] std::string heat_ring(Chronicle const& chronicle, TimeNs at_ns, Embedding where = {});

inline constexpr std::uint32_t kMostHeatCells = 360;

}  // namespace ronde::viz
