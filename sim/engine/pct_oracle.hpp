/// Schedules that are not merely random.
#pragma once

#include "engine/oracle.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ronde::sim {

/// Probabilistic concurrency testing for Choice::order [Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized
/// Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010].
///
/// Each actor has a random priority, and the candidate of highest priority goes first. At d-1 steps, drawn beforehand
/// among the first k, whoever would go first
/// falls below everyone who has not fallen; those who have fallen are in random order. A bug that needs d ordering
/// constraints, in a world of at most n actors and k steps, is found by one run with a probability of at least
///
///   1 / (n * k^(d-1))
///
/// so m runs with m seeds miss it with at most (1 - that)^m. A step is one call of pick_among(Choice::order, ...) or
/// pick(Choice::order, ...), also with one candidate; pick takes the position for the actor.
///
/// Other kinds are asked of `rest`, which must outlive this oracle.
class PctOracle final : public Oracle {
public:
    /// depth d >= 1; steps k >= 1 (checked).
    PctOracle(std::uint64_t seed, std::uint32_t depth, std::uint64_t steps, Oracle& rest);

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;
    std::uint32_t pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) override;

    /// Steps so far: what `steps` should have been, for the next run.
    [[nodiscard]] std::uint64_t steps_taken() const noexcept { return step_; }

private:
    /// Higher goes first. The d-1 lowest numbers are those of actors that have fallen.
    [[nodiscard]] std::uint64_t priority_of(std::uint64_t actor) const;

    std::uint64_t seed_;
    Oracle* rest_;
    struct Change {
        std::uint64_t step;
        std::uint64_t priority;  ///< of whoever falls there
    };
    std::vector<Change> changes_;                              ///< by step
    std::unordered_map<std::uint64_t, std::uint64_t> fallen_;  ///< actor -> priority; looked up, never walked
    std::uint64_t step_ = 0;
    std::size_t next_change_ = 0;
};

}  // namespace ronde::sim
