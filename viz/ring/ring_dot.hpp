/// The ring of a run as a DOT graph for `neato -n2`.
///
/// All places are fixed by integers, so equal pictures are equal bytes on every machine. A rank's phase is told by the
/// shape and by the colour of its node: the picture can be read in grey and by colour-blind eyes.
#pragma once

#include "protocol/units.hpp"
#include "svg/phase_style.hpp"

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
    bool failed = false;     ///< ended with an error: its rim says so
    bool dead = false;       ///< its process was ended
    bool left_root = false;  ///< the connection on which it checked in is closed
};

struct RingPicture {
    std::string title;
    std::string subtitle;         ///< one line; may be empty
    std::vector<RingRank> ranks;  ///< at least one
    std::uint32_t roots = 1;
    std::uint32_t hosts_per_rack = 0;  ///< 0: racks are not known
    std::uint32_t strangers = 0;       ///< that have knocked so far
    bool root_lost = false;
    bool ready = false;      ///< all hands are held
    bool under_way = false;  ///< a moment before the end: not to be ready is no failure yet
};

/// In this picture a rank keeps the look of the last phase of its healthy life, unless it is dead.
[[nodiscard]] PhaseLook look_of(RingRank const& rank);
/// It is past connecting, and alive.
[[nodiscard]] bool has_hands(RingRank const& rank);
/// Whether `rank` and its successor hold hands: both are past connecting.
[[nodiscard]] bool hand_is_held(RingPicture const& picture, protocol::RankId rank);
/// Whether the connection on which it checked in stands.
[[nodiscard]] bool is_at_its_root(RingRank const& rank);

/// The graph, ending with a newline.
[[nodiscard]] std::string ring_dot(RingPicture const& picture);

}  // namespace ronde::viz
