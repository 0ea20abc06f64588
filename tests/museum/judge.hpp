/// Compares what came of a world with what was expected of it.
#pragma once

#include "exhibit.hpp"
#include "protocol/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim::museum {

/// All that can be asked of a world when it is over.
struct Played {
    Outcome outcome;
    TimeNs budget_ns = 0;
    TimeNs last_end_ns = 0;         ///< when the last rank was ready, or failed
    TimeNs calm_ready_ns = kNever;  ///< when the last rank of the calm world was ready; played only if it is needed
};

[[nodiscard]] Played play(Showing const& showing);

/// Each way in which it is not as expected, in a line; empty: all is.
[[nodiscard]] std::vector<std::string> complaints(Expectation const& expected, Played const& played);

/// What happened, in a few lines: ends, times, and the errors with the ranks that hold them.
[[nodiscard]] std::string story_of(Played const& played);

/// Numbers that `counts` may name. Nothing for an unknown name.
[[nodiscard]] std::optional<std::uint64_t> count_named(std::string_view name, Outcome const& outcome);
/// All these names, for an error message.
[[nodiscard]] std::string count_names();

}  // namespace ronde::sim::museum
