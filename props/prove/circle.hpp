/// From what each process needs to what the job does: who waits for whom, all around.
///
/// Every line that is said, every line that is taken, and every rank's ready is a step of the undisturbed job. A step
/// needs others (Findings). If no step needs itself in the end, all of them happen, in the order of their depth,
/// whatever the network does to the order of messages; and what a rank's ready needs has happened before it.
#pragma once

#include "prove/cut.hpp"

#include <functional>
#include <span>

namespace ronde::prove {

struct Circle {
    std::uint64_t steps = 0;
    /// Messages on the longest chain of needs, each of them sent because of the one before: the least time that the job
    /// can take, in one-way latencies. What kernels say to each other to make a connection is not counted.
    std::uint32_t longest_chain = 0;
    std::string broken;  ///< who waits for whom in a circle; or who is ready too early; empty: neither
};

/// `findings` by node: those of nodes that are alike may be the same.
[[nodiscard]] Circle close_circle(Shape const& shape, std::vector<Conversation> const& all,
                                  std::span<Findings const* const> findings);

}  // namespace ronde::prove
