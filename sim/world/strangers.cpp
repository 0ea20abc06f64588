/// People who have no business here: they connect to a listener, and what follows is up to them.
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr protocol::Link kStrangersLink{protocol::LinkClass::mail_out, 0};

}  // namespace

/// `fault.times` of them are on their way to one target.
void WorldState::stranger_comes(Fault const& fault, ProcessId target) {
    TimeNs at_ns = now_ns_;
    for (std::uint32_t i = 0; i < fault.times; ++i) {
        auto const id = static_cast<ProcessId>(processes_.size());
        processes_.emplace_back();
        processes_.back().kind = ProcessKind::stranger;
        processes_.back().host = hosts_.host_of_strangers();
        if (!callback_listeners_.empty())
            callback_listeners_.emplace_back();
        ranks_.emplace_back();
        ExtraProcess& stranger = extras_[id];
        stranger.stranger = fault.stranger;
        stranger.target = target;
        stranger.listener =
            target >= plan_.nranks && target < plan_.nranks + plan_.nroots ? Listener::root : fault.listener;
        plan_at(at_ns, Happening::start, id);
        at_ns += fault.every.is_constant() ? fault.every.least_ns()
                                           : fault.every.among(oracle_->pick(Choice::stranger, id, 4'096), 4'096);
    }
}

void WorldState::stranger_notices(ProcessId id, Slot slot) {
    Happening const kind = occurrences_[slot].kind;
    EndOf const end = index_.find(id, kStrangersLink);
    ExtraProcess const stranger = extras_[id];
    switch (kind) {
    case Happening::start:
        processes_[id].set(Process::kStarted);
        // A port scan that finds nobody at home goes away.
        (void)call(id, kStrangersLink, stranger.target, stranger.listener);
        break;
    case Happening::connected:
        if (end.exists())
            stranger_speaks(id);
        break;
    case Happening::frame:
        if (!end.exists())
            break;
        consumed(end.connection, end.side, occurrences_[slot]);
        ++out_.storm.answers_to_strangers;
        if (stranger.stranger == StrangerKind::bad_proof && occurrences_[slot].frame.kind == FrameKind::challenge) {
            Frame proof = occurrences_[slot].frame;
            proof.kind = FrameKind::proof;
            proof.payload_bytes = protocol::kTagBytes;
            transmit(id, kStrangersLink, proof, 0, false, Occurrence::kForged);
        }
        break;
    case Happening::closed:
    case Happening::connect_failed:
        if (end.exists())
            close_end(end.connection, end.side, false);
        break;
    default: break;
    }
    forget(slot);
}

void WorldState::stranger_speaks(ProcessId id) {
    ExtraProcess const stranger = extras_[id];
    EndOf const end = index_.find(id, kStrangersLink);
    Frame hello;
    hello.kind = FrameKind::hello;
    hello.payload_bytes = protocol::kNonceBytes;
    hello.c = worn_.session;
    RankId const target = rank_of(stranger.target);
    switch (stranger.listener) {
    case Listener::root:
        hello.aux = protocol::purpose_of(LinkClass::root);
        hello.b = stranger.target - plan_.nranks;
        break;
    case Listener::callback:
        hello.aux = protocol::purpose_of(LinkClass::callback);
        hello.b = target;
        break;
    case Listener::ring:
        hello.aux = protocol::purpose_of(LinkClass::chord_out);
        hello.a = protocol::predecessor_of(target, plan_.nranks);
        hello.b = target;
        break;
    }
    switch (stranger.stranger) {
    case StrangerKind::silent:
    case StrangerKind::half_hello: return;
    case StrangerKind::closes: return close_end(end.connection, end.side, false);
    case StrangerKind::resets: return close_end(end.connection, end.side, true);
    case StrangerKind::garbage:
    case StrangerKind::http: return transmit(id, kStrangersLink, hello, 0, false, Occurrence::kNonsense);
    case StrangerKind::other_session: hello.c ^= 0x5555; break;
    case StrangerKind::no_proof:
    case StrangerKind::half_closes:
    case StrangerKind::bad_proof: break;
    case StrangerKind::wrong_numbers: {
        hello = Frame{};
        hello.kind = FrameKind::verdict;
        hello.payload_bytes = protocol::kVerdictBytes;
        protocol::Verdict lie;
        lie.error.code = protocol::Code::aborted;
        return transmit(id, kStrangersLink, hello, contents_.keep(lie), false);
    }
    }
    transmit(id, kStrangersLink, hello, 0, false);
    if (stranger.stranger == StrangerKind::half_closes)
        shut_down_writing(end.connection, end.side);
}

}  // namespace ronde::sim
