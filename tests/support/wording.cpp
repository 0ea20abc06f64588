#include "support/wording.hpp"

#include <fmt/format.h>

namespace ronde::protocol::tiny {
namespace {

std::string rank_words(RankId rank) { return rank == kNoRank ? "nobody" : fmt::format("{}", rank); }

std::string purpose_words(std::uint16_t purpose) {
    LinkClass const link_class = purpose_class(purpose);
    if (link_class == LinkClass::chord_out)
        return fmt::format("chord_out {}", purpose_chord(purpose));
    return std::string(name_of(link_class));
}

std::string source_words(Action const& action) {
    switch (action.source) {
    case Source::none: return "";
    case Source::handshake: return " <- handshake";
    case Source::entry:
        return action.first == 0 && action.count == 0 ? " <- entry" : fmt::format(" <- entry {}", action.first);
    case Source::table: return fmt::format(" <- table {}+{}", action.first, action.count);
    case Source::operation: return fmt::format(" <- operation {}+{}", action.first, action.count);
    case Source::verdict: return " <- verdict";
    }
    return " <- ?";
}

std::string failure_words(Event const& event) {
    std::string text = fmt::format(", {}", name_of(event.failure));
    if (event.os_error != 0)
        text += fmt::format(" (os error {})", event.os_error);
    return text;
}

}  // namespace

std::string words(Link link) {
    switch (link.link_class()) {
    case LinkClass::root:
    case LinkClass::previous_root: return std::string(name_of(link.link_class()));
    case LinkClass::callback: return link.index() == 0 ? "callback" : fmt::format("callback {}", link.index());
    case LinkClass::chord_out:
    case LinkClass::chord_in:
    case LinkClass::mail_out:
    case LinkClass::mail_in:
    case LinkClass::pending:
    case LinkClass::member: return fmt::format("{} {}", name_of(link.link_class()), link.index());
    case LinkClass::none: break;
    }
    return "no link";
}

std::string words(Frame const& frame) {
    std::string text(name_of(frame.kind));
    switch (frame.kind) {
    case FrameKind::hello:
    case FrameKind::proof:
        text += fmt::format(" for {} from {} to {} session {:x}", purpose_words(frame.aux), rank_words(frame.a),
                            rank_words(frame.b), frame.c);
        break;
    case FrameKind::challenge: break;
    case FrameKind::check_in:
        text += fmt::format(" at root {} rank {} of {} remaining {}", frame.aux, rank_words(frame.a), frame.b,
                            words_of_time(static_cast<TimeNs>(frame.d)));
        break;
    case FrameKind::successor:
    case FrameKind::done:
    case FrameKind::roll_call:
    case FrameKind::bye: text += fmt::format(" {}", rank_words(frame.a)); break;
    case FrameKind::slices:
        text += fmt::format(" chord {} first {} count {} of {} bytes operation {}", frame.aux, frame.a, frame.b,
                            frame.c, frame.d);
        break;
    case FrameKind::length:
        text += fmt::format(" turn {} round {} of {} bytes operation {}", frame.aux, frame.a, frame.c, frame.d);
        break;
    case FrameKind::commit:
    case FrameKind::verdict: break;
    case FrameKind::message:
        text += fmt::format(" from {} to {} tag {} number {}", frame.a, frame.b, frame.c, frame.d);
        break;
    }
    if (frame.version != kWireVersion)
        text += fmt::format(" version {}", frame.version);
    bool const sized = frame.kind == FrameKind::slices || frame.kind == FrameKind::message;
    if (sized)
        text += fmt::format(" payload {}", frame.payload_bytes);
    return text;
}

std::string words(Operation const& operation) {
    std::string text(name_of(operation.kind));
    switch (operation.kind) {
    case OperationKind::broadcast: text += fmt::format(" from {}", operation.peer); break;
    case OperationKind::send: text += fmt::format(" to {} tag {}", operation.peer, operation.tag); break;
    case OperationKind::receive: text += fmt::format(" from {} tag {}", operation.peer, operation.tag); break;
    case OperationKind::none:
    case OperationKind::all_gather:
    case OperationKind::barrier: break;
    }
    if (operation.kind != OperationKind::barrier)
        text += fmt::format(" of {} bytes", operation.slice_bytes);
    if (operation.budget_ns != kNever)
        text += fmt::format(" within {}", words_of_time(operation.budget_ns));
    return text;
}

std::string words(Event const& event) {
    std::string const name(name_of(event.kind));
    switch (event.kind) {
    case EventKind::start:
    case EventKind::timer:
    case EventKind::collected:
    case EventKind::abort:
    case EventKind::close:
    case EventKind::resume: return name;
    case EventKind::listening:
    case EventKind::queued: return fmt::format("{} {}", name, name_of(event.listener));
    case EventKind::listen_failed:
    case EventKind::accept_failed: return fmt::format("{} {}{}", name, name_of(event.listener), failure_words(event));
    case EventKind::connected:
        return fmt::format("{} {}{}", name, words(event.link), event.authentic ? " (admitted before)" : "");
    case EventKind::connect_failed:
    case EventKind::closed: return fmt::format("{} {}{}", name, words(event.link), failure_words(event));
    case EventKind::accepted: return fmt::format("{} {} {}", name, name_of(event.listener), words(event.link));
    case EventKind::frame:
        return fmt::format("{} {}: {}{}", name, words(event.link), words(event.frame),
                           event.authentic ? "" : " (its tag does not fit)");
    case EventKind::sent: return fmt::format("{} {}", name, words(event.link));
    case EventKind::inspected:
        if (event.devices.first == kNoRank)
            return "inspected: no device twice";
        return fmt::format("inspected: one device for {} and {}", event.devices.first, event.devices.second);
    case EventKind::operate: return fmt::format("{} {}", name, words(event.operation));
    }
    return name;
}

std::string words(Action const& action) {
    std::string const name(name_of(action.kind));
    switch (action.kind) {
    case ActionKind::listen:
    case ActionKind::deafen: return fmt::format("{} {}", name, name_of(action.listener));
    case ActionKind::accept: return fmt::format("{} {} {}", name, name_of(action.listener), action.count);
    case ActionKind::admit:
        return fmt::format("{} {} as {} of {}", name, words(action.link), words(action.to), rank_words(action.rank));
    case ActionKind::connect: return fmt::format("{} {} to {}", name, words(action.link), rank_words(action.rank));
    case ActionKind::send:
        return fmt::format("{} {}: {}{}{}", name, words(action.link), words(action.frame), source_words(action),
                           action.notify ? ", notify" : "");
    case ActionKind::learn: return fmt::format("{} {}+{}", name, action.first, action.count);
    case ActionKind::pause:
    case ActionKind::unpause:
    case ActionKind::close: return fmt::format("{} {}", name, words(action.link));
    case ActionKind::collect: return fmt::format("{} from {} tag {}", name, rank_words(action.rank), action.tag);
    case ActionKind::reserve: return fmt::format("{} {}", name, action.count);
    case ActionKind::inspect:
    case ActionKind::park:
    case ActionKind::complete:
    case ActionKind::ready:
    case ActionKind::finish: return name;
    }
    return name;
}

std::string words(Reception const& reception) {
    switch (reception.kind) {
    case Reception::Kind::take: break;
    case Reception::Kind::mail: return "mail";
    case Reception::Kind::hold: return "hold";
    case Reception::Kind::refuse: return "refuse";
    }
    if (reception.source == Source::table)
        return fmt::format("take to table {}+{}", reception.first, reception.count);
    if (reception.source == Source::operation) {
        return fmt::format("take to operation {}+{}", reception.first, reception.count);
    }
    return "take";
}

std::string words(Error const& error) {
    std::string text = fmt::format("{} in {}", name_of(error.code), name_of(error.phase));
    if (error.failure != Failure::none)
        text += fmt::format(", {}", name_of(error.failure));
    if (error.field != Field::none)
        text += fmt::format(", field {}", name_of(error.field));
    if (error.os_error != 0)
        text += fmt::format(", os error {}", error.os_error);
    if (error.about != kNoRank)
        text += fmt::format(", about {}", error.about);
    if (error.other != kNoRank)
        text += fmt::format(", other {}", error.other);
    if (error.reporter != kNoRank)
        text += fmt::format(", reported by {}", error.reporter);
    if (error.about_phase != 0) {
        text += fmt::format(", last seen in {}", name_of(static_cast<Phase>(error.about_phase)));
    }
    if (error.expected != 0 || error.got != 0)
        text += fmt::format(", expected {} got {}", error.expected, error.got);
    return text;
}

std::string words_of_time(TimeNs time_ns) {
    if (time_ns == kNever)
        return "never";
    // Three units, each with as many decimals as reach down to the smallest step that people care about.
    std::string text;
    std::string_view unit = "us";
    if (time_ns >= kSecondNs) {
        text = fmt::format("{}.{:06}", time_ns / kSecondNs, time_ns % kSecondNs / kMicrosecondNs);
        unit = "s";
    } else if (time_ns >= kMillisecondNs) {
        text = fmt::format("{}.{:06}", time_ns / kMillisecondNs, time_ns % kMillisecondNs);
        unit = "ms";
    } else {
        text = fmt::format("{}.{:03}", time_ns / kMicrosecondNs, time_ns % kMicrosecondNs);
    }
    while (text.back() == '0')
        text.pop_back();
    if (text.back() == '.')
        text.pop_back();
    return time_ns == 0 ? "0s" : text.append(unit);
}

}  // namespace ronde::protocol::tiny
