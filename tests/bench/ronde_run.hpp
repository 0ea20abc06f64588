/// One `ronde run`, as anybody would call it, and the figures it reports.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::bench {

struct RunFigures {
    std::int64_t table_ns = 0;       ///< gate open -> last rank's full table
    std::int64_t ready_ns = 0;       ///< gate open -> last rank ready
    std::int64_t all_gather_ns = 0;  ///< median of the slowest rank's times; 0 when none was asked for
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    double cpu_s = 0;
    std::uint64_t peak_rss_bytes = 0;
};

/// Runs `ronde run ARGS --format json`. The error says which command failed and how.
[[nodiscard]] tl::expected<RunFigures, std::string> ronde_run(std::vector<std::string> const& arguments);

/// Runs a command and returns what it printed; stderr goes to ours. The error names the command and its status.
[[nodiscard]] tl::expected<std::string, std::string> output_of(std::vector<std::string> const& command,
                                                               bool may_fail = false);

}  // namespace ronde::bench
