#include "protocol/seam.hpp"

#include "protocol/check.hpp"

namespace ronde::protocol {

Action& Actions::push(ActionKind kind) noexcept {
    RONDE_CHECK(count_ < kMaxActions, "a step asks for at most kMaxActions actions");
    Action& action = items_[count_];
    ++count_;
    action = Action{};  // the list is used again and again
    action.kind = kind;
    return action;
}

std::string_view name_of(EventKind kind) noexcept {
    switch (kind) {
    case EventKind::start: return "start";
    case EventKind::listening: return "listening";
    case EventKind::listen_failed: return "listen_failed";
    case EventKind::accept_failed: return "accept_failed";
    case EventKind::timer: return "timer";
    case EventKind::connected: return "connected";
    case EventKind::connect_failed: return "connect_failed";
    case EventKind::accepted: return "accepted";
    case EventKind::queued: return "queued";
    case EventKind::frame: return "frame";
    case EventKind::closed: return "closed";
    case EventKind::sent: return "sent";
    case EventKind::inspected: return "inspected";
    case EventKind::operate: return "operate";
    case EventKind::collected: return "collected";
    case EventKind::abort: return "abort";
    case EventKind::close: return "close";
    case EventKind::resume: return "resume";
    }
    return "unknown";
}

std::string_view name_of(ActionKind kind) noexcept {
    switch (kind) {
    case ActionKind::listen: return "listen";
    case ActionKind::accept: return "accept";
    case ActionKind::admit: return "admit";
    case ActionKind::connect: return "connect";
    case ActionKind::send: return "send";
    case ActionKind::learn: return "learn";
    case ActionKind::pause: return "pause";
    case ActionKind::unpause: return "unpause";
    case ActionKind::close: return "close";
    case ActionKind::deafen: return "deafen";
    case ActionKind::inspect: return "inspect";
    case ActionKind::collect: return "collect";
    case ActionKind::park: return "park";
    case ActionKind::reserve: return "reserve";
    case ActionKind::complete: return "complete";
    case ActionKind::ready: return "ready";
    case ActionKind::finish: return "finish";
    }
    return "unknown";
}

std::string_view name_of(OperationKind kind) noexcept {
    switch (kind) {
    case OperationKind::none: return "none";
    case OperationKind::all_gather: return "all_gather";
    case OperationKind::barrier: return "barrier";
    case OperationKind::broadcast: return "broadcast";
    case OperationKind::send: return "send";
    case OperationKind::receive: return "receive";
    }
    return "unknown";
}

}  // namespace ronde::protocol
