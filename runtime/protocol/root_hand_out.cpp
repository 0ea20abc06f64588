/// What the root gives: a successor to each rank, or the table, and the word that everyone is done
/// [clauses 5.3, 5.4, 5.8].
#include "protocol/root_step.hpp"

namespace ronde::protocol {
namespace {

constexpr std::uint32_t kNcclRetries = 34;
constexpr std::uint32_t kArticleRefusals = 20'000;
constexpr std::uint32_t kNone = 0xffff'ffffU;

}  // namespace

/// Local id of the rank after `local_id`; the block's last rank is followed by the extra check-in or, with one root, by
/// 0.
std::uint32_t RootStep::successor_id(std::uint32_t local_id) const noexcept {
    return (local_id + 1U) % root_.expected_;
}

/// `local_id` is new: it may complete a pair with the rank before it and with the rank after it.
void RootStep::pair_known(std::uint32_t local_id) noexcept {
    if (policies_.hand_out != HandOut::as_known)
        return;
    std::uint32_t const before = (local_id + root_.expected_ - 1U) % root_.expected_;
    std::uint32_t const candidates[2] = {before, local_id};
    for (std::uint32_t i = before == local_id ? 1 : 0; i < 2; ++i) {
        std::uint32_t const candidate = candidates[i];
        if (candidate >= to_serve())
            continue;
        std::uint32_t const both = record(candidate).flags & record(successor_id(candidate)).flags;
        if ((both & RootRecord::kCheckedIn) == 0 || (record(candidate).flags & RootRecord::kServed) != 0)
            continue;
        if (calls_back())
            root_.calls_[root_.call_count_++] = candidate;
        else
            serve(candidate);
    }
    if (root_.call_count_ == 0)
        return;
    grant(0);  // one thing at a time: while it calls, nobody is accepted
    call_next();
}

void RootStep::everyone_here() noexcept {
    if (policies_.hand_out == HandOut::as_known)
        return;
    root_.phase_ = RootPhase::handing_out;
    root_.cursor_ = 0;
    if (!calls_back())
        return pump_table();
    grant(0);
    call_next();
}

/// Sends what `local_id` is owed on its check-in connection: the whole table, or its successor's entry.
/// Whose connection was reset a moment ago counts as served and is told when it comes back.
void RootStep::serve(std::uint32_t local_id) noexcept {
    if ((record(local_id).flags & RootRecord::kConnected) == 0)
        return served_one(local_id);
    Frame frame;
    if (policies_.hand_out == HandOut::table) {
        frame.kind = FrameKind::slices;
        frame.payload_bytes = root_.nranks_ * kEntryBytes;
        frame.b = root_.nranks_;
        frame.c = kEntryBytes;
        send(member(local_id), frame, Source::table, 0, root_.nranks_);
    } else {
        RankId const successor = rank_of(successor_id(local_id));
        frame.kind = FrameKind::successor;
        frame.payload_bytes = kEntryBytes;
        frame.a = successor;
        send(member(local_id), frame, Source::entry, successor, 1);
    }
    served_one(local_id);
}

void RootStep::served_one(std::uint32_t local_id) noexcept {
    if ((record(local_id).flags & RootRecord::kServed) != 0)
        return;
    record(local_id).flags |= RootRecord::kServed;
    if (++root_.served_ < to_serve())
        return;
    if (calls_back())
        return round_over();
    root_.phase_ = RootPhase::committing;
}

/// Everyone is served in rank order, a bounded number per step.
void RootStep::pump_table() noexcept {
    while (root_.phase_ == RootPhase::handing_out) {
        if (actions_.room() < 1)
            return actions_.ask_for_more();
        serve(root_.cursor_++);
    }
}

// --- calling back, one rank at a time ---------------------------------------------------------------------------

void RootStep::call_next() noexcept {
    if (root_.callback_target_ == kNone) {
        if (root_.phase_ == RootPhase::handing_out) {
            root_.callback_target_ = root_.cursor_++;
        } else if (root_.call_count_ > 0) {
            root_.callback_target_ = root_.calls_[0];
            --root_.call_count_;
            for (std::uint32_t i = 0; i < root_.call_count_; ++i)
                root_.calls_[i] = root_.calls_[i + 1U];
        } else {
            return grant(1);
        }
        root_.callback_attempt_ = 0;
    }
    ++root_.callback_attempt_;
    Action& action = actions_.push(ActionKind::connect);
    action.link = kCallbackLink;
    action.rank = rank_of(root_.callback_target_);
}

void RootStep::on_called() noexcept {
    if (event_.link != kCallbackLink || root_.callback_target_ == kNone)
        return;
    std::uint32_t const local_id = root_.callback_target_;
    Frame hello;
    hello.kind = FrameKind::hello;
    hello.payload_bytes = kNonceBytes;
    hello.aux = purpose_of(LinkClass::callback);
    hello.a = config_.root_index;
    hello.b = rank_of(local_id);
    hello.c = config_.session;
    send(kCallbackLink, hello, Source::handshake);
    Frame frame;
    RankId const successor = rank_of(successor_id(local_id));
    frame.kind = FrameKind::successor;
    frame.payload_bytes = kEntryBytes;
    frame.a = successor;
    send(kCallbackLink, frame, Source::entry, successor, 1);
    close_link(kCallbackLink);
    root_.callback_target_ = kNone;
    served_one(local_id);
    if (!root_.finished())
        call_next();
}

void RootStep::on_call_failed() noexcept {
    if (event_.link != kCallbackLink || root_.callback_target_ == kNone)
        return;
    std::uint32_t const limit = policies_.retry == Retry::article ? kArticleRefusals : kNcclRetries;
    bool const retried = event_.failure == Failure::refused || event_.failure == Failure::timed_out ||
                         event_.failure == Failure::unreachable;
    if (!retried || root_.callback_attempt_ > limit) {
        Error error;
        error.code = Code::peer_unreachable;
        error.about = rank_of(root_.callback_target_);
        error.failure = event_.failure;
        error.os_error = event_.os_error;
        return judge(error);
    }
    std::uint64_t const pause_ms = policies_.retry == Retry::article ? 1U : 100U * root_.callback_attempt_;
    root_.callback_due_ns_ = after_ms(pause_ms);
}

// --- the end of a good round ------------------------------------------------------------------------------------

void RootStep::on_done(std::uint32_t local_id) noexcept {
    if ((record(local_id).flags & RootRecord::kDone) != 0)
        return;
    record(local_id).flags |= RootRecord::kDone;
    if (++root_.done_ < root_.expected_)
        return;
    if (policies_.commit != Commit::root)
        return round_over();
    root_.cursor_ = 0;
    pump_commit();
}

void RootStep::pump_commit() noexcept {
    Frame frame;
    frame.kind = FrameKind::commit;
    while (root_.cursor_ < root_.expected_) {
        if (actions_.room() < 3)
            return actions_.ask_for_more();
        std::uint32_t const local_id = root_.cursor_++;
        if ((record(local_id).flags & RootRecord::kConnected) == 0)
            continue;
        send(member(local_id), frame);
        close_link(member(local_id));
    }
    round_over();
}

void RootStep::round_over() noexcept {
    root_.phase_ = RootPhase::finished;
    root_.deadline_ns_ = kNever;
    // The roots of old close their door; ours stays open, so that a second job with this id hears why it cannot start.
    if (calls_back())
        actions_.push(ActionKind::deafen).listener = Listener::root;
    actions_.push(ActionKind::finish);
}

}  // namespace ronde::protocol
