/// Rings out of a number: every kind of delay, start and service that a test can think of.
#pragma once

#include "forward/ring_forward.hpp"

#include <string>

namespace ronde::sim {

/// What a random ring may have.
struct Dice {
    std::uint32_t largest = 200;  ///< ranks; small rings are more likely
    bool constant_delays = false;
    bool service = true;  ///< only where a gather goes one way around
};

/// The `number`-th random ring. Equal numbers and dice, equal rings.
[[nodiscard]] RingForward random_ring(std::uint64_t number, Dice const& dice = {});

/// "ring2 lock_step_lengths, 17 ranks, ..." for a failed assertion.
[[nodiscard]] std::string words(RingForward const& ring);

}  // namespace ronde::sim
