#include "protocol/rank.hpp"

#include "protocol/check.hpp"
#include "protocol/rank_step.hpp"
#include "protocol/transitions.hpp"

#include <algorithm>

namespace ronde::protocol {

void Rank::step(Event const& event, Actions& actions) noexcept {
    PhaseSet const targets = targets_of(state_.phase, event.kind);
    if (targets == 0)
        return;
    RankStep(*this, event, actions).run();
    RONDE_CHECK((targets & phase_bit(state_.phase)) != 0, "a rank may only move along its transition table");
}

TimeNs Rank::deadline() const noexcept {
    if (finished() || state_.phase == Phase::created)
        return kNever;
    TimeNs earliest = std::min(state_.deadline_ns, last_call_ns(*config_, state_));
    for (Dial const& dial : state_.dials)
        earliest = std::min(earliest, dial.due_ns);
    for (std::uint32_t slot = 0; slot < RankState::kDoors; ++slot)
        earliest = std::min(earliest, door_due_ns(*config_, state_, slot));
    return earliest;
}

Reception Rank::reception(Link link, Frame const& frame) const noexcept {
    using Kind = Reception::Kind;
    if (frame.kind == FrameKind::slices) {
        bool const early = frame.d > state_.operation;
        bool const between = state_.phase == Phase::ready && state_.doing == OperationKind::none;
        bool const gathering = state_.phase == Phase::gathering || state_.phase == Phase::committing ||
                               (state_.phase == Phase::ready && !between) ||
                               (state_.phase == Phase::connecting_ring &&
                                config_->policies.gather == Gather::doubling && link == chord_out(0));
        if (link == kRootLink) {
            bool const whole = frame.d == 0 && frame.a == 0 && frame.b == config_->nranks && frame.c == kEntryBytes &&
                               frame.payload_bytes == std::uint64_t{frame.b} * kEntryBytes;
            if (!whole || config_->policies.gather != Gather::star)
                return {Kind::refuse, Source::none, 0, 0};
            return {Kind::take, Source::table, 0, frame.b};
        }
        if (early) {
            // A token has no payload and can be remembered; everything else waits in the socket for its buffer.
            bool const token = frame.c == 0 && frame.payload_bytes == 0 && frame.d == state_.operation + 1U &&
                               link.link_class() == LinkClass::chord_out;
            return {token ? Kind::take : Kind::hold, Source::none, 0, 0};
        }
        if (!gathering)
            return {frame.d == state_.operation && !between ? Kind::hold : Kind::refuse, Source::none, 0, 0};
        bool const fits = frame.a < config_->nranks && frame.b <= config_->nranks && frame.c == state_.slice_bytes &&
                          frame.payload_bytes == frame.b * frame.c && frame.d == state_.operation;
        if (!fits)
            return {Kind::refuse, Source::none, 0, 0};
        if (state_.doing == OperationKind::broadcast)
            return {Kind::take, Source::operation, 0, 1};
        Source const source = frame.c == 0 ? Source::none : state_.operation == 0 ? Source::table : Source::operation;
        return {Kind::take, source, frame.a, frame.b};
    }
    if (frame.kind == FrameKind::length) {
        bool const now = frame.d == state_.operation &&
                         (state_.phase == Phase::gathering || state_.doing == OperationKind::all_gather);
        bool const later = frame.d > state_.operation || (frame.d == 0 && state_.phase < Phase::gathering);
        return {now ? Kind::take : later ? Kind::hold : Kind::refuse, Source::none, 0, 0};
    }
    if (frame.kind == FrameKind::message) {
        bool const asked = state_.doing == OperationKind::receive && link == mail_in(state_.peer) &&
                           frame.c == state_.tag && !(state_.flags & RankState::kMailSent);
        if (!asked)
            return {Kind::mail, Source::none, 0, 0};
        if (frame.payload_bytes != state_.slice_bytes)
            return {Kind::refuse, Source::none, 0, 0};
        return {Kind::take, frame.payload_bytes == 0 ? Source::none : Source::operation, 0, 1};
    }
    return {};
}

void Rank::set_back(TimeNs elapsed_ns) noexcept {
    state_.deadline_ns = protocol::set_back(state_.deadline_ns, elapsed_ns);
    for (Dial& dial : state_.dials)
        dial.due_ns = protocol::set_back(dial.due_ns, elapsed_ns);
    for (TimeNs& due_ns : state_.door_due_ns)
        due_ns = protocol::set_back(due_ns, elapsed_ns);
}

void RankStep::run() noexcept {
    switch (event_.kind) {
    case EventKind::start: return begin();
    case EventKind::listening: return on_listening();
    case EventKind::listen_failed: return fail_by_itself();
    case EventKind::timer: return on_timer();
    case EventKind::connected: return on_connected();
    case EventKind::connect_failed: return on_connect_failed();
    case EventKind::accepted: return on_accepted();
    case EventKind::queued: return on_queued();
    case EventKind::accept_failed: return on_accept_failed();
    case EventKind::frame: return on_frame();
    case EventKind::closed: return on_closed();
    case EventKind::sent: return on_sent();
    case EventKind::inspected: return on_inspected();
    case EventKind::operate: return on_operate();
    case EventKind::collected:
        if (state_.doing == OperationKind::receive)
            complete();
        return;
    case EventKind::abort: return fail(Code::aborted, config_.rank);
    case EventKind::close: return on_close();
    case EventKind::resume: return say_farewell();
    }
}

void RankStep::on_listening() noexcept {
    state_.listeners = static_cast<std::uint8_t>(state_.listeners | (1U << static_cast<unsigned>(event_.listener)));
    bool const need_callback = calls_back();
    bool const have_ring = (state_.listeners & 1U) != 0;
    bool const have_callback = (state_.listeners & 2U) != 0;
    if (!have_ring || (need_callback && !have_callback))
        return;
    begin_check_in();
}

void RankStep::on_frame() noexcept {
    if (event_.link.link_class() == LinkClass::pending)
        return on_door_frame();
    bool const greeting = event_.frame.kind == FrameKind::challenge;
    if (event_.link.link_class() == LinkClass::chord_out && !greeting)
        state_.spoken |= 1U << event_.link.index();
    switch (event_.frame.kind) {
    case FrameKind::challenge:
        if (Dial* const dial = dial_of(event_.link); dial != nullptr && dial->state == Dial::State::greeting)
            return on_challenge(*dial);
        break;
    case FrameKind::successor: return on_successor();
    case FrameKind::slices:
        if (event_.link == kRootLink)
            return on_table();
        return on_slices();
    case FrameKind::length: return on_ring_frame();
    case FrameKind::commit: return on_commit();
    case FrameKind::roll_call:
        if (event_.link == kRootLink || event_.link == kPreviousRootLink)
            return answer_roll_call();
        break;
    case FrameKind::message: return on_message();
    case FrameKind::verdict: return on_verdict();
    case FrameKind::bye: return on_bye();
    case FrameKind::hello:
    case FrameKind::proof:
    case FrameKind::check_in:
    case FrameKind::done: break;
    }
    fail(Code::protocol_violation, rank_behind(event_.link), Failure::malformed);
}

void RankStep::on_closed() noexcept {
    if (event_.link.link_class() == LinkClass::pending)
        return on_door_closed();
    if (Dial* const dial = dial_of(event_.link); dial != nullptr && dial->state == Dial::State::greeting)
        return dial_failed(*dial, event_.failure, event_.os_error);
    switch (event_.link.link_class()) {
    case LinkClass::root:
    case LinkClass::previous_root: return root_link_closed();
    case LinkClass::callback:  // Before the successor came: another call may follow [5.3].
        if (!has(RankState::kKnowsSuccessor))
            grant(Listener::callback, 1);
        return;
    case LinkClass::chord_out:
    case LinkClass::chord_in:
    case LinkClass::mail_in:
    case LinkClass::mail_out: return peer_link_closed();
    case LinkClass::pending:
    case LinkClass::member:
    case LinkClass::none: return;
    }
}

void RankStep::on_timer() noexcept {
    if (event_.now >= state_.deadline_ns || last_call())
        return fail_at_deadline();
    on_door_timer();
    on_dial_timer();
}

RankId RankStep::rank_behind(Link link) const noexcept {
    switch (link.link_class()) {
    case LinkClass::chord_out: return successor_of(config_.rank, config_.nranks, std::uint64_t{1} << link.index());
    case LinkClass::chord_in: return predecessor_of(config_.rank, config_.nranks, std::uint64_t{1} << link.index());
    case LinkClass::mail_in:
    case LinkClass::mail_out: return link.index();
    default: return kNoRank;
    }
}

void RankStep::send(Link link, Frame const& frame, Source source, std::uint32_t first, std::uint32_t count,
                    bool notify) noexcept {
    Action& action = actions_.push(ActionKind::send);
    action.link = link;
    action.frame = frame;
    action.frame.version = config_.version;
    action.source = source;
    action.first = first;
    action.count = count;
    action.notify = notify;
}

void RankStep::close_link(Link link) noexcept { actions_.push(ActionKind::close).link = link; }

void RankStep::grant(Listener listener, std::uint32_t credits) noexcept {
    Action& action = actions_.push(ActionKind::accept);
    action.listener = listener;
    action.count = credits;
}

}  // namespace ronde::protocol
