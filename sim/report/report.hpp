/// The report of one pretend world: for people, as JSON, and as a row of CSV.
#pragma once

#include "world/dependencies.hpp"
#include "world/outcome.hpp"

#include <cstdint>
#include <string>

namespace ronde::sim {

/// What the run cost here. Not part of the outcome: it differs from run to run.
struct Costs {
    TimeNs wall_ns = 0;
    TimeNs cpu_ns = 0;
    std::uint64_t peak_rss_bytes = 0;  ///< of this process
};

/// Every rank is ready, and no promise was seen broken on the way.
[[nodiscard]] bool stands(Outcome const& outcome);

/// Verdict, phases, storm, messages, cost and digest; ends with a newline. Causes come apart, see report/causes.hpp.
[[nodiscard]] std::string outcome_text(Outcome const& outcome, Costs const& costs);

/// One object and a newline; docs/simulation.md has the table of keys. Those that `ronde run` prints too have the same
/// names and meanings. `path`: if it was asked for.
[[nodiscard]] std::string outcome_json(Outcome const& outcome, Costs const& costs, CriticalPath const* path = nullptr);

/// Column names, and the row that belongs to them; both end with a newline. Times are ns; what did not happen is empty.
[[nodiscard]] std::string outcome_csv_head();
[[nodiscard]] std::string outcome_csv_row(Outcome const& outcome, Costs const& costs);

/// Events in a second of wall time; 0 when the run was too short to tell.
[[nodiscard]] std::uint64_t events_per_s(Outcome const& outcome, Costs const& costs);
[[nodiscard]] std::uint64_t bytes_per_rank(Outcome const& outcome);

}  // namespace ronde::sim
