/// Every legal step, as data. The dispatchers, the tables and diagrams in docs/protocol.md and the exhaustive
/// "an illegal event changes nothing" test all read these two tables.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <span>

namespace ronde::protocol {

/// A set of phases, one bit each (bit = enumerator).
using PhaseSet = std::uint32_t;
constexpr PhaseSet phase_bit(Phase phase) { return 1U << static_cast<std::uint32_t>(phase); }
constexpr PhaseSet phase_bit(RootPhase phase) { return 1U << static_cast<std::uint32_t>(phase); }

/// "In phase `from`, event `on` may lead to any phase of `to`", and the clause of docs/protocol.md that says so.
template <class PhaseType>
struct TransitionOf {
    PhaseType from;
    EventKind on;
    PhaseSet to;
    std::string_view clause;
};
using Transition = TransitionOf<Phase>;
using RootTransition = TransitionOf<RootPhase>;

[[nodiscard]] std::span<const Transition> rank_transitions() noexcept;
[[nodiscard]] std::span<const RootTransition> root_transitions() noexcept;

/// Phases that (from, on) may lead to; 0 when the event is illegal there. O(1).
[[nodiscard]] PhaseSet targets_of(Phase from, EventKind on) noexcept;
[[nodiscard]] PhaseSet targets_of(RootPhase from, EventKind on) noexcept;

[[nodiscard]] std::string_view name_of(RootPhase phase) noexcept;

}  // namespace ronde::protocol
