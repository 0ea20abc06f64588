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
    if (error.reporter == kNoRank) {
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
    bool const served = (lost.flags & RootRecord::kServed) != 0;
    // The first rank of the next block is here only to be told of: after that, its own root watches over it.
    bool const extra = local_id >= to_serve();
    if (extra && failure == Failure::reset && (record(to_serve() - 1U).flags & RootRecord::kServed) != 0)
        return on_done(local_id);
    if (failure == Failure::reset && !served) {  // it may come back with a fresh socket [6.3]
        lost.lost_ns = after_ms(policies_.return_patience_ms);
        root_.next_loss_ns_ = std::min(root_.next_loss_ns_, lost.lost_ns);
        return;
    }
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
        Error error;
        error.code = Code::rank_lost;
        error.about = rank_of(local_id);
        error.about_phase = static_cast<std::uint32_t>(Phase::awaiting_successor);
        error.failure = Failure::reset;
        return judge(error);
    }
}

/// A root that has everyone knows less than a rank that waits for a hand, or than another root that misses somebody:
/// it waits for half the margin more, so that the better verdict can arrive. True the first time.
bool RootStep::margin_due() noexcept {
    if (root_.margin_ns_ == 0)
        return false;
    root_.deadline_ns_ = event_.now + root_.margin_ns_ / 2;
    root_.margin_ns_ = 0;
    return true;
}

/// The most impatient rank is about to give up: say who is missing, or who is not done.
void RootStep::on_deadline() noexcept {
    root_.deadline_ns_ = kNever;
    Error error;
    if (root_.checked_in_ < root_.expected_ || root_.expected_ == 0) {
        Verdict const missing = root_.missing();
        error = missing.error;
        error.expected = root_.expected_;
        error.got = root_.checked_in_;
        return judge(error, &missing);
    }
    if (margin_due())
        return;
    Verdict unfinished = root_.ranks_without(RootRecord::kDone);
    bool const only_one = unfinished.range_count == 1 && unfinished.ranges[0].first == unfinished.ranges[0].last;
    error = unfinished.error;
    error.code = Code::deadline;
    if (!only_one)
        error.about = kNoRank;
    judge(error, &unfinished);
}

}  // namespace ronde::protocol
