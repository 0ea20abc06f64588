/// Outcomes that no world had: round numbers, so that a report can be checked by eye.
#pragma once

#include "report/report.hpp"

namespace ronde::sim {

[[nodiscard]] Outcome ready_outcome();
/// Of 16 ranks: 3 and 4 never started, 7 dead, 8-11 hanging, the others failed because rank 7 was lost.
[[nodiscard]] Outcome failed_outcome();
[[nodiscard]] Costs some_costs();

}  // namespace ronde::sim
