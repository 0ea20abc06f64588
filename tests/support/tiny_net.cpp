/// The tiny world's network: what happens on wires and at listeners.
#include "support/tiny_world.hpp"
#include "support/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ronde::protocol::tiny {
namespace {

constexpr std::uint64_t kMemberSecret = 0x5ec7e7;

bool same_numbers(Frame const& hello, Frame const& proof) {
    return hello.aux == proof.aux && hello.a == proof.a && hello.b == proof.b && hello.c == proof.c;
}

}  // namespace

EndId TinyWorld::open_connection() {
    EndId const caller = static_cast<EndId>(ends_.size());
    ends_.resize(ends_.size() + 2U);
    ends_[caller].secret = kMemberSecret;
    ends_[other_end(caller)].secret = kMemberSecret;
    return caller;
}

/// Whether everything this end has sent is in the transport's hands: what the peer has not read yet fits the window.
bool TinyWorld::drained(EndId id) const {
    End const& peer = ends_[other_end(id)];
    return peer.over || peer.inbox.bytes() <= plan_.window_bytes;
}

bool TinyWorld::readable(End const& end) const {
    if (end.paused)
        return false;
    if (end.inbox.empty())
        return end.ending != Failure::none;
    return !end.held && end.inbox.front().due_ns <= now_;
}

void TinyWorld::refresh_end(EndId id) {
    End const& end = ends_[id];
    bool hot = false;
    if (!end.over && end.attached && nodes_[end.node]->alive && !nodes_[end.node]->ended) {
        switch (end.dial) {
        case End::Dial::syn:
        case End::Dial::answered: hot = true; break;
        case End::Dial::waiting:
        case End::Dial::lost: break;
        case End::Dial::told: hot = readable(end) || (end.notify && drained(id)); break;
        }
    }
    hot_.set(source_of_end(id), hot);
}

void TinyWorld::act_on_end(EndId id) {
    End& end = ends_[id];
    if (end.dial == End::Dial::syn)
        return act_on_syn(id);
    if (end.dial == End::Dial::answered) {
        end.dial = End::Dial::told;
        refresh_end(id);
        return feed(end.node, Event::connected(now_, end.link));
    }
    bool const can_read = readable(end);
    bool const can_tell = end.notify && drained(id);
    // What is drained is told before the end of the same connection.
    if (can_tell && (!can_read || end.inbox.empty() || random_.below(2) == 0)) {
        end.notify = false;
        refresh_end(id);
        return feed(end.node, Event::sent(now_, end.link));
    }
    if (end.inbox.empty())
        return deliver_end(id);
    deliver(id);
}

void TinyWorld::act_on_syn(EndId id) {
    End& end = ends_[id];
    auto const fail = [&](Failure failure) {
        NodeId const node = end.node;
        Link const link = end.link;
        end.over = true;
        detach(id);
        feed(node, Event::connect_failed(now_, link, failure));
    };
    bool const known = end.target < nodes_.size();
    bool const vanished = known && !nodes_[end.target]->alive &&
                          (nodes_[end.target]->is_root ? nodes_[end.target]->root_plan.death
                                                       : nodes_[end.target]->plan.death) == Death::silent &&
                          nodes_[end.target]->started;
    switch (end.fate) {
    case Fate::refuse: return fail(Failure::refused);
    case Fate::unreachable: return fail(Failure::unreachable);
    case Fate::forbid: return fail(Failure::not_permitted);
    case Fate::drop: end.dial = End::Dial::lost; return refresh_end(id);
    case Fate::ghost: end.dial = End::Dial::answered; return refresh_end(id);
    case Fate::connect:
    case Fate::reset: break;
    }
    if (vanished) {
        end.dial = End::Dial::lost;
        return refresh_end(id);
    }
    if (!known || !nodes_[end.target]->listeners[static_cast<std::size_t>(end.listener)].bound) {
        return fail(Failure::refused);
    }
    ListenerState& listener = nodes_[end.target]->listeners[static_cast<std::size_t>(end.listener)];
    if (listener.backlog.size() >= plan_.backlog) {
        end.dial = End::Dial::waiting;
        listener.knocking.push_back(id);
        return refresh_end(id);
    }
    enter_backlog(id);
}

void TinyWorld::enter_backlog(EndId caller) {
    End& calling = ends_[caller];
    End& accepting = ends_[other_end(caller)];
    accepting.listener = calling.listener;
    if (calling.fate == Fate::reset) {
        calling.ending = Failure::reset;
        accepting.ending = Failure::reset;
    }
    nodes_[calling.target]->listeners[static_cast<std::size_t>(calling.listener)].backlog.push_back(other_end(caller));
    calling.dial = End::Dial::answered;
    refresh_end(caller);
    refresh_listener(calling.target, calling.listener);
}

void TinyWorld::refresh_listener(NodeId id, Listener which) {
    Node const& node = *nodes_[id];
    ListenerState const& listener = node.listeners[static_cast<std::size_t>(which)];
    bool const credit = listener.pending < listener.credits;
    bool const hot = node.alive && node.started && !node.ended && listener.bound && listener.asked &&
                     !listener.backlog.empty() && (credit || (listener.credits > 0 && !listener.queued_told));
    hot_.set(source_of_listener(id, which), hot);
}

void TinyWorld::act_on_listener(NodeId id, Listener which) {
    Node& node = *nodes_[id];
    ListenerState& listener = node.listeners[static_cast<std::size_t>(which)];
    if (listener.pending >= listener.credits) {
        listener.queued_told = true;
        refresh_listener(id, which);
        return feed(id, Event::queued(now_, which));
    }
    if (plan_.scarce_per_mille > 0 && random_.below(1000) < plan_.scarce_per_mille)
        return feed(id, Event::accept_failed(now_, which, Failure::no_descriptors));
    EndId const accepting = listener.backlog.front();
    listener.backlog.pop_front();
    if (!listener.knocking.empty()) {
        EndId const next = listener.knocking.front();
        listener.knocking.erase(listener.knocking.begin());
        enter_backlog(next);
    }
    auto const free = std::find(node.slots.begin(), node.slots.end(), kNoEnd);
    std::uint32_t const slot = static_cast<std::uint32_t>(free - node.slots.begin());
    if (slot >= listener.credits)
        return break_rule("two listeners of one machine share the numbers of their slots");
    if (free == node.slots.end())
        node.slots.push_back(kNoEnd);
    node.slots[slot] = accepting;
    ++listener.pending;
    listener.queued_told = false;
    End& end = ends_[accepting];
    end.node = id;
    end.link = pending(slot);
    end.attached = true;
    node.links[end.link.value] = accepting;
    refresh_end(accepting);
    refresh_listener(id, which);
    feed(id, Event::accepted(now_, which, end.link));
}

/// Removes the end from its node's books; the connection itself may live on towards the peer.
void TinyWorld::detach(EndId id) {
    End& end = ends_[id];
    if (!end.attached)
        return;
    Node& node = *nodes_[end.node];
    free_slot(node, id);
    node.links.erase(end.link.value);
    end.attached = false;
    end.inbox.clear();
    hot_.remove(source_of_end(id));
    refresh_end(other_end(id));
}

void TinyWorld::free_slot(Node& node, EndId id) {
    auto const slot = std::find(node.slots.begin(), node.slots.end(), id);
    if (slot == node.slots.end())
        return;
    *slot = kNoEnd;
    --node.listeners[static_cast<std::size_t>(ends_[id].listener)].pending;
    refresh_listener(ends_[id].node, ends_[id].listener);
}

/// The owner leaves. What it sent still arrives, and then `told`.
void TinyWorld::close_end(EndId id, Failure told) {
    End& end = ends_[id];
    if (end.dial == End::Dial::waiting) {
        auto& knocking = nodes_[end.target]->listeners[static_cast<std::size_t>(end.listener)].knocking;
        knocking.erase(std::remove(knocking.begin(), knocking.end(), id), knocking.end());
    }
    end.over = true;
    detach(id);
    End& peer = ends_[other_end(id)];
    if (!peer.over && peer.ending == Failure::none)
        peer.ending = told;
    refresh_end(other_end(id));
}

bool TinyWorld::cut(NodeId node, Link link) {
    EndId const end = end_of(*nodes_[node], link);
    if (end == kNoEnd || ends_[end].dial != End::Dial::told)
        return false;
    for (EndId const side : {end, other_end(end)}) {
        ends_[side].inbox.clear();
        ends_[side].ending = Failure::reset;
        refresh_end(side);
    }
    return true;
}

void TinyWorld::drop_listener(NodeId id, Listener which, bool answer) {
    ListenerState& listener = nodes_[id]->listeners[static_cast<std::size_t>(which)];
    listener.bound = false;
    for (EndId const accepting : listener.backlog) {
        ends_[accepting].over = true;
        End& caller = ends_[other_end(accepting)];
        if (caller.over)
            continue;
        if (answer && caller.ending == Failure::none)
            caller.ending = Failure::reset;
        refresh_end(other_end(accepting));
    }
    listener.backlog.clear();
    for (EndId const caller : listener.knocking) {
        ends_[caller].dial = End::Dial::syn;
        refresh_end(caller);
    }
    listener.knocking.clear();
    refresh_listener(id, which);
}

// --- arrivals --------------------------------------------------------------------------------------------------------

void TinyWorld::deliver_end(EndId id) {
    End& end = ends_[id];
    NodeId const node = end.node;
    Link const link = end.link;
    Failure const failure = end.ending;
    end.over = true;
    detach(id);
    // An end of stream leaves my own half open: the peer learns that I closed it too.
    End& peer = ends_[other_end(id)];
    if (!peer.over && peer.ending == Failure::none)
        peer.ending = Failure::end_of_stream;
    refresh_end(other_end(id));
    feed(node, Event::closed(now_, link, failure));
}

void TinyWorld::deliver(EndId id) {
    NodeId const node_id = ends_[id].node;
    Node& node = *nodes_[node_id];
    Link const link = ends_[id].link;
    Frame const frame = ends_[id].inbox.front().frame;
    if (ends_[id].inbox.front().malformed) {
        close_end(id, Failure::reset);
        return feed(node_id, Event::closed(now_, link, Failure::malformed));
    }
    Reception const reception = node.is_root ? node.root.reception(link, frame) : node.rank.reception(link, frame);
    if (reception.kind == Reception::Kind::hold) {
        ends_[id].held = true;
        return refresh_end(id);
    }
    Message message = ends_[id].inbox.pop();
    refresh_end(id);
    refresh_end(other_end(id));

    End const& peer = ends_[other_end(id)];
    bool const fits = message.authentic && ends_[id].secret == peer.secret;
    bool authentic = true;
    if (frame.kind == FrameKind::challenge)
        authentic = fits && ends_[id].said_hello;
    if (frame.kind == FrameKind::proof)
        authentic = fits && peer.said_hello && same_numbers(peer.hello, frame);

    if (reception.kind == Reception::Kind::take)
        place_payload(node, reception, message);
    if (!broken_.empty())
        return;
    ++node.frames_in[static_cast<std::uint32_t>(frame.kind)];
    bool const small = frame.kind != FrameKind::slices && frame.kind != FrameKind::message;
    bool const shown = small && reception.kind != Reception::Kind::refuse;
    arriving_ = &message;
    arriving_as_ = reception;
    feed(node_id,
         Event::arrived(now_, link, frame,
                        shown ? std::span<const std::byte>(message.payload) : std::span<const std::byte>{}, authentic));
    arriving_ = nullptr;
    if (!broken_.empty())
        return;
    if (frame.kind == FrameKind::verdict && !node.is_root) {
        Verdict const verdict = decode_verdict(message.payload);
        if (verdict.error == node.rank.error())
            node.verdict = verdict;
    }
    bool const gone = node.ended || !node.alive || node.links.find(link.value) == node.links.end();
    if (reception.kind == Reception::Kind::refuse && !gone)
        break_rule("a refused frame did not end its connection");
    if (reception.kind == Reception::Kind::mail && !parked_ && !gone)
        break_rule("mail that nobody parked");
}

// --- strangers -----------------------------------------------------------------------------------------------------

void TinyWorld::strangers_due() {
    for (std::size_t i = 0; i < plan_.strangers.size(); ++i) {
        StrangerPlan const& stranger = plan_.strangers[i];
        if (stranger_came_[i] || stranger.at_event > events_)
            continue;
        NodeId const id = stranger.at_root ? node_of_root(stranger.at) : node_of_rank(stranger.at);
        Node const& node = *nodes_[id];
        if (!node.alive || node.ended || !node.listeners[static_cast<std::size_t>(stranger.listener)].bound)
            continue;
        stranger_came_[i] = true;
        call_in(stranger);
    }
}

void TinyWorld::call_in(StrangerPlan const& stranger) {
    NodeId const id = stranger.at_root ? node_of_root(stranger.at) : node_of_rank(stranger.at);
    EndId const caller = open_connection();
    End& calling = ends_[caller];
    End& accepting = ends_[other_end(caller)];
    calling.target = id;
    calling.listener = stranger.listener;
    calling.secret = 0;

    Message hello;
    hello.frame.kind = FrameKind::hello;
    hello.frame.payload_bytes = kNonceBytes;
    hello.frame.c = 0xabc;
    hello.frame.b = stranger.at;
    switch (stranger.listener) {
    case Listener::root: hello.frame.aux = purpose_of(LinkClass::root); break;
    case Listener::callback: hello.frame.aux = purpose_of(LinkClass::callback); break;
    case Listener::ring:
        hello.frame.aux = purpose_of(LinkClass::chord_out);
        hello.frame.a = predecessor_of(stranger.at, plan_.nranks);
        break;
    }
    hello.payload.resize(kNonceBytes);
    switch (stranger.kind) {
    case StrangerKind::silent: break;
    case StrangerKind::closes: accepting.ending = Failure::end_of_stream; break;
    case StrangerKind::resets: accepting.ending = Failure::reset; break;
    case StrangerKind::garbage: {
        Message bytes;
        bytes.malformed = true;
        accepting.inbox.push(bytes);
        break;
    }
    case StrangerKind::other_session:
        hello.frame.c = 0xdef;
        accepting.inbox.push(hello);
        break;
    case StrangerKind::no_proof: accepting.inbox.push(hello); break;
    case StrangerKind::bad_proof: {
        accepting.inbox.push(hello);
        Message proof = hello;
        proof.frame.kind = FrameKind::proof;
        proof.frame.payload_bytes = kTagBytes;
        proof.authentic = false;
        accepting.inbox.push(proof);
        break;
    }
    case StrangerKind::no_hello: {
        Verdict lie;
        lie.error.code = Code::aborted;
        Message message;
        message.frame.kind = FrameKind::verdict;
        message.frame.payload_bytes = kVerdictBytes;
        message.payload.resize(kVerdictBytes);
        encode_verdict(lie, message.payload);
        accepting.inbox.push(message);
        break;
    }
    }
    enter_backlog(caller);
}

}  // namespace ronde::protocol::tiny
