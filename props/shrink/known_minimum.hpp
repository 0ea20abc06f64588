/// How small a failure could be: the explorer goes through every order of events of jobs of few ranks, so where it
/// knows such a failure nothing smaller breaks the same property.
#pragma once

#include "shrink/shrink.hpp"

#include <cstdint>
#include <string>

namespace ronde::props {

struct FailureSize {
    std::uint32_t ranks = 0;
    /// One for each process that one befalls, and for each flaw of the job (a second process).
    std::uint32_t faults = 0;
    /// What happened to a process until a step broke the property, or the world came to rest: it began, a connection
    /// stood or ended, a frame came, a timer was due, a fault struck. What a driver answers by itself is no move, nor
    /// is a call that waits where nobody looks yet.
    std::uint64_t moves = 0;
    friend bool operator==(FailureSize const&, FailureSize const&) = default;
};

struct KnownMinimum {
    std::string unknown;  ///< why there is nothing to compare with, in one line; empty: there is
    FailureSize size;     ///< fewest ranks, then fewest faults, then fewest moves
    std::string command;  ///< that shows it
};

struct MinimumOptions {
    std::uint32_t most_ranks = 5;
    std::uint64_t most_states = 2'000'000;    ///< of one exploration
    std::int64_t budget_ns = 20'000'000'000;  ///< of the wall clock, for all of them
};

/// Plays `script`, which violates `property`.
[[nodiscard]] FailureSize size_of(Script const& script, PropertyId property);

/// Of jobs with the script's policies and roots, at most as many ranks and faults, and the same kinds of faults: the
/// smallest in which the explorer finds `property` broken.
[[nodiscard]] KnownMinimum known_minimum(Script const& script, PropertyId property, MinimumOptions const& options = {});

/// "2 ranks, 1 fault, 6 moves"
[[nodiscard]] std::string to_text(FailureSize const& size);
/// A line or two that compare them, for people.
[[nodiscard]] std::string comparison_text(FailureSize const& size, KnownMinimum const& known);

}  // namespace ronde::props
