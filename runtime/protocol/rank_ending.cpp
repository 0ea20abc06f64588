/// How a rank ends: with a verdict that it passes on, at its deadline, by abort, or in order [clauses 6 and 7.6].
#include "protocol/rank_step.hpp"

#include <algorithm>

namespace ronde::protocol {
namespace {

/// Links that hear of the end, in this order: the two roots, then chords out, then chords in.
constexpr std::uint32_t kFarewellLinks = 2 + 2 * kMaxChords;

}  // namespace

void RankStep::fail(Code code, RankId about, Failure failure) noexcept {
    Error error;
    error.code = code;
    error.about = about;
    error.failure = failure;
    fail(error);
}

void RankStep::fail(Error error) noexcept {
    if (over())
        return;
    error.phase = state_.phase;
    error.reporter = config_.rank;
    if (error.about == config_.rank)
        error.about_phase = static_cast<std::uint32_t>(state_.phase);
    state_.error = error;
    state_.phase = Phase::failed;
    state_.farewell = 0;
    say_farewell();
}

/// The driver could not do what this rank cannot go on without.
void RankStep::fail_by_itself() noexcept {
    Error error;
    error.code = Code::local_failure;
    error.about = config_.rank;
    error.failure = event_.failure;
    error.os_error = event_.os_error;
    fail(error);
}

/// Tells everyone within reach, a bounded number per step, then finishes.
void RankStep::say_farewell() noexcept {
    bool const in_order = state_.phase == Phase::closed;
    if (state_.farewell > kFarewellLinks)
        return;  // finished already
    Frame frame;
    frame.kind = in_order ? FrameKind::bye : FrameKind::verdict;
    frame.payload_bytes = in_order ? 0 : kVerdictBytes;
    frame.a = config_.rank;
    bool const silent = !in_order && policies_.verdicts == Verdicts::silent;
    while (!silent && state_.farewell < kFarewellLinks) {
        if (actions_.room() < 2)
            return actions_.ask_for_more();
        std::uint32_t const i = state_.farewell++;
        bool open = false;
        Link link;
        if (i < 2) {
            open = !in_order && has(i == 0 ? RankState::kRootOpen : RankState::kPreviousRootOpen);
            link = i == 0 ? kRootLink : kPreviousRootLink;
        } else if (i < 2 + kMaxChords) {
            open = (state_.out_open >> (i - 2) & 1U) != 0;
            link = chord_out(i - 2);
        } else {
            open = (state_.in_open >> (i - 2 - kMaxChords) & 1U) != 0;
            link = chord_in(i - 2 - kMaxChords);
        }
        if (open)
            send(link, frame, in_order ? Source::none : Source::verdict);
    }
    if (actions_.room() < 1)
        return actions_.ask_for_more();
    state_.farewell = kFarewellLinks + 1;
    actions_.push(ActionKind::finish);
}

/// A check-in that was made again found the round over. If it ended well with me in it, that is no error: at the root
/// before mine I was told of [6.3]; my own one goes no further than to commit, and not without my `done` [6.7].
bool RankStep::had_been_counted() noexcept {
    bool const own = event_.link == kRootLink;
    bool const own_said_done = own && has(RankState::kRootDone);
    if (own ? needs_root() && !own_said_done : event_.link != kPreviousRootLink)
        return false;
    close_link(event_.link);
    reset(own ? RankState::kRootOpen : RankState::kPreviousRootOpen);
    state_.dials[own ? 0 : 1] = Dial{};
    if (own_said_done)
        all_are_done();
    return true;
}

void RankStep::on_verdict() noexcept {
    if (over())
        return;
    Error error;
    if (event_.payload.size() == kVerdictBytes)
        error = decode_verdict(event_.payload).error;
    if (error.is_ok()) {
        error.code = Code::protocol_violation;
        error.failure = Failure::malformed;
    }
    if (error.code == Code::protocol_violation && error.about == kNoRank)
        error.about = rank_behind(event_.link);
    if (error.code == Code::id_consumed && state_.phase >= Phase::connecting_ring && had_been_counted())
        return;
    // Passed on as it was told: cause, phase and reporter are those of whoever noticed first.
    state_.error = error;
    state_.phase = Phase::failed;
    state_.farewell = 0;
    say_farewell();
}

void RankStep::on_bye() noexcept {
    bool const out = event_.link.link_class() == LinkClass::chord_out;
    bool const in = event_.link.link_class() == LinkClass::chord_in;
    if (!out && !in)
        return;
    std::uint32_t const bit = 1U << event_.link.index();
    bool const needed = still_needed(event_.link);
    (out ? state_.gone_out : state_.gone_in) |= bit;
    (out ? state_.out_open : state_.in_open) &= ~bit;
    close_link(event_.link);
    if (needed)
        return fail(Code::peer_closed, rank_behind(event_.link));
    pump_gather();
}

/// Whether the operation under way cannot end without this chord. Whoever says bye has finished that operation, so in a
/// healthy job nothing is missing; an early leaver is told apart by what it still owes.
bool RankStep::still_needed(Link link) const noexcept {
    bool const out = link.link_class() == LinkClass::chord_out;
    std::uint32_t const k = link.index();
    bool const gather = state_.phase == Phase::gathering || state_.doing == OperationKind::all_gather ||
                        state_.doing == OperationKind::barrier ||
                        (state_.phase == Phase::committing && policies_.commit == Commit::chords);
    if (state_.phase < Phase::gathering)
        return true;
    if (!gather || has(RankState::kServedAll))
        return false;  // broadcasts look at gone_out and gone_in as they go
    if (state_.algorithm == Gather::doubling) {
        if (k >= doubling_rounds(config_.nranks, state_.operation))
            return false;
        return ((out ? state_.heard : state_.served) >> k & 1U) == 0;
    }
    if (k != 0)
        return false;
    RingShares shares = ring_shares(config_.nranks, state_.algorithm);
    std::uint32_t const forwarded = state_.from_prev;  // all that arrives goes on, but the last
    bool const sends_forward = forwarded + 1U < shares.from_prev;
    bool const sends_backward = state_.from_next + 1U < shares.from_next;
    if (policies_.turns == Turns::pipelined) {
        return out ? sends_forward || state_.from_next < shares.from_next
                   : sends_backward || state_.from_prev < shares.from_prev;
    }
    // In lock-step `turn` counts the turns whose sends are out; the last rounds of an even ring go forward only.
    bool const lengths = policies_.turns == Turns::lock_step_lengths;
    std::uint32_t const turns_per_round = !lengths ? 1U : state_.algorithm == Gather::ring2 ? 3U : 2U;
    if (state_.turn < (out ? shares.from_prev : shares.from_next) * turns_per_round)
        return true;
    if (lengths)
        shares = {shares.from_prev * 2U, shares.from_next * 2U};
    return out ? state_.from_next < shares.from_next : state_.from_prev < shares.from_prev;
}

/// Whoever has sent its proof believes itself admitted, but the other end may have turned it away in that very moment.
/// While nothing was heard from there a fresh socket tells: a living peer takes it, a dead one refuses [6.3].
bool RankStep::may_dial_again(Link link) const noexcept {
    bool const programs = goes_around() && state_.doing == OperationKind::all_gather;  // its slices may be lost
    Dial const& dialling = state_.dials[2];
    bool const dial_free = dialling.state == Dial::State::idle || dialling.state == Dial::State::open;
    return policies_.auth == Auth::keyed && event_.failure != Failure::malformed && !programs && dial_free &&
           (state_.spoken >> link.index() & 1U) == 0;
}

/// A connection between ranks ended without bye.
void RankStep::peer_link_closed() noexcept {
    RankId const peer = rank_behind(event_.link);
    if (event_.link.link_class() == LinkClass::chord_out) {
        if ((state_.out_open >> event_.link.index() & 1U) == 0)
            return;
        state_.out_open &= ~(1U << event_.link.index());
        if (may_dial_again(event_.link)) {
            // Around the ring something of mine is lost with it. That call only gives whoever knows more the time to
            // say so, before this rank says who is gone [6.8].
            if (goes_around() && state_.operation == 0 && state_.phase >= Phase::gathering)
                set(RankState::kTorn);
            return dial(2, event_.link);
        }
    } else if (event_.link.link_class() == LinkClass::chord_in) {
        if ((state_.in_open >> event_.link.index() & 1U) == 0)
            return;
        state_.in_open &= ~(1U << event_.link.index());
    } else if (event_.link.link_class() == LinkClass::mail_out) {
        state_.dials[2] = state_.dials[2].link == event_.link ? Dial{} : state_.dials[2];
        bool const in_use = state_.doing == OperationKind::send && state_.peer == peer;
        if (!in_use)
            return;
    } else {
        bool const awaited = state_.doing == OperationKind::receive && state_.peer == peer;
        if (!awaited)
            return;
    }
    Error error;
    error.code = event_.failure == Failure::malformed ? Code::protocol_violation : Code::rank_lost;
    error.about = peer;
    error.failure = event_.failure;
    error.os_error = event_.os_error;
    fail(error);
}

void RankStep::on_close() noexcept {
    if (state_.phase != Phase::ready)
        return fail(Code::aborted, config_.rank);
    state_.phase = Phase::closed;
    state_.farewell = 0;
    say_farewell();
}

/// Whom a gather or a broadcast under way waits for first.
RankId RankStep::waited_for() const noexcept {
    if (state_.doing == OperationKind::broadcast) {
        std::uint32_t const position = (state_.peer + config_.nranks - config_.rank) % config_.nranks;
        std::uint32_t const first_child = log2_ceil(std::uint64_t{position} + 1U);
        if (state_.window == 0)
            return rank_behind(chord_out(first_child - 1U));
        std::uint32_t k = first_child;
        while ((state_.served >> k & 1U) != 0)
            ++k;
        return rank_behind(chord_in(k));
    }
    if (state_.algorithm != Gather::doubling)
        return rank_behind(still_needed(chord_in(0)) ? chord_in(0) : chord_out(0));
    std::uint32_t const rounds = doubling_rounds(config_.nranks, state_.operation);
    for (std::uint32_t k = 0; k < rounds; ++k) {
        if ((state_.heard >> k & 1U) == 0)
            return rank_behind(chord_out(k));
    }
    for (std::uint32_t k = 0; k < rounds; ++k) {
        if ((state_.served >> k & 1U) == 0)
            return rank_behind(chord_in(k));
    }
    return kNoRank;
}

TimeNs last_call_ns(RankConfig const& config, RankState const& state) noexcept {
    bool const bootstrap = state.phase >= Phase::connecting_ring && state.phase <= Phase::committing;
    Dial const& dial = state.dials[2];
    bool const unanswered = dial.state != Dial::State::idle && dial.state != Dial::State::open;
    if (!bootstrap || state.deadline_ns == kNever)
        return kNever;
    // Who calls in vain knows that its peer checked in, and speaks before the root does; who merely was not called
    // leaves it to the root to say whether that peer ever came.
    if (unanswered)
        return state.deadline_ns - std::min(config.budget_ns / 5, 500 * kMillisecondNs);
    if (state.phase != Phase::connecting_ring)
        return kNever;
    return state.deadline_ns - std::min(config.budget_ns / 10, 200 * kMillisecondNs);
}

bool RankStep::last_call() const noexcept { return event_.now >= last_call_ns(config_, state_); }

/// The deadline passed: say what was waited for, as precisely as this rank can know it.
void RankStep::fail_at_deadline() noexcept {
    Error error;
    error.code = Code::deadline;
    Dial const& root = state_.dials[0];
    Dial const& peer = state_.dials[2];
    switch (state_.phase) {
    case Phase::checking_in:
        error.code = root.unanswered > 0 || root.state == Dial::State::greeting ? Code::root_silent : Code::root_lost;
        error.failure = root.last_failure == Failure::none ? Failure::timed_out : root.last_failure;
        error.os_error = root.last_os_error;
        break;
    case Phase::connecting_ring:
    case Phase::gathering:
    case Phase::committing:
    case Phase::ready:
        if (peer.state != Dial::State::idle && peer.state != Dial::State::open) {
            error.code = Code::peer_unreachable;
            error.about = rank_behind(peer.link);
            error.failure = peer.last_failure == Failure::none ? Failure::timed_out : peer.last_failure;
            error.os_error = peer.last_os_error;
        } else if (state_.phase == Phase::connecting_ring) {
            error.about = predecessor_of(config_.rank, config_.nranks);
            // Whom it waits for may wait for that root.
            bool const root_gone = root.state == Dial::State::idle && root.last_failure != Failure::none;
            if (root_gone) {
                error.code = Code::root_lost;
                error.failure = root.last_failure;
            }
        } else if (state_.doing == OperationKind::send || state_.doing == OperationKind::receive) {
            error.about = state_.peer;
        } else if (state_.phase != Phase::committing || policies_.commit == Commit::chords) {
            error.about = waited_for();
        }
        break;
    default: break;
    }
    fail(error);
}

}  // namespace ronde::protocol
