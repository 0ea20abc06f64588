/// From the facts of a run to the picture of its ring.
#pragma once

#include "cli/run_report.hpp"
#include "ring/ring_dot.hpp"

namespace ronde::cli {

[[nodiscard]] viz::RingPicture picture_of(RunFacts const& facts, RunReport const& report);

}  // namespace ronde::cli
