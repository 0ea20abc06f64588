/// What embed.cmake makes of shipped/*.toml while building.
#pragma once

#include "scenario/scenario.hpp"

#include <cstddef>

namespace ronde::sim {

extern Shipped const kShippedTexts[];
extern std::size_t const kShippedCount;

}  // namespace ronde::sim
