/// The healthy life of one rank as a list of events, without a world: the other side's frames are made up, as the
/// protocol prescribes them. For measuring what a step costs.
#pragma once

#include "protocol/rank.hpp"

#include <cstdint>
#include <vector>

namespace ronde::bench {

struct RankLife {
    protocol::RankConfig config;
    std::vector<protocol::Event> events;  ///< from start to ready, then `all_gathers` all-gathers of 64 bytes
};

/// `gather`: doubling or ring. Payload spans of the events are empty: the machine does not read slices.
[[nodiscard]] RankLife make_life(std::uint32_t nranks, protocol::Gather gather, std::uint32_t all_gathers);

/// Feeds a life to a fresh machine. Returns the number of steps; stops the process when it does not end ready.
std::uint64_t live(RankLife const& life, protocol::Actions& actions);

}  // namespace ronde::bench
