/// The jobs of real sockets that a machine is put through, and what must come of each.
#pragma once

#include "mutants/loopback_job.hpp"

#include <string>
#include <vector>

namespace ronde::mutants {

struct LoopbackTrial {
    std::string name;
    LoopbackPlan plan;
    protocol::Code code = protocol::Code::ok;    ///< ok: everyone is ready; otherwise whoever fails says this,
    protocol::RankId about = protocol::kNoRank;  ///< about this rank,
    protocol::RankId other = protocol::kNoRank;  ///< and, unless it is kNoRank, this one, in either order
    bool nobody_ready = false;                   ///< and nobody is ready
};

/// From the smallest. Whole jobs first, because they show the most; then what goes wrong in one.
[[nodiscard]] std::vector<LoopbackTrial> loopback_trials();

}  // namespace ronde::mutants
