/// Accepted connections until they have shown who they are [clause 3]. Whoever cannot is a stranger: counted, dropped,
/// forgotten. Doors are few; protocol/doors.hpp says how long a stranger may hold one of them.
#include "protocol/doors.hpp"
#include "protocol/rank_step.hpp"

#include <algorithm>
#include <iterator>

namespace ronde::protocol {

TimeNs door_due_ns(RankConfig const& config, RankState const& state, std::uint32_t slot) noexcept {
    TimeNs const due_ns = state.door_due_ns[slot];
    bool const hurried = state.doors[slot] == Door::silent && (state.flags & RankState::kContested) != 0;
    return hurried ? contested_due_ns(due_ns, config.policies.handshake_patience_ms) : due_ns;
}

void RankStep::on_accepted() noexcept {
    std::uint32_t const slot = event_.link.index();
    if (slot >= RankState::kDoors)
        return close_link(event_.link);
    ++state_.accepted;
    reset(RankState::kContested);  // if more wait, `queued` follows
    state_.doors[slot] = Door::silent;
    if (event_.listener == Listener::callback)
        state_.callback_doors = static_cast<std::uint8_t>(state_.callback_doors | (1U << slot));
    if (policies_.deadlines == Deadlines::everywhere)
        state_.door_due_ns[slot] = after_ms(policies_.handshake_patience_ms);
}

void RankStep::on_queued() noexcept {
    if (policies_.deadlines == Deadlines::none)
        return;  // the profiles of old wait for the silent one
    set(RankState::kContested);
    on_door_timer();
}

/// Whoever waits outside may be one without whom this rank cannot go on [3.7].
void RankStep::on_accept_failed() noexcept {
    if (policies_.deadlines != Deadlines::everywhere)
        return;
    on_queued();
    bool const all_free =
        std::all_of(std::begin(state_.doors), std::end(state_.doors), [](Door door) { return door == Door::free; });
    if (all_free && event_.listener == Listener::ring && needs_a_caller())
        fail_by_itself();
}

/// Somebody whose hand the ring or the gather cannot do without has not called yet.
bool RankStep::needs_a_caller() const noexcept {
    std::uint32_t const came = state_.in_open | state_.gone_in;
    if (state_.phase == Phase::connecting_ring)
        return (came & 1U) == 0;
    std::uint32_t const all = (1U << doubling_rounds(config_.nranks, 0)) - 1U;
    return state_.phase == Phase::gathering && policies_.gather == Gather::doubling && (came & all) != all;
}

void RankStep::on_door_frame() noexcept {
    std::uint32_t const slot = event_.link.index();
    if (slot >= RankState::kDoors || state_.doors[slot] == Door::free)
        return;
    Link const link = admission();
    if (link == Link{})
        return turn_away(slot);
    bool const hello = event_.frame.kind == FrameKind::hello && state_.doors[slot] == Door::silent;
    bool const proof = event_.frame.kind == FrameKind::proof && state_.doors[slot] == Door::challenged;
    if (policies_.auth != Auth::keyed)
        return hello ? admit(slot, link) : turn_away(slot);
    if (hello) {
        state_.doors[slot] = Door::challenged;
        Frame frame = event_.frame;
        frame.kind = FrameKind::challenge;
        frame.payload_bytes = kNonceBytes + kTagBytes;
        return send(event_.link, frame, Source::handshake);
    }
    if (proof && event_.authentic)
        return admit(slot, link);
    turn_away(slot);
}

/// The link that hello or proof asks for, or Link{} when nobody with these numbers has business here.
Link RankStep::admission() const noexcept {
    Frame const& frame = event_.frame;
    bool const on_callback = ((std::uint32_t{state_.callback_doors} >> event_.link.index()) & 1U) != 0;
    if (on_callback) {
        bool const fits = purpose_class(frame.aux) == LinkClass::callback &&
                          (policies_.auth == Auth::none || frame.c == config_.session);
        return fits ? kCallbackLink : Link{};
    }
    if (policies_.auth != Auth::none && frame.c != config_.session)
        return {};
    Link const asked = link_asked_for();
    // Without a handshake the first who comes is believed to be the predecessor: the weak spot of old [3.1].
    bool const ring_stood = ((state_.in_open | state_.gone_in) & 1U) != 0;
    if (asked == Link{} && policies_.auth == Auth::none && !ring_stood)
        return chord_in(0);
    return asked;
}

/// What hello's own numbers ask for, if they are those of a rank that may.
Link RankStep::link_asked_for() const noexcept {
    Frame const& frame = event_.frame;
    if (frame.b != config_.rank || frame.a >= config_.nranks)
        return {};
    if (purpose_class(frame.aux) == LinkClass::mail_out)
        return mail_in(frame.a);
    if (purpose_class(frame.aux) != LinkClass::chord_out)
        return {};
    std::uint32_t const k = purpose_chord(frame.aux);
    if (k >= kMaxChords || (1U << k) >= config_.nranks || (state_.in_open >> k & 1U) != 0)
        return {};
    if (frame.a != predecessor_of(config_.rank, config_.nranks, std::uint64_t{1} << k))
        return {};
    return chord_in(k);
}

void RankStep::admit(std::uint32_t slot, Link link) noexcept {
    free_door(slot);
    Action& action = actions_.push(ActionKind::admit);
    action.link = pending(slot);
    action.to = link;
    action.rank = rank_behind(link);
    // One call at a time: who comes while it stands waits outside, whatever its hello says. Another may follow when it
    // has ended without a successor [5.3].
    if (link == kCallbackLink)
        grant(Listener::callback, 0);
    if (link.link_class() != LinkClass::chord_in)
        return;
    state_.in_open |= 1U << link.index();
    if (link == chord_in(0))
        on_hand();
    if (!over())
        pump_gather();
}

void RankStep::on_door_closed() noexcept {
    std::uint32_t const slot = event_.link.index();
    if (slot >= RankState::kDoors || state_.doors[slot] == Door::free)
        return;
    ++state_.strangers;
    free_door(slot);
}

void RankStep::on_door_timer() noexcept {
    std::uint32_t oldest = RankState::kDoors;
    for (std::uint32_t slot = 0; slot < RankState::kDoors; ++slot) {
        if (state_.doors[slot] == Door::free)
            continue;
        if (event_.now >= state_.door_due_ns[slot])
            turn_away(slot);  // and nobody is hurried any more
        else if (event_.now >= door_due_ns(config_, state_, slot) &&
                 (oldest == RankState::kDoors || state_.door_due_ns[slot] < state_.door_due_ns[oldest]))
            oldest = slot;
    }
    if (has(RankState::kContested) && oldest != RankState::kDoors)
        turn_away(oldest);
}

void RankStep::turn_away(std::uint32_t slot) noexcept {
    ++state_.strangers;
    free_door(slot);
    close_link(pending(slot));
}

/// There is room for one who waits.
void RankStep::free_door(std::uint32_t slot) noexcept {
    reset(RankState::kContested);
    state_.doors[slot] = Door::free;
    state_.door_due_ns[slot] = kNever;
    state_.callback_doors = static_cast<std::uint8_t>(state_.callback_doors & ~(1U << slot));
}

}  // namespace ronde::protocol
