/// The two ends of each connection, where both machines left a recording: what one received is what the other one sent.
#pragma once

#include "conformance/track.hpp"

namespace ronde::conformance {

struct Pairing {
    std::uint64_t pairs = 0;  ///< connections that are seen from both ends
    std::vector<Finding> findings;
};

/// Times are compared between ranks of one host, as roots have heard it, and between a root and ranks whose address is
/// of the loopback.
[[nodiscard]] Pairing pair_ends(std::map<Who, Track> const& tracks);

}  // namespace ronde::conformance
