/// The recurrence, turn by turn: N ranks times as many turns as there are, cut into tiles.
#pragma once

#include "forward/ring_turns.hpp"

#include <vector>

namespace ronde::sim {

struct Recurred {
    std::vector<protocol::TimeNs> done_ns;  ///< when each rank has handled the last frame that it gets
    std::uint64_t cells = 0;
};

/// Takes all turns of `turns`, as `options` say. `ring` has no contradiction, and options.isa is there.
[[nodiscard]] Recurred recur(RingForward const& ring, RingTurns const& turns, ForwardOptions const& options);

}  // namespace ronde::sim
