/// The cost of one step of a rank, in nanoseconds and in instructions, as text for the report.
#pragma once

#include <string>

namespace ronde::bench {

[[nodiscard]] std::string step_cost_report();

}  // namespace ronde::bench
