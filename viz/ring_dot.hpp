/// The ring of a run as a DOT graph for `neato -n2`.
///
/// All places are fixed by integers, so equal pictures are equal bytes on every machine. A rank's phase is told by the
/// shape and by the colour of its node: the picture can be read in grey and by colour-blind eyes.
#pragma once

#include "protocol/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// One rank as it is drawn.
struct RingRank {
    protocol::Phase phase = protocol::Phase::created;  ///< the last phase of a healthy life that it entered
    std::uint32_t host = 0;  ///< ranks of one number share a host; numbers in the order of their first rank
    bool absent = false;     ///< never checked in: drawn dashed
    bool culprit = false;    ///< marked as the one that others blame
};

struct RingPicture {
    std::string title;
    std::string subtitle;         ///< one line; may be empty
    std::vector<RingRank> ranks;  ///< at least one
    std::uint32_t roots = 1;
    bool root_lost = false;
    bool ready = false;  ///< all hands are held
};

/// The graph, ending with a newline.
[[nodiscard]] std::string ring_dot(RingPicture const& picture);

}  // namespace ronde::viz
