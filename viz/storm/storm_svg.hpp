/// The storm at a root's door as a picture: small multiples under each other, with one axis of time.
#pragma once

#include "storm/storm_numbers.hpp"
#include "svg/svg.hpp"

#include <string>

namespace ronde::viz {

/// A whole document: accept queue, accepts, what was dropped and sent again, and check-ins over time; below, how many
/// SYNs a connection took, and how long ranks stayed in each phase. Parts of which the chronicle knows nothing are left
/// out.
[[nodiscard]] std::string storm_svg(Chronicle const& chronicle, StormNumbers const& numbers);

/// For a page: the upper part, and the phases alone. Empty where the chronicle knows nothing of it.
[[nodiscard]] std::string storm_part(Chronicle const& chronicle, StormNumbers const& numbers, Embedding where);
[[nodiscard]] std::string phases_part(StormNumbers const& numbers, Embedding where);

}  // namespace ronde::viz
