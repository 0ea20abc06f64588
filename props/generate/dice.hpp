/// Draws for whoever makes something up: choices of an oracle under names that count up, 0 always the simplest.
#pragma once

#include "engine/oracle.hpp"
#include "protocol/units.hpp"

#include <cstddef>
#include <cstdint>

namespace ronde::props {

/// What is made up is a function of the oracle's answers alone, so a tape of them is the thing itself: cutting it,
/// and making its numbers smaller, makes the thing simpler.
class Dice {
public:
    Dice(sim::Oracle& oracle, sim::Choice kind) : oracle_(&oracle), kind_(kind) {}

    /// 0 .. n-1.
    [[nodiscard]] std::uint32_t below(std::uint32_t n) { return oracle_->pick(kind_, counter_++, n); }
    /// low .. high, both included.
    [[nodiscard]] std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1U); }
    /// True in `hits` of `of` cases; the simplest answer is no.
    [[nodiscard]] bool chance(std::uint32_t hits, std::uint32_t of) { return below(of) >= of - hits; }
    template <class T, std::size_t N>
    [[nodiscard]] T const& one_of(T const (&values)[N]) {
        return values[below(static_cast<std::uint32_t>(N))];
    }

private:
    sim::Oracle* oracle_;
    sim::Choice kind_;
    std::uint64_t counter_ = 0;
};

}  // namespace ronde::props
