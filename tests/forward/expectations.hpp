/// What every way to compute a ring gather is held to: what events say, and what the portable kernel says.
#pragma once

#include "forward/ring_forward.hpp"

namespace ronde::sim {

/// Fails unless `options` give what letting every frame of the ring travel gives.
void expect_same_as_events(RingForward const& ring, ForwardOptions const& options);

/// Fails unless `options`, without a closed form, give the nanoseconds of one portable tile and one thread, in rings of
/// all kinds; skips the test where the machine lacks their instruction set.
void expect_same_as_portable(ForwardOptions options);

}  // namespace ronde::sim
