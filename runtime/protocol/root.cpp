#include "protocol/root.hpp"

#include "protocol/check.hpp"
#include "protocol/doors.hpp"
#include "protocol/root_step.hpp"
#include "protocol/transitions.hpp"

#include <algorithm>
#include <utility>

namespace ronde::protocol {
namespace {

std::uint32_t door_count(RootConfig const& config) {
    if (config.policies.accepting == Accepting::serial)
        return 1;
    return std::clamp<std::uint32_t>(config.pending_limit, 1, kMaxRootDoors);
}

}  // namespace

void Root::step(Event const& event, Actions& actions) noexcept {
    PhaseSet const targets = targets_of(phase_, event.kind);
    if (targets == 0)
        return;
    RootStep(*this, event, actions).run();
    RONDE_CHECK((targets & phase_bit(phase_)) != 0, "a root may only move along its transition table");
}

TimeNs Root::deadline() const noexcept {
    if (phase_ == RootPhase::created || phase_ == RootPhase::judging)
        return kNever;
    TimeNs earliest = doors_due_ns_;
    if (!finished())
        earliest = std::min({earliest, deadline_ns_, next_loss_ns_, sharers_due_ns_, callback_due_ns_});
    return earliest;
}

Reception Root::reception(Link, Frame const& frame) const noexcept {
    bool const bulky = frame.kind == FrameKind::slices || frame.kind == FrameKind::message;
    return {bulky ? Reception::Kind::refuse : Reception::Kind::take, Source::none, 0, 0};
}

Verdict Root::missing() const noexcept { return ranks_without(RootRecord::kCheckedIn); }

template <class IsListed>
Verdict Root::listed(IsListed const& is_listed) const noexcept {
    Verdict verdict;
    Partition const partition{nranks_, config_->nroots};
    for (std::uint32_t i = 0; i < expected_ && i < room_.records.size(); ++i) {
        if (!is_listed(room_.records[i]))
            continue;
        RankId const rank = (partition.first_of(config_->root_index) + i) % nranks_;
        if (verdict.error.about == kNoRank)
            verdict.error.about = rank;
        else if (verdict.error.other == kNoRank)
            verdict.error.other = rank;
        RankRange* const last = verdict.range_count > 0 ? &verdict.ranges[verdict.range_count - 1] : nullptr;
        if (last != nullptr && last->last + 1 == rank && verdict.more_ranks == 0) {
            last->last = rank;
        } else if (verdict.range_count < kMaxRanges) {
            verdict.ranges[verdict.range_count++] = {rank, rank};
        } else {
            ++verdict.more_ranks;
        }
    }
    return verdict;
}

Verdict Root::ranks_without(std::uint32_t flags) const noexcept {
    Verdict verdict = listed([flags](RootRecord const& record) { return (record.flags & flags) == 0; });
    verdict.error.code = Code::ranks_missing;
    verdict.error.other = kNoRank;
    return verdict;
}

Verdict Root::sharers_of(std::uint32_t local_id) const noexcept {
    RootRecord const& one = room_.records[local_id];
    Verdict verdict = listed([&one](RootRecord const& record) {
        return (record.flags & RootRecord::kCheckedIn) != 0 && record.host_id == one.host_id &&
               record.device_id == one.device_id;
    });
    std::swap(verdict.error.about, verdict.error.other);  // who came to a device of a lower rank is told of first
    verdict.error.code = Code::duplicate_device;
    verdict.error.got = one.device_id;
    return verdict;
}

void Root::set_back(TimeNs elapsed_ns) noexcept {
    for (TimeNs* const time_ns : {&deadline_ns_, &doors_due_ns_, &next_loss_ns_, &sharers_due_ns_, &callback_due_ns_})
        *time_ns = protocol::set_back(*time_ns, elapsed_ns);
    for (RootDoor& door : doors_)
        door.due_ns = protocol::set_back(door.due_ns, elapsed_ns);
    for (RootRecord& record : room_.records)
        record.lost_ns = protocol::set_back(record.lost_ns, elapsed_ns);
}

void RootStep::run() noexcept {
    switch (event_.kind) {
    case EventKind::start: return begin();
    case EventKind::listening: return;
    case EventKind::listen_failed: {
        Error error;
        error.code = Code::local_failure;
        error.failure = event_.failure;
        error.os_error = event_.os_error;
        root_.verdict_.error = error;
        root_.phase_ = RootPhase::failed;
        actions_.push(ActionKind::finish);
        return;
    }
    case EventKind::accepted: return on_accepted();
    case EventKind::queued: return on_queued();
    case EventKind::accept_failed: return on_accept_failed();
    case EventKind::frame:
        if (event_.link.link_class() == LinkClass::pending)
            return on_door_frame();
        if (event_.link.link_class() == LinkClass::member)
            return on_member_frame();
        return;
    case EventKind::closed: return on_closed();
    case EventKind::timer: return on_timer();
    case EventKind::connected: return on_called();
    case EventKind::connect_failed: return on_call_failed();
    case EventKind::abort: {
        Error error;
        error.code = Code::aborted;
        return judge(error);
    }
    case EventKind::resume:
        if (root_.phase_ == RootPhase::handing_out)
            return pump_table();
        if (root_.phase_ == RootPhase::committing)
            return root_.roll_call_ == RollCall::calling ? pump_roll_call() : pump_commit();
        if (root_.phase_ == RootPhase::judging)
            return pump_verdict();
        return;
    default: return;
    }
}

void RootStep::begin() noexcept {
    if (config_.expected_nranks != 0 && !adopt_reference(config_.expected_nranks, kNoRank))
        return;
    root_.phase_ = RootPhase::collecting;
    if (config_.budget_ns < kNever - event_.now)
        root_.deadline_ns_ = event_.now + config_.budget_ns;
    actions_.push(ActionKind::listen).listener = Listener::root;
    grant(door_count(config_));
}

void RootStep::on_accepted() noexcept {
    std::uint32_t const slot = event_.link.index();
    if (slot >= door_count(config_))
        return close_link(event_.link);
    RootDoor& door = root_.doors_[slot];
    door = RootDoor{};
    door.state = RootDoor::State::silent;
    ++root_.accepted_;
    root_.contested_ = false;  // if more wait, `queued` follows
    if (policies_.deadlines == Deadlines::everywhere) {
        door.due_ns = after_ms(policies_.handshake_patience_ms);
        root_.doors_due_ns_ = std::min(root_.doors_due_ns_, door.due_ns);
    }
}

void RootStep::on_queued() noexcept {
    if (policies_.deadlines == Deadlines::none)
        return;
    root_.contested_ = true;
    on_door_timer();
}

/// Descriptors that strangers hold may come back. Those of ranks do not before the round is over [3.7].
void RootStep::on_accept_failed() noexcept {
    if (policies_.deadlines != Deadlines::everywhere)
        return;
    on_queued();
    bool const all_free = std::all_of(root_.doors_.begin(), root_.doors_.end(),
                                      [](RootDoor const& door) { return door.state == RootDoor::State::free; });
    if (!all_free || root_.phase_ != RootPhase::collecting)
        return;
    Error error;
    error.code = Code::local_failure;
    error.failure = event_.failure;
    error.os_error = event_.os_error;
    error.expected = root_.expected_;
    error.got = root_.checked_in_;
    judge(error);
}

bool RootStep::hello_fits() const noexcept {
    Frame const& frame = event_.frame;
    LinkClass const purpose = purpose_class(frame.aux);
    if (policies_.auth == Auth::none)
        return true;
    return frame.c == config_.session && frame.b == config_.root_index &&
           (purpose == LinkClass::root || purpose == LinkClass::previous_root);
}

void RootStep::on_door_frame() noexcept {
    std::uint32_t const slot = event_.link.index();
    if (slot >= kMaxRootDoors || root_.doors_[slot].state == RootDoor::State::free)
        return;
    RootDoor& door = root_.doors_[slot];
    using State = RootDoor::State;
    switch (event_.frame.kind) {
    case FrameKind::hello: {
        if (door.state != State::silent || !hello_fits())
            return turn_away(slot);
        root_.hurried_ = 0;  // not all who come are silent
        if (policies_.auth != Auth::keyed) {
            door.state = State::proven;
            door.proven_rank = event_.frame.a;
            return;
        }
        door.state = State::challenged;
        Frame frame = event_.frame;
        frame.kind = FrameKind::challenge;
        frame.payload_bytes = kNonceBytes + kTagBytes;
        return send(event_.link, frame, Source::handshake);
    }
    case FrameKind::proof:
        if (door.state != State::challenged || !event_.authentic || !hello_fits())
            return turn_away(slot);
        door.state = State::proven;
        door.proven_rank = event_.frame.a;
        return;
    case FrameKind::check_in:
        if (door.state != State::proven)
            return turn_away(slot);
        return on_check_in(slot);
    default: return turn_away(slot);
    }
}

void RootStep::on_member_frame() noexcept {
    std::uint32_t const local_id = event_.link.index();
    if (over() || local_id >= root_.expected_)
        return;
    Error error;
    switch (event_.frame.kind) {
    case FrameKind::done: return on_done(local_id);
    case FrameKind::roll_call: record(local_id).flags |= RootRecord::kPresent; return;
    case FrameKind::verdict:
        if (event_.payload.size() == kVerdictBytes) {
            Verdict detail = decode_verdict(event_.payload);
            if (detail.error.is_ok())
                break;
            if (detail.error.code == Code::protocol_violation && detail.error.about == kNoRank)
                detail.error.about = rank_of(local_id);
            record(local_id).flags |= RootRecord::kTold;
            return judge(detail.error, &detail);
        }
        break;
    default: break;
    }
    error.code = Code::protocol_violation;
    error.about = rank_of(local_id);
    error.failure = Failure::malformed;
    judge(error);
}

void RootStep::on_closed() noexcept {
    Link const link = event_.link;
    if (link.link_class() == LinkClass::pending) {
        if (link.index() >= kMaxRootDoors || root_.doors_[link.index()].state == RootDoor::State::free)
            return;
        bool const wedges = policies_.verdicts == Verdicts::silent &&
                            root_.doors_[link.index()].state == RootDoor::State::proven && !over();
        free_door(link.index());
        ++root_.strangers_;
        if (wedges) {  // 2.4 and later: a peer that proves itself and closes takes the root down with it
            Error error;
            error.code = Code::protocol_violation;
            error.failure = event_.failure;
            judge(error);
        }
        return;
    }
    if (link == kCallbackLink)
        return;
    if (link.link_class() == LinkClass::member && link.index() < root_.expected_)
        member_lost(link.index(), event_.failure, event_.os_error);
}

void RootStep::on_timer() noexcept {
    on_door_timer();
    if (over())
        return;
    if (event_.now >= root_.sharers_due_ns_)
        return judge_sharers();
    if (event_.now >= root_.deadline_ns_)
        return on_deadline();
    if (event_.now >= root_.next_loss_ns_)
        on_loss_timer();
    if (over() || event_.now < root_.callback_due_ns_)
        return;
    root_.callback_due_ns_ = kNever;
    call_next();
}

/// At the end of its patience, or sooner while it is silent and others wait [3.4].
TimeNs RootStep::door_due_ns(RootDoor const& door) const noexcept {
    bool const hurried = root_.contested_ && door.state == RootDoor::State::silent;
    std::uint32_t const crowds = root_.hurried_ / door_count(config_);
    return hurried ? contested_due_ns(door.due_ns, policies_.handshake_patience_ms, crowds) : door.due_ns;
}

void RootStep::on_door_timer() noexcept {
    RootDoor const* oldest = nullptr;
    for (std::uint32_t slot = 0; slot < kMaxRootDoors && actions_.room() > 4; ++slot) {
        RootDoor const& door = root_.doors_[slot];
        if (door.state == RootDoor::State::free)
            continue;
        if (event_.now >= door.due_ns)
            turn_away(slot);  // and nobody is hurried any more
        else if (event_.now >= door_due_ns(door) && (oldest == nullptr || door.due_ns < oldest->due_ns))
            oldest = &door;
    }
    if (root_.contested_ && oldest != nullptr) {
        root_.hurried_ = std::min(root_.hurried_ + 1U, kMostHalvings * kMaxRootDoors);
        turn_away(static_cast<std::uint32_t>(oldest - root_.doors_.data()));
    }
    root_.doors_due_ns_ = kNever;
    for (RootDoor const& door : root_.doors_) {
        if (door.state != RootDoor::State::free)
            root_.doors_due_ns_ = std::min(root_.doors_due_ns_, std::max(door_due_ns(door), event_.now));
    }
}

void RootStep::turn_away(std::uint32_t slot) noexcept {
    ++root_.strangers_;
    free_door(slot);
    close_link(pending(slot));
}

/// There is room for one who waits.
void RootStep::free_door(std::uint32_t slot) noexcept {
    root_.doors_[slot] = RootDoor{};
    root_.contested_ = false;
}

RankId RootStep::rank_of(std::uint32_t local_id) const noexcept {
    return successor_of(partition().first_of(config_.root_index), root_.nranks_, local_id);
}

void RootStep::send(Link link, Frame const& frame, Source source, std::uint32_t first, std::uint32_t count) noexcept {
    Action& action = actions_.push(ActionKind::send);
    action.link = link;
    action.frame = frame;
    action.frame.version = config_.version;
    action.source = source;
    action.first = first;
    action.count = count;
}

void RootStep::close_link(Link link) noexcept { actions_.push(ActionKind::close).link = link; }

void RootStep::grant(std::uint32_t credits) noexcept {
    Action& action = actions_.push(ActionKind::accept);
    action.listener = Listener::root;
    action.count = credits;
}

}  // namespace ronde::protocol
