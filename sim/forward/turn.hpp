/// What every rank sends in one turn of a ring gather.
#pragma once

#include <cstdint>

namespace ronde::sim {

/// In the last round of an even ring both ways around there is a turn that sends nothing.
struct Turn {
    bool forward = false;
    bool backward = false;
    std::uint32_t forward_frame = 0;   ///< number of the frame on its link, from 0
    std::uint32_t backward_frame = 0;  ///< likewise
    std::uint64_t busy_ns = 0;         ///< how long each of its frames keeps its link busy
};

}  // namespace ronde::sim
