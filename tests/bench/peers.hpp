/// What others need for the same work, as it was read on a reference machine, and by what factor ronde is ahead here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::bench {

/// One size of the `ronde` row, measured in this run.
struct Measured {
    std::uint32_t ranks = 0;
    std::int64_t floor_ns = 0;  ///< the bare star
    std::int64_t table_ns = 0;
    std::int64_t all_gather_ns = 0;  ///< 64 bytes a rank
    double cpu_s = 0.0;              ///< of all ranks together
};

/// A table over sizes and peers. Machines differ, so either side is counted in bare stars of its own machine; the
/// factor is the quotient. Empty when no measured size has a peer.
[[nodiscard]] std::string against_others(std::vector<Measured> const& measured);

}  // namespace ronde::bench
