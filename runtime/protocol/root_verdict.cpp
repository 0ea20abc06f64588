/// The end of a bad round: everyone hears the same verdict, which names phase, ranks and cause [clause 6].
#include "protocol/root_step.hpp"

#include <algorithm>

namespace ronde::protocol {

Verdict Root::notice() const noexcept {
    if (!verdict_.error.is_ok())
        return verdict_;
    Verdict notice;
    notice.error.code = Code::id_consumed;
    notice.error.phase = Phase::checking_in;
    return notice;
}

void RootStep::judge(Error error, Verdict const* detail) noexcept {
    if (over())
        return;
    find_guilty(error, detail);
    tell_everyone();
}

void RootStep::find_guilty(Error error, Verdict const* detail) noexcept {
    // What another root noticed keeps the phase in which that one did.
    if (error.reporter == kNoRank && error.phase == Phase::created) {
        error.phase = root_.phase_ == RootPhase::collecting    ? Phase::checking_in
                      : root_.phase_ == RootPhase::handing_out ? Phase::awaiting_successor
                                                               : Phase::committing;
    }
    if (detail != nullptr)
        root_.verdict_ = *detail;
    root_.verdict_.error = error;
    root_.phase_ = RootPhase::judging;
    root_.cursor_ = 0;
}

void RootStep::tell_everyone() noexcept {
    if (policies_.verdicts == Verdicts::everyone)
        return pump_verdict();
    root_.phase_ = RootPhase::failed;
    actions_.push(ActionKind::deafen).listener = Listener::root;
    actions_.push(ActionKind::finish);
}

void RootStep::pump_verdict() noexcept {
    Frame frame;
    frame.kind = FrameKind::verdict;
    frame.payload_bytes = kVerdictBytes;
    while (root_.cursor_ < root_.expected_) {
        if (actions_.room() < 3)
            return actions_.ask_for_more();
        RootRecord& member_record = record(root_.cursor_);
        Link const link = member(root_.cursor_++);
        if ((member_record.flags & RootRecord::kConnected) == 0)
            continue;
        if ((member_record.flags & RootRecord::kTold) == 0)
            send(link, frame, Source::verdict);
        member_record.flags = (member_record.flags | RootRecord::kTold) & ~std::uint32_t{RootRecord::kConnected};
        close_link(link);
    }
    root_.phase_ = RootPhase::failed;
    actions_.push(ActionKind::finish);
}

/// A rank's check-in connection ended before that rank was done.
void RootStep::member_lost(std::uint32_t local_id, Failure failure, std::int32_t os_error) noexcept {
    RootRecord& lost = record(local_id);
    lost.flags &= ~std::uint32_t{RootRecord::kConnected};
    if (over() || (lost.flags & RootRecord::kDone) != 0)
        return;
    // The first rank of the next block is here only to be told of: after that, its own root watches over it.
    bool const extra = local_id >= to_serve();
    if (extra && failure == Failure::reset && (record(to_serve() - 1U).flags & RootRecord::kServed) != 0)
        return on_done(local_id);
    if (failure == Failure::reset && !calls_back()) {  // it may come back with a fresh socket [6.7]
        lost.lost_ns = after_ms(policies_.return_patience_ms);
        root_.next_loss_ns_ = std::min(root_.next_loss_ns_, lost.lost_ns);
        return;
    }
    give_up(local_id, failure, os_error);
}

void RootStep::give_up(std::uint32_t local_id, Failure failure, std::int32_t os_error) noexcept {
    bool const served = (record(local_id).flags & RootRecord::kServed) != 0;
    Error error;
    error.code = Code::rank_lost;
    error.about = rank_of(local_id);
    error.about_phase = static_cast<std::uint32_t>(served ? Phase::connecting_ring : Phase::awaiting_successor);
    error.failure = failure;
    error.os_error = os_error;
    judge(error);
}

void RootStep::on_loss_timer() noexcept {
    root_.next_loss_ns_ = kNever;
    for (std::uint32_t local_id = 0; local_id < root_.expected_; ++local_id) {
        RootRecord& lost = record(local_id);
        if (lost.lost_ns > event_.now) {
            root_.next_loss_ns_ = std::min(root_.next_loss_ns_, lost.lost_ns);
            continue;
        }
        lost.lost_ns = kNever;
        // Nobody is done before all hold table and hands. So this one did, and said so where nobody could hear it.
        if (policies_.commit != Commit::chords || root_.done_ == 0)
            return give_up(local_id, Failure::reset, 0);
        on_done(local_id);
        if (over())
            return;
    }
}

/// Asks everyone who is not done to answer: a host that lost its power is told from those that wait for it [6.6].
void RootStep::call_the_roll() noexcept {
    root_.roll_call_ = RollCall::calling;
    root_.cursor_ = 0;
    pump_roll_call();
}

void RootStep::pump_roll_call() noexcept {
    Frame frame;
    frame.kind = FrameKind::roll_call;
    while (root_.cursor_ < root_.expected_) {
        if (actions_.room() < 2)
            return actions_.ask_for_more();
        std::uint32_t const local_id = root_.cursor_++;
        if ((record(local_id).flags & (RootRecord::kConnected | RootRecord::kDone)) != RootRecord::kConnected)
            continue;
        frame.a = rank_of(local_id);
        send(member(local_id), frame);
    }
    root_.roll_call_ = RollCall::called;
}

/// A root that has everyone knows less than a rank that waits for a hand, or than another root that misses somebody: it
/// waits for half the margin more, so that the better verdict can arrive, and calls the roll meanwhile. If all of its
/// ranks are there, somebody else's root may know more: it waits for half of the rest, too.
bool RootStep::waits_longer() noexcept {
    TimeNs const half_ns = root_.margin_ns_ / 2;
    if (half_ns == 0)
        return false;
    if (root_.roll_call_ == RollCall::none) {
        root_.deadline_ns_ = event_.now + half_ns;
        call_the_roll();
        return true;
    }
    bool const all_present = root_.ranks_without(RootRecord::kDone | RootRecord::kPresent).range_count == 0;
    if (root_.roll_call_ == RollCall::last_wait || !all_present || config_.nroots == 1)
        return false;
    root_.roll_call_ = RollCall::last_wait;
    root_.deadline_ns_ = event_.now + half_ns / 2;
    return true;
}

/// The most impatient rank is about to give up: say who is missing, who does not answer, or who is not done.
void RootStep::on_deadline() noexcept {
    root_.deadline_ns_ = kNever;
    if (root_.checked_in_ < root_.expected_ || root_.expected_ == 0) {
        Verdict const missing = root_.missing();
        Error error = missing.error;
        error.expected = root_.expected_;
        error.got = root_.checked_in_;
        return judge(error, &missing);
    }
    if (waits_longer())
        return;
    Verdict const silent = root_.ranks_without(RootRecord::kDone | RootRecord::kPresent);
    if (root_.roll_call_ != RollCall::none && silent.range_count > 0) {
        Error error = silent.error;
        error.code = Code::rank_lost;
        error.failure = Failure::timed_out;
        error.about_phase = static_cast<std::uint32_t>(Phase::connecting_ring);
        return judge(error, &silent);
    }
    Verdict const unfinished = root_.ranks_without(RootRecord::kDone);
    bool const only_one = unfinished.range_count == 1 && unfinished.ranges[0].first == unfinished.ranges[0].last;
    Error error = unfinished.error;
    error.code = Code::deadline;
    if (!only_one)
        error.about = kNoRank;
    judge(error, &unfinished);
}

}  // namespace ronde::protocol
