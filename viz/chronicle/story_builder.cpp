#include "chronicle/story_builder.hpp"

#include <algorithm>

namespace ronde::viz {

using protocol::ActionKind;
using protocol::EventKind;
using protocol::FrameKind;
using protocol::LinkClass;

ProcessIndex callee_of(protocol::Action const& connect, std::uint32_t nranks) {
    LinkClass const link_class = connect.link.link_class();
    bool const root = link_class == LinkClass::root || link_class == LinkClass::previous_root;
    return root ? nranks + connect.rank : connect.rank;
}

void StoryBuilder::asked(ProcessIndex process, TimeNs now_ns, std::span<const protocol::Action> actions) {
    for (protocol::Action const& action : actions) {
        if (action.kind == ActionKind::send)
            sent(process, now_ns, action);
        else if (action.kind == ActionKind::connect)
            called(process, now_ns, action);
        else if (action.kind == ActionKind::admit)
            admitted_.emplace_back(action.to, action.link);
        else if (action.kind == ActionKind::close)
            closed(process, now_ns, action.link);
    }
}

/// The call that led to a connection, whichever end names it.
std::uint32_t StoryBuilder::call_behind(ProcessIndex process, protocol::Link link) const {
    if (auto const own = calls_.find(key_of(process, link)); own != calls_.end())
        return own->second;
    Peer const peer = peers_.other_end(process, link);
    if (peer.process == kNobody)
        return kNoCall;
    auto const theirs = calls_.find(key_of(peer.process, peer.link));
    return theirs == calls_.end() ? kNoCall : theirs->second;
}

void StoryBuilder::closed(ProcessIndex process, TimeNs now_ns, protocol::Link link) {
    std::uint32_t const index = call_behind(process, link);
    if (index == kNoCall)
        return;
    CallStory& call = chronicle_.calls[index];
    TimeNs& closed_ns = call.from == process ? call.caller_closed_ns : call.listener_closed_ns;
    closed_ns = std::min(closed_ns, now_ns);
}

void StoryBuilder::sent(ProcessIndex process, TimeNs now_ns, protocol::Action const& action) {
    MessageStory message;
    message.from = process;
    message.to = peer_of(process, action.link).process;
    message.sent_ns = now_ns;
    message.kind = action.frame.kind;
    message.link = action.link;
    message.call = call_behind(process, action.link);
    message.header = action.frame;
    message.bytes = std::uint64_t{protocol::kHeaderBytes} + action.frame.payload_bytes;
    if (action.frame.kind == FrameKind::slices) {
        message.first = action.frame.a;
        message.count = action.frame.b;
    }
    message.send_step = static_cast<std::uint32_t>(chronicle_.steps.size());
    auto const index = static_cast<std::uint32_t>(chronicle_.messages.size());
    chronicle_.messages.push_back(message);
    if (message.to == kNobody)
        return;
    auto const life = lives_.find(key_of(process, action.link));
    waiting_[std::uint64_t{process} << 32U | message.to].push_back(
        {index, life == lives_.end() ? 0 : life->second, action.frame});
}

/// A link that the same step admits still has the name of its door, unless a long answer came in pieces: then the
/// admission was performed after the first of them.
Peer StoryBuilder::peer_of(ProcessIndex process, protocol::Link link) const {
    for (auto const& [to, door] : admitted_) {
        if (to != link)
            continue;
        if (Peer const peer = peers_.other_end(process, door); peer.process != kNobody)
            return peer;
    }
    return peers_.other_end(process, link);
}

void StoryBuilder::called(ProcessIndex process, TimeNs now_ns, protocol::Action const& action) {
    CallStory call;
    call.from = process;
    call.to = callee_of(action, chronicle_.nranks);
    call.called_ns = now_ns;
    call.link = action.link;
    auto const index = static_cast<std::uint32_t>(chronicle_.calls.size());
    chronicle_.calls.push_back(call);
    if (auto const known = calls_.find(key_of(process, action.link)); known != calls_.end())
        former_calls_[known->first] = known->second;
    calls_[key_of(process, action.link)] = index;
    ++lives_[key_of(process, action.link)];
    fresh_calls_.push_back(index);
    open_calls_.push_back(index);
}

std::uint32_t StoryBuilder::took(StepStory story, protocol::Event const& event) {
    auto const step = static_cast<std::uint32_t>(chronicle_.steps.size());
    story.timer = event.kind == EventKind::timer;
    for (std::uint32_t const index : fresh_calls_) {
        CallStory& call = chronicle_.calls[index];
        if (Peer const peer = peers_.other_end(call.from, call.link); peer.process != kNobody)
            call.to = peer.process;
    }
    switch (event.kind) {
    case EventKind::frame: received(story, event, step); break;
    case EventKind::connected:
    case EventKind::connect_failed: answered(story, event); break;
    case EventKind::accepted: accepted(story, event); break;
    case EventKind::closed: ended(story, event); break;
    default: break;
    }
    fresh_calls_.clear();
    admitted_.clear();
    chronicle_.steps.push_back(std::move(story));
    return step;
}

/// What was sent on a connection comes in order. Two connections of one pair may say the same at the same time; and
/// when a call was made anew, what waits of the former life was most likely lost with it.
void StoryBuilder::received(StepStory const& story, protocol::Event const& event, std::uint32_t step) {
    if (story.from == kNobody)
        return;
    auto& waiting = waiting_[std::uint64_t{story.from} << 32U | story.process];
    auto best = waiting.end();
    for (auto at = waiting.begin(); at != waiting.end(); ++at) {
        if (at->frame == event.frame && (best == waiting.end() || at->life > best->life))
            best = at;
    }
    if (best != waiting.end()) {
        MessageStory& message = chronicle_.messages[best->message];
        message.received_ns = story.at_ns;
        message.receive_step = step;
        waiting.erase(best);
        return;
    }
    // Strangers speak without a machine: nobody saw when they sent it.
    MessageStory message;
    message.from = story.from;
    message.to = story.process;
    message.sent_ns = story.at_ns;
    message.received_ns = story.at_ns;
    message.kind = event.frame.kind;
    message.header = event.frame;
    message.bytes = std::uint64_t{protocol::kHeaderBytes} + event.frame.payload_bytes;
    message.send_step = message.receive_step = step;
    chronicle_.messages.push_back(message);
}

CallStory* StoryBuilder::call_of(ProcessIndex process, protocol::Link link) {
    auto const found = calls_.find(key_of(process, link));
    if (found == calls_.end())
        return nullptr;
    // A step that makes its next call under the same name is told of the one before.
    bool const fresh = std::find(fresh_calls_.begin(), fresh_calls_.end(), found->second) != fresh_calls_.end();
    auto const former = former_calls_.find(found->first);
    return &chronicle_.calls[fresh && former != former_calls_.end() ? former->second : found->second];
}

void StoryBuilder::answered(StepStory const& story, protocol::Event const& event) {
    CallStory* const call = call_of(story.process, event.link);
    if (call == nullptr || call->stood_ns != kNever || call->failed_ns != kNever)
        return;
    if (event.kind == EventKind::connect_failed) {
        std::erase(open_calls_, static_cast<std::uint32_t>(call - chronicle_.calls.data()));
        call->failed_ns = story.at_ns;
        call->failure = event.failure;
        return;
    }
    call->stood_ns = story.at_ns;
    call->retransmissions = peers_.other_end(story.process, event.link).retransmissions;
}

void StoryBuilder::accepted(StepStory const& story, protocol::Event const& event) {
    Peer const caller = peers_.other_end(story.process, event.link);
    if (caller.process == kNobody)
        return;
    CallStory* call = call_of(caller.process, caller.link);
    if (call == nullptr) {  // the caller has hung up already, and has no name for it any more
        auto const open = std::find_if(open_calls_.begin(), open_calls_.end(), [&](std::uint32_t index) {
            CallStory const& one = chronicle_.calls[index];
            return one.from == caller.process && one.to == story.process;
        });
        call = open == open_calls_.end() ? nullptr : &chronicle_.calls[*open];
    }
    if (call == nullptr || call->accepted_ns != kNever)
        return;
    call->to = story.process;
    call->accepted_ns = story.at_ns;
    auto const index = static_cast<std::uint32_t>(call - chronicle_.calls.data());
    std::erase(open_calls_, index);
}

void StoryBuilder::ended(StepStory const& story, protocol::Event const& event) {
    std::uint32_t const index = call_behind(story.process, event.link);
    if (index != kNoCall && event.failure == protocol::Failure::reset)
        chronicle_.calls[index].reset = true;
}

void StoryBuilder::forget_all() {
    waiting_.clear();
    calls_.clear();
    former_calls_.clear();
    lives_.clear();
    fresh_calls_.clear();
    admitted_.clear();
    open_calls_.clear();
    chronicle_.steps.clear();
    chronicle_.messages.clear();
    chronicle_.calls.clear();
}

}  // namespace ronde::viz
