/// The plain truth about a ring gather: one event after the other, one rank at a time, nothing clever.
#pragma once

#include "forward/ring_forward.hpp"

namespace ronde::sim {

/// What forward() must say, found by letting every frame travel. Also for what forward() refuses: both ways around with
/// a CPU that takes time, where of two frames that arrive in the same nanosecond the one sent first is served first.
/// `cells` stays 0.
[[nodiscard]] ForwardResult play(RingForward const& ring);

}  // namespace ronde::sim
