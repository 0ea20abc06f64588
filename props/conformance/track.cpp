#include "conformance/track.hpp"

#include "net/os_failure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::conformance {

using protocol::Action;
using protocol::ActionKind;
using protocol::Event;
using protocol::EventKind;
using protocol::Failure;
using protocol::FrameKind;
using protocol::LinkClass;

namespace {

std::uint8_t bit_of(protocol::Listener listener) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(listener));
}

}  // namespace

std::string to_text(Who who) { return fmt::format("{} {}", who.root ? "root" : "rank", who.index); }

std::string to_text(Link link) {
    return link.link_class() < LinkClass::none ? fmt::format("{}({})", name_of(link.link_class()), link.index())
                                               : std::string("no link");
}

End* Track::find(Link link) {
    auto const found_at = by_link_.find(link.value);
    return found_at == by_link_.end() ? nullptr : &ends_[found_at->second];
}

void Track::step(Event const& event, std::vector<Action> const& actions) {
    ++events_;
    tick(event.now);
    take(event);
    collects_ = false;
    for (Action const& action : actions)
        act(action);
}

/// A later time than before closes the batch: all that it brought was there by now.
void Track::tick(TimeNs now_ns) {
    if (now_ns < now_ns_)
        found(Rule::clock_runs_back, fmt::format("{} ns after {} ns", now_ns, now_ns_));
    if (now_ns > now_ns_) {
        for (auto const& [end, place] : fresh_)
            ends_[end].received[place].by_ns = now_ns;
        for (std::size_t const end : fresh_ends_) {
            if (ends_[end].inbound && ends_[end].begun.by_ns == protocol::kNever)
                ends_[end].begun.by_ns = now_ns;
            if (auto& last = ends_[end].end_of_stream; last && last->by_ns == protocol::kNever)
                last->by_ns = now_ns;
        }
        fresh_.clear();
        fresh_ends_.clear();
    }
    now_ns_ = now_ns;
}

void Track::finish(bool cut_off) { cut_off_ = cut_off; }

// --- what the kernel did --------------------------------------------------------------------------------------------

void Track::take(Event const& event) {
    switch (event.kind) {
    case EventKind::listening:
        if ((asked_ & bit_of(event.listener)) == 0)
            found(Rule::no_listener, "a listener is bound that nobody asked for");
        bound_ = static_cast<std::uint8_t>(bound_ | bit_of(event.listener));
        return;
    case EventKind::listen_failed:
        bound_ = static_cast<std::uint8_t>(bound_ & ~bit_of(event.listener));
        return check_errno(event);
    case EventKind::connected:
    case EventKind::connect_failed: return answered(event);
    case EventKind::accepted: return accepted(event);
    case EventKind::queued:
    case EventKind::accept_failed:
        if ((bound_ & bit_of(event.listener)) == 0)
            found(Rule::no_listener, "somebody waits at a listener that is not bound");
        return event.kind == EventKind::accept_failed ? check_errno(event) : void();
    case EventKind::frame: return arrived(event);
    case EventKind::closed: return ended(event);
    case EventKind::sent:
        if (End* const end = find(event.link); end == nullptr || end->notices == 0)
            found(Rule::sent_unasked, fmt::format("on {}", to_text(event.link)));
        else
            end->notices = 0;  // one notice for all that was asked for until then
        return;
    default: return;
    }
}

void Track::answered(Event const& event) {
    End* const end = find(event.link);
    bool const failed = event.kind == EventKind::connect_failed;
    bool const again = !failed && event.authentic && end != nullptr && end->state == End::State::standing;
    if (again)
        return;  // a mail link that stands already
    if (end == nullptr || end->state != End::State::calling)
        return found(Rule::answer_without_call,
                     fmt::format("{} on {}", protocol::name_of(event.kind), to_text(event.link)));
    if (!failed) {
        end->state = End::State::standing;
        return;
    }
    check_errno(event);
    end->state = End::State::over;
    ended_names_.insert(event.link.value);
    drop(event.link);
}

void Track::accepted(Event const& event) {
    auto const which = static_cast<std::size_t>(event.listener);
    if ((bound_ & bit_of(event.listener)) == 0)
        found(Rule::no_listener, "a connection is accepted at a listener that is not bound");
    auto const waits = [&](End const& end) {
        return end.inbound && end.listener == event.listener && end.link.link_class() == LinkClass::pending;
    };
    std::uint32_t pending = 0;
    for (auto const& [link, end] : by_link_)
        pending += waits(ends_[end]) ? 1U : 0U;
    if (pending >= credits_[which] || find(event.link) != nullptr)
        found(Rule::beyond_credit,
              fmt::format("{} is accepted as number {} of {}", to_text(event.link), pending + 1U, credits_[which]));
    End& end = ends_.emplace_back();
    end.state = End::State::standing;
    end.inbound = true;
    end.link = event.link;
    end.listener = event.listener;
    end.begun = moment();
    by_link_[event.link.value] = ends_.size() - 1U;
    ended_names_.erase(event.link.value);
    fresh_ends_.push_back(ends_.size() - 1U);
}

void Track::arrived(Event const& event) {
    End* const end = find(event.link);
    std::string const what = fmt::format("{} on {}", protocol::name_of(event.frame.kind), to_text(event.link));
    if (end == nullptr)
        return found(ended_names_.count(event.link.value) != 0 ? Rule::data_after_end : Rule::data_before_open, what);
    if (end->state == End::State::calling)
        return found(Rule::data_before_open, what);
    if (end->paused)
        found(Rule::paused, what);
    // A message of another size than its buffer is dropped, and its frame is fed once more.
    bool const fed_again = collects_ && event.frame.kind == FrameKind::message &&
                           std::any_of(end->received.begin(), end->received.end(),
                                       [&](Passed const& passed) { return passed.frame == event.frame; });
    if (fed_again)
        return;
    if (end->received.empty() && end->inbound)
        end->hello = event.frame;
    Passed passed = moment();
    passed.frame = event.frame;
    end->received.push_back(passed);
    fresh_.emplace_back(by_link_[event.link.value], end->received.size() - 1U);
    bool const entry = who_.root && event.frame.kind == FrameKind::check_in &&
                       event.payload.size() == protocol::kEntryBytes && event.frame.a < protocol::kMaxRanks;
    if (entry)
        entries_.emplace(event.frame.a, protocol::decode_entry(event.payload));
}

void Track::ended(Event const& event) {
    End* const end = find(event.link);
    if (end == nullptr) {
        bool const twice = ended_names_.count(event.link.value) != 0;
        return found(twice ? Rule::end_twice : Rule::data_before_open,
                     fmt::format("{} on {}{}", protocol::name_of(event.failure), to_text(event.link),
                                 twice ? ", which has ended already" : ""));
    }
    if (end->state == End::State::calling)
        found(Rule::data_before_open, fmt::format("{} ends before it stands", to_text(event.link)));
    check_errno(event);
    end->state = End::State::over;
    if (event.failure == Failure::end_of_stream) {
        end->end_of_stream = moment();
        fresh_ends_.push_back(by_link_[event.link.value]);
    }
    if (!end->closed)
        end->closed = moment();  // a driver closes what has ended
    ended_names_.insert(event.link.value);
    drop(event.link);
}

/// A failure is what its errno means: for a call that of connect, or, when the connection ended before the machine knew
/// of it, that of reading and writing.
void Track::check_errno(Event const& event) {
    using net::OsCall;
    bool fits = event.failure != Failure::none;
    bool const known = event.failure != Failure::end_of_stream && event.failure != Failure::malformed;
    if (fits && event.os_error > 0) {
        auto const means = [&](OsCall call) { return net::failure_of(call, event.os_error) == event.failure; };
        fits = known &&
               (event.kind == EventKind::closed ? means(OsCall::transfer)
                : event.kind == EventKind::connect_failed
                    ? means(OsCall::connect) || means(OsCall::socket) || means(OsCall::transfer) ||
                          event.failure == Failure::no_descriptors
                    : means(OsCall::bind) || means(OsCall::socket) || means(OsCall::accept) || means(OsCall::system));
    }
    if (!fits)
        found(Rule::wrong_errno,
              fmt::format("{} on {}: {} does not come of {}", protocol::name_of(event.kind), to_text(event.link),
                          protocol::name_of(event.failure), net::describe_errno(event.os_error)));
}

// --- what the machine asked for -------------------------------------------------------------------------------------

void Track::act(Action const& action) {
    End* const end = find(action.link);
    switch (action.kind) {
    case ActionKind::listen: asked_ = static_cast<std::uint8_t>(asked_ | bit_of(action.listener)); return;
    case ActionKind::deafen: bound_ = static_cast<std::uint8_t>(bound_ & ~bit_of(action.listener)); return;
    case ActionKind::accept: credits_[static_cast<std::size_t>(action.listener)] = action.count; return;
    case ActionKind::connect: return called(action);
    case ActionKind::admit: return admit(action);
    case ActionKind::send:
        if (end == nullptr)
            return;
        end->sent.push_back(moment());
        end->sent.back().frame = action.frame;
        end->notices += action.notify ? 1U : 0U;
        return;
    case ActionKind::pause:
    case ActionKind::unpause:
        if (end != nullptr)
            end->paused = action.kind == ActionKind::pause;
        return;
    case ActionKind::close:
        if (end == nullptr)
            return;
        end->state = End::State::over;
        end->closed = moment();
        ended_names_.insert(action.link.value);
        return drop(action.link);
    case ActionKind::collect: collects_ = true; return;
    case ActionKind::finish: return finish_all();
    default: return;
    }
}

void Track::called(Action const& action) {
    if (find(action.link) != nullptr)
        return;  // a mail link that stands already
    LinkClass const what = action.link.link_class();
    bool const to_root = what == LinkClass::root || what == LinkClass::previous_root;
    End& end = ends_.emplace_back();
    end.link = action.link;
    end.wanted = Who{to_root, action.rank};
    end.begun = moment();
    by_link_[action.link.value] = ends_.size() - 1U;
    ended_names_.erase(action.link.value);
}

void Track::admit(Action const& action) {
    End* const end = find(action.link);
    if (end == nullptr)
        return;
    by_link_[action.to.value] = by_link_[action.link.value];
    ended_names_.erase(action.to.value);
    drop(action.link);
    end->link = action.to;
    end->admitted = true;
}

/// All is closed but, at a root that goes on listening, those that have not shown who they are.
void Track::finish_all() {
    bool const lingers = who_.root && (bound_ & bit_of(protocol::Listener::root)) != 0;
    for (auto at = by_link_.begin(); at != by_link_.end();) {
        End& end = ends_[at->second];
        if (lingers && end.link.link_class() == LinkClass::pending) {
            ++at;
            continue;
        }
        end.state = End::State::over;
        end.closed = moment();
        ended_names_.insert(at->first);
        at = by_link_.erase(at);
    }
}

}  // namespace ronde::conformance
