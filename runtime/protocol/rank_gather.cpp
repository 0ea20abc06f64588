/// Collecting N slices: the table, a program's all_gather, and the barrier, which is a gather of nothing [clause 5.7].
///
/// `doubling` runs over chords: rank r hears from r + 2^k in round k, and is heard by r - 2^k. The ring gathers run
/// over the two hands. A gather is done when every slice is here and everything that others need from me is out.
#include "protocol/check.hpp"
#include "protocol/rank_step.hpp"

namespace ronde::protocol {
namespace {

/// A round of a ring gather: its slices, and before them a turn for each direction's lengths.
constexpr std::uint32_t turns_per_round(Turns turns, Gather algorithm) {
    if (turns != Turns::lock_step_lengths)
        return 1;
    return algorithm == Gather::ring2 ? 3 : 2;
}

}  // namespace

void RankStep::start_gather(std::uint32_t operation, Gather algorithm, std::uint64_t slice_bytes) noexcept {
    state_.operation = operation;
    state_.algorithm = algorithm;
    state_.slice_bytes = slice_bytes;
    state_.window = operation == 0 && state_.window > 1 ? state_.window : 1;
    state_.served = 0;
    if (operation != 0)
        state_.heard = 0;
    state_.from_prev = 0;
    state_.from_next = 0;
    state_.turn = 0;
    reset(RankState::kServedAll);
    // Tokens belong to the operation after the table; they wait until that begins.
    if (operation != 0 && !adopt_early_tokens(slice_bytes == 0))
        return;
    if (algorithm == Gather::doubling)
        return pump_gather();
    start_ring();
}

void RankStep::pump_gather() noexcept {
    bool const running = state_.phase == Phase::gathering || state_.phase == Phase::committing ||
                         state_.doing == OperationKind::all_gather || state_.doing == OperationKind::barrier;
    if (state_.doing == OperationKind::broadcast)
        return forward_broadcast();
    if (running && state_.algorithm == Gather::doubling && !has(RankState::kServedAll))
        pump_doubling();
}

void RankStep::gather_done() noexcept {
    set(RankState::kServedAll);
    if (state_.phase == Phase::gathering)
        return table_done();
    if (state_.phase == Phase::committing)
        return become_ready();
    complete();
}

/// Tokens of the next operation that came before I was in it. True when that operation is the same here: whoever sent
/// one is in a barrier.
bool RankStep::adopt_early_tokens(bool barrier) noexcept {
    std::uint32_t const early = state_.early;
    state_.early = 0;
    if (early == 0)
        return true;
    if (barrier) {
        state_.heard = early;
        return true;
    }
    std::uint64_t const lowest = early & (~early + 1U);
    Error error;
    error.code = Code::mismatch;
    error.field = Field::operation;
    error.about = successor_of(config_.rank, config_.nranks, lowest);
    error.other = config_.rank;
    error.expected = static_cast<std::uint64_t>(state_.doing);
    error.got = static_cast<std::uint64_t>(OperationKind::barrier);
    fail(error);
    return false;
}

// --- doubling ---------------------------------------------------------------------------------------------------

void RankStep::pump_doubling() noexcept {
    std::uint32_t const rounds = doubling_rounds(config_.nranks, state_.operation);
    std::uint32_t round = 0;
    while (round < rounds && (state_.heard >> round & 1U) != 0)
        ++round;
    state_.window = window_before(config_.nranks, state_.operation, round);
    bool const missing_chord = round < rounds && (state_.out_open >> round & 1U) == 0;
    if (missing_chord && (state_.gone_out >> round & 1U) != 0)
        return fail(Code::peer_closed, rank_behind(chord_out(round)));
    Dial const& dialling = state_.dials[2];
    bool const busy = dialling.link == chord_out(round) && dialling.state != Dial::State::idle;
    if (missing_chord && !busy)
        dial(2, chord_out(round));
    serve_windows();
    if (over())
        return;
    bool const all_served = state_.served + 1U == 1U << rounds;
    if (round == rounds && all_served)
        gather_done();
}

/// Sends my window of round k to r - 2^k, as soon as both the window and the chord stand.
void RankStep::serve_windows() noexcept {
    std::uint32_t const rounds = doubling_rounds(config_.nranks, state_.operation);
    for (std::uint32_t k = 0; k < rounds; ++k) {
        bool const due = state_.window >= window_before(config_.nranks, state_.operation, k);
        if (!due || (state_.served >> k & 1U) != 0)
            continue;
        if ((state_.gone_in >> k & 1U) != 0)
            return fail(Code::peer_closed, rank_behind(chord_in(k)));
        if ((state_.in_open >> k & 1U) == 0)
            continue;  // admit() comes back here
        std::uint32_t const count = window_sent(config_.nranks, state_.operation, k);
        Source const source = state_.slice_bytes == 0 ? Source::none
                              : state_.operation == 0 ? Source::table
                                                      : Source::operation;
        send(chord_in(k), slices_frame(static_cast<std::uint16_t>(k), config_.rank, count), source, config_.rank,
             count);
        state_.served |= 1U << k;
    }
}

void RankStep::on_slices() noexcept {
    if (state_.doing == OperationKind::broadcast)
        return on_broadcast();
    bool const early = event_.frame.d == state_.operation + 1ULL;
    if (early && event_.frame.c == 0 && event_.link.link_class() == LinkClass::chord_out &&
        event_.frame.aux == event_.link.index()) {
        state_.early |= 1U << event_.link.index();
        return;
    }
    bool const mine = event_.frame.d == state_.operation && event_.frame.c == state_.slice_bytes &&
                      !(state_.phase == Phase::ready && state_.doing == OperationKind::none);
    if (!mine)
        return fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
    if (state_.algorithm == Gather::doubling)
        return on_window();
    on_ring_frame();
}

void RankStep::on_window() noexcept {
    std::uint32_t const k = event_.link.index();
    std::uint32_t const count = window_sent(config_.nranks, state_.operation, k);
    bool const fits = event_.link.link_class() == LinkClass::chord_out && event_.frame.aux == k &&
                      k < doubling_rounds(config_.nranks, state_.operation) && (state_.heard >> k & 1U) == 0 &&
                      event_.frame.a == rank_behind(event_.link) && event_.frame.b == count;
    if (!fits)
        return fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
    // Chords of earlier operations stand already, so a peer that is rounds ahead may be heard before my turn.
    state_.heard |= 1U << k;
    if (state_.slice_bytes != 0) {
        Action& learn = actions_.push(ActionKind::learn);
        learn.first = event_.frame.a;
        learn.count = event_.frame.b;
    }
    pump_gather();  // not before both hands are held
}

Frame RankStep::slices_frame(std::uint16_t chord, RankId first, std::uint32_t count) const noexcept {
    Frame frame;
    frame.kind = FrameKind::slices;
    frame.payload_bytes = static_cast<std::uint32_t>(count * state_.slice_bytes);
    frame.aux = chord;
    frame.a = first;
    frame.b = count;
    frame.c = state_.slice_bytes;
    frame.d = state_.operation;
    return frame;
}

// --- around the ring --------------------------------------------------------------------------------------------
// Frames to the successor travel on chord_out(0) and arrive there on chord_in(0); the second direction of `ring2`
// uses the same two connections the other way.

void RankStep::send_slice(Link link, std::uint32_t hops_back, bool notify) noexcept {
    bool const forward = link == chord_out(0);
    RankId const slice = forward ? predecessor_of(config_.rank, config_.nranks, hops_back)
                                 : successor_of(config_.rank, config_.nranks, hops_back);
    Source const source = state_.operation == 0 ? Source::table : Source::operation;
    if (forward && has(RankState::kTorn))
        return;
    send(link, slices_frame(0, slice, 1), source, slice, 1, notify);
}

void RankStep::send_length(Link link, std::uint32_t round) noexcept {
    Frame frame;
    frame.kind = FrameKind::length;
    frame.aux = link == chord_out(0) ? 0 : 1;
    frame.a = round;
    frame.c = state_.slice_bytes;
    frame.d = state_.operation;
    if (link == chord_out(0) && has(RankState::kTorn))
        return;
    send(link, frame);
}

void RankStep::start_ring() noexcept {
    RingShares const shares = ring_shares(config_.nranks, state_.algorithm);
    if (shares.from_prev == 0)
        return gather_done();
    for (Link const hand : {chord_out(0), chord_in(0)}) {
        std::uint32_t const open = hand == chord_out(0) ? state_.out_open : state_.in_open;
        if ((open & 1U) == 0)
            return fail(Code::peer_closed, rank_behind(hand));
    }
    if (policies_.turns != Turns::pipelined)
        return pump_ring_turns();
    send_slice(chord_out(0), 0);
    if (shares.from_next > 0)
        send_slice(chord_in(0), 0);
}

void RankStep::on_ring_frame() noexcept {
    bool const from_prev = event_.link == chord_in(0);
    RingShares const shares = ring_shares(config_.nranks, state_.algorithm);
    std::uint32_t const share = from_prev ? shares.from_prev : shares.from_next;
    std::uint32_t& arrived = from_prev ? state_.from_prev : state_.from_next;
    bool const lengths = policies_.turns == Turns::lock_step_lengths;
    std::uint32_t const step = lengths ? arrived / 2U : arrived;  // slices that came this way before
    bool const expect_length = lengths && arrived % 2U == 0;
    RankId const slice = from_prev ? predecessor_of(config_.rank, config_.nranks, step + 1ULL)
                                   : successor_of(config_.rank, config_.nranks, step + 1ULL);
    Frame const& frame = event_.frame;
    bool const running = state_.phase == Phase::gathering || state_.doing == OperationKind::all_gather;
    bool const on_hands = from_prev || event_.link == chord_out(0);
    bool const right_kind = (frame.kind == FrameKind::length) == expect_length;
    bool const right_slice = frame.kind == FrameKind::length ? frame.a == step : frame.a == slice && frame.b == 1;
    bool const right_length = frame.c == state_.slice_bytes && frame.d == state_.operation;
    if (!running || !on_hands || step >= share || !right_kind || !right_slice || !right_length)
        return fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
    ++arrived;
    if (frame.kind == FrameKind::slices) {
        Action& learn = actions_.push(ActionKind::learn);
        learn.first = slice;
        learn.count = 1;
    }
    if (policies_.turns != Turns::pipelined)
        return pump_ring_turns();
    if (step + 1U < share)
        send_slice(from_prev ? chord_out(0) : chord_in(0), step + 1U);
    if (state_.from_prev == shares.from_prev && state_.from_next == shares.from_next)
        gather_done();
}

Frame Rank::skip_to_last_slice() noexcept {
    RONDE_CHECK(state_.algorithm == Gather::ring || state_.algorithm == Gather::ring2, "only rings are skipped");
    RONDE_CHECK(state_.from_prev == 0 && state_.from_next == 0, "a ring is skipped as a whole");
    RingShares const shares = ring_shares(config_->nranks, state_.algorithm);
    bool const lengths = config_->policies.turns == Turns::lock_step_lengths;
    std::uint32_t const frames_per_round = lengths ? 2U : 1U;
    state_.from_prev = shares.from_prev * frames_per_round - 1U;
    state_.from_next = shares.from_next * frames_per_round;
    if (config_->policies.turns != Turns::pipelined)
        state_.turn = shares.from_prev * turns_per_round(config_->policies.turns, state_.algorithm);
    Frame last;
    last.kind = FrameKind::slices;
    last.payload_bytes = static_cast<std::uint32_t>(state_.slice_bytes);
    last.a = predecessor_of(config_->rank, config_->nranks, shares.from_prev);
    last.b = 1;
    last.c = state_.slice_bytes;
    last.d = state_.operation;
    return last;
}

/// Lock-step: a turn sends, then waits for its counterpart; `turn` counts the turns whose sends are out.
/// Without length turns round s is turn s. With them a round has a length turn per direction and a slice turn.
void RankStep::pump_ring_turns() noexcept {
    RingShares const shares = ring_shares(config_.nranks, state_.algorithm);
    bool const lengths = policies_.turns == Turns::lock_step_lengths;
    std::uint32_t const turns_a_round = turns_per_round(policies_.turns, state_.algorithm);
    std::uint32_t const frames_per_round = lengths ? 2U : 1U;
    std::uint32_t const all_turns = shares.from_prev * turns_a_round;
    // Frames that must have arrived before the turn after (round, step) may start.
    auto const answered = [&](std::uint32_t turn) {
        std::uint32_t const round = turn / turns_a_round;
        std::uint32_t const step = turn % turns_a_round;
        bool const backward = round < shares.from_next;  // an even ring's last round goes forward only
        std::uint32_t const before = round * frames_per_round;
        bool const slice_turn = step + 1U == turns_a_round;
        std::uint32_t const need_prev = before + (slice_turn ? frames_per_round : 1U);
        std::uint32_t const need_next = !backward ? 0 : slice_turn ? before + frames_per_round : before + step;
        return state_.from_prev >= need_prev && state_.from_next >= need_next;
    };
    while (!over()) {
        if (state_.turn > 0 && !answered(state_.turn - 1U))
            return;
        if (state_.turn == all_turns)
            return gather_done();
        std::uint32_t const round = state_.turn / turns_a_round;
        std::uint32_t const step = state_.turn % turns_a_round;
        bool const backward = round < shares.from_next;
        bool const slice_turn = step + 1U == turns_a_round;
        ++state_.turn;
        if (slice_turn) {
            bool const blocking = policies_.turns == Turns::send_then_receive;
            if (blocking)
                actions_.push(ActionKind::pause).link = chord_in(0);
            send_slice(chord_out(0), round, blocking);
            if (backward)
                send_slice(chord_in(0), round);
        } else if (step == 0) {
            send_length(chord_out(0), round);
        } else if (backward) {
            send_length(chord_in(0), round);
        }
        if (actions_.room() < 8)
            return;  // cannot happen: a turn waits for its counterpart; see the bound's test
    }
}

}  // namespace ronde::protocol
