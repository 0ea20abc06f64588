#include "forward/ring_turns.hpp"

#include "protocol/frame.hpp"

namespace ronde::sim {

using protocol::Gather;
using protocol::kHeaderBytes;
using protocol::Turns;

RingTurns::RingTurns(RingForward const& ring, bool forward, bool backward)
    : lengths_(ring.turns == Turns::lock_step_lengths), both_ways_(ring.gather == Gather::ring2),
      slice_bytes_(ring.slice_bytes),
      length_busy_ns_(static_cast<std::uint64_t>(transmission_ns(kHeaderBytes, ring.bytes_per_second))),
      slice_busy_ns_(static_cast<std::uint64_t>(transmission_ns(kHeaderBytes + slice_bytes_, ring.bytes_per_second))) {
    // As ring_shares() of the machine: both ways around, the slice opposite of an even ring comes forward.
    std::uint32_t const from_prev = ring.gather == Gather::ring2 ? ring.nranks / 2U : ring.nranks - 1U;
    forward_rounds_ = forward ? from_prev : 0;
    backward_rounds_ = backward ? ring.nranks - 1U - from_prev : 0;
}

RingTurns RingTurns::of(RingForward const& ring) { return {ring, true, true}; }

RingTurns RingTurns::one_way_of(RingForward const& ring, Way way) {
    return {ring, way == Way::forward, way == Way::backward};
}

Turn RingTurns::at(std::uint32_t t) const {
    std::uint32_t const round = t / turns_per_round();
    std::uint32_t const step = t % turns_per_round();
    bool const slices = step + 1U == turns_per_round();
    std::uint32_t const frame = !lengths_ ? round : 2U * round + (slices ? 1U : 0U);
    Turn turn;
    turn.forward = round < forward_rounds_ && (slices || step == 0);
    turn.backward = round < backward_rounds_ && (slices || step == 1);
    turn.forward_frame = frame;
    turn.backward_frame = frame;
    turn.busy_ns = slices ? slice_busy_ns_ : length_busy_ns_;
    return turn;
}

std::uint64_t RingTurns::bytes_per_rank() const {
    std::uint64_t const slices = std::uint64_t{forward_rounds_} + backward_rounds_;
    return slices * ((lengths_ ? std::uint64_t{2} : 1U) * kHeaderBytes + slice_bytes_);
}

std::uint64_t RingTurns::busy_ns() const {
    std::uint64_t const slices = std::uint64_t{forward_rounds_} + backward_rounds_;
    return slices * ((lengths_ ? length_busy_ns_ : 0U) + slice_busy_ns_);
}

}  // namespace ronde::sim
