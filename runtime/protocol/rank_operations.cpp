/// The verbs, after ready: all_gather, barrier, broadcast, send, receive [clause 7].
#include "protocol/rank_step.hpp"

namespace ronde::protocol {
namespace {

/// Above this many bytes in all, an all_gather goes around the ring: the same bytes, but only neighbours talk and no
/// frame carries more than one slice. A million ranks with 64 bytes each still take the few rounds of `doubling`.
constexpr std::uint64_t kDoublingBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxPayloadBytes = 0xffff'ffffULL;

/// Position in a broadcast's binomial tree: hops *before* the source, so that data flows along chords (from r + 2^k to
/// r).
constexpr std::uint32_t tree_position(RankId rank, RankId source, std::uint32_t nranks) {
    return (source + nranks - rank) % nranks;
}

}  // namespace

void RankStep::on_operate() noexcept {
    Operation const& operation = event_.operation;
    bool const point_to_point = operation.kind == OperationKind::send || operation.kind == OperationKind::receive;
    bool const needs_peer = point_to_point || operation.kind == OperationKind::broadcast;
    bool const bad_peer =
        needs_peer && (operation.peer >= config_.nranks || (point_to_point && operation.peer == config_.rank));
    bool const bad_size = operation.slice_bytes > kMaxPayloadBytes;
    if (state_.doing != OperationKind::none || operation.kind == OperationKind::none || bad_peer || bad_size) {
        Error error;
        error.code = Code::bad_argument;
        error.about = config_.rank;
        error.got = bad_size ? operation.slice_bytes : operation.peer;
        error.expected = bad_size ? kMaxPayloadBytes : config_.nranks;
        return fail(error);
    }
    state_.doing = operation.kind;
    state_.peer = operation.peer;
    state_.tag = operation.tag;
    state_.deadline_ns = operation.budget_ns < kNever - event_.now ? event_.now + operation.budget_ns : kNever;
    reset(RankState::kMailSent);
    switch (operation.kind) {
    case OperationKind::all_gather: {
        bool const small = operation.slice_bytes * config_.nranks <= kDoublingBytes;
        bool const chords = policies_.gather == Gather::star || policies_.gather == Gather::doubling;
        bool const nothing = operation.slice_bytes == 0;  // then it is a barrier, whatever it is called
        Gather const algorithm = nothing || (chords && small) ? Gather::doubling
                                 : chords                     ? Gather::ring
                                                              : policies_.gather;
        return start_gather(state_.operation + 1U, algorithm, operation.slice_bytes);
    }
    case OperationKind::barrier: return start_gather(state_.operation + 1U, Gather::doubling, 0);
    case OperationKind::broadcast: state_.slice_bytes = operation.slice_bytes; return start_broadcast();
    case OperationKind::send: state_.slice_bytes = operation.slice_bytes; return dial(2, mail_out(operation.peer));
    case OperationKind::receive: {
        state_.slice_bytes = operation.slice_bytes;
        Action& collect = actions_.push(ActionKind::collect);
        collect.rank = operation.peer;
        collect.tag = operation.tag;
        return;
    }
    case OperationKind::none: return;
    }
}

void RankStep::complete() noexcept {
    if (state_.doing == OperationKind::none)
        return;
    state_.doing = OperationKind::none;
    state_.peer = kNoRank;
    state_.deadline_ns = kNever;
    actions_.push(ActionKind::complete);
}

// --- broadcast: a binomial tree along the chords ------------------------------------------------------------------
// A rank at position v > 0 hears from position v - 2^h, h the highest bit of v, over chord_out(h); it serves the
// positions v + 2^k, k > h, over chord_in(k). The source is position 0.

void RankStep::start_broadcast() noexcept {
    ++state_.operation;
    state_.served = 0;
    state_.window = 0;
    std::uint32_t const position = tree_position(config_.rank, state_.peer, config_.nranks);
    if (!adopt_early_tokens(false))
        return;
    if (state_.slice_bytes == 0)
        return complete();  // nothing to tell; the number still counts
    if (position == 0)
        state_.window = 1;
    forward_broadcast();
}

void RankStep::forward_broadcast() noexcept {
    std::uint32_t const position = tree_position(config_.rank, state_.peer, config_.nranks);
    std::uint32_t const first_child = position == 0 ? 0 : log2_ceil(std::uint64_t{position} + 1U);
    if (state_.window == 0) {
        std::uint32_t const parent = first_child - 1U;
        bool const open = (state_.out_open >> parent & 1U) != 0;
        bool const dialling = state_.dials[2].link == chord_out(parent) && state_.dials[2].state != Dial::State::idle;
        if (!open && (state_.gone_out >> parent & 1U) != 0)
            return fail(Code::peer_closed, rank_behind(chord_out(parent)));
        if (!open && !dialling)
            dial(2, chord_out(parent));
        return;
    }
    bool all_served = true;
    for (std::uint32_t k = first_child; (1U << k) < config_.nranks && position + (1U << k) < config_.nranks; ++k) {
        if ((state_.served >> k & 1U) != 0)
            continue;
        if ((state_.gone_in >> k & 1U) != 0)
            return fail(Code::peer_closed, rank_behind(chord_in(k)));
        if ((state_.in_open >> k & 1U) == 0) {
            all_served = false;  // the child has not connected yet; admit() comes back here
            continue;
        }
        send(chord_in(k), slices_frame(static_cast<std::uint16_t>(k), state_.peer, 1), Source::operation, 0, 1);
        state_.served |= 1U << k;
    }
    if (all_served)
        complete();
}

void RankStep::on_broadcast() noexcept {
    Frame const& frame = event_.frame;
    std::uint32_t const position = tree_position(config_.rank, state_.peer, config_.nranks);
    bool const from_parent = position != 0 && event_.link == chord_out(log2_ceil(std::uint64_t{position} + 1U) - 1U);
    bool const early_token =
        frame.d == state_.operation + 1ULL && frame.c == 0 && event_.link.link_class() == LinkClass::chord_out;
    if (early_token) {
        state_.early |= 1U << event_.link.index();
        return;
    }
    bool const fits = from_parent && state_.window == 0 && frame.d == state_.operation &&
                      frame.c == state_.slice_bytes && frame.a == state_.peer && frame.b == 1;
    if (!fits)
        return fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
    state_.window = 1;
    forward_broadcast();
}

// --- messages by (peer, tag) --------------------------------------------------------------------------------------

void RankStep::post_message() noexcept {
    if (state_.doing != OperationKind::send || has(RankState::kMailSent))
        return;
    Frame frame;
    frame.kind = FrameKind::message;
    frame.payload_bytes = static_cast<std::uint32_t>(state_.slice_bytes);
    frame.a = config_.rank;
    frame.b = state_.peer;
    frame.c = state_.tag;
    frame.d = state_.mails++;
    set(RankState::kMailSent);
    send(mail_out(state_.peer), frame, state_.slice_bytes == 0 ? Source::none : Source::operation, 0, 1, true);
}

void RankStep::on_message() noexcept {
    Frame const& frame = event_.frame;
    bool const honest =
        event_.link.link_class() == LinkClass::mail_in && frame.a == event_.link.index() && frame.b == config_.rank;
    if (!honest)
        return fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
    bool const asked =
        state_.doing == OperationKind::receive && event_.link == mail_in(state_.peer) && frame.c == state_.tag;
    if (!asked) {
        Action& park = actions_.push(ActionKind::park);
        park.rank = frame.a;
        park.tag = frame.c;
        return;
    }
    if (frame.payload_bytes != state_.slice_bytes) {
        Error error;
        error.code = Code::bad_argument;
        error.about = config_.rank;
        error.expected = frame.payload_bytes;
        error.got = state_.slice_bytes;
        return fail(error);
    }
    complete();
}

void RankStep::on_sent() noexcept {
    if (state_.doing == OperationKind::send && event_.link == mail_out(state_.peer) && has(RankState::kMailSent))
        return complete();
    if (policies_.turns == Turns::send_then_receive && event_.link == chord_out(0))
        actions_.push(ActionKind::unpause).link = chord_in(0);
}

}  // namespace ronde::protocol
