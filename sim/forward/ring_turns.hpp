/// The turns of a ring gather, as protocol/rank_gather.cpp makes them: who sends what in turn t.
#pragma once

#include "forward/ring_forward.hpp"
#include "forward/turn.hpp"

#include <cstdint>
#include <vector>

namespace ronde::sim {

/// All turns of a gather, by arithmetic: nothing is stored.
class RingTurns {
public:
    /// All turns of a gather whose ways wait for one another, or of one way around.
    [[nodiscard]] static RingTurns of(RingForward const& ring);
    /// Only what travels `way`, of a pipelined gather both ways around.
    [[nodiscard]] static RingTurns one_way_of(RingForward const& ring, Way way);

    [[nodiscard]] std::uint32_t count() const { return rounds() * turns_per_round(); }
    /// Turn `t` < count().
    [[nodiscard]] Turn at(std::uint32_t t) const;

    /// Frames that one rank sends `way`.
    [[nodiscard]] std::uint64_t frames(Way way) const {
        return std::uint64_t{way == Way::forward ? forward_rounds_ : backward_rounds_} * (lengths_ ? 2U : 1U);
    }
    [[nodiscard]] std::uint64_t bytes_per_rank() const;
    /// Sum of busy_ns over all turns.
    [[nodiscard]] std::uint64_t busy_ns() const;
    [[nodiscard]] bool one_way() const { return forward_rounds_ == 0 || backward_rounds_ == 0; }
    /// No turn keeps its link busy for longer.
    [[nodiscard]] std::uint64_t longest_busy_ns() const { return slice_busy_ns_; }

private:
    RingTurns(RingForward const& ring, bool forward, bool backward);
    [[nodiscard]] std::uint32_t rounds() const {
        return forward_rounds_ > backward_rounds_ ? forward_rounds_ : backward_rounds_;
    }
    /// Both ways around, the lengths of the two ways are exchanged one after the other.
    [[nodiscard]] std::uint32_t turns_per_round() const { return !lengths_ ? 1U : both_ways_ ? 3U : 2U; }

    std::uint32_t forward_rounds_ = 0;
    std::uint32_t backward_rounds_ = 0;
    bool lengths_ = false;
    bool both_ways_ = false;
    std::uint64_t slice_bytes_ = 0;
    std::uint64_t length_busy_ns_ = 0;
    std::uint64_t slice_busy_ns_ = 0;
};

}  // namespace ronde::sim
