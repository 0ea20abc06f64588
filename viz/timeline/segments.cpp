#include "timeline/segments.hpp"

#include "protocol/root.hpp"
#include "timeline/retransmissions.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace ronde::viz {
namespace {

using protocol::LinkClass;

/// A segment that has no numbers yet. At one time: handshakes, then in the order of steps, what a step received before
/// what it sent, then ends.
struct Planned {
    TimeNs at_ns = 0;
    std::uint64_t order = 0;
    SegmentKind kind = SegmentKind::syn;
    std::uint32_t connection = 0;
    bool from_caller = true;
    std::uint32_t message = kNoMessage;
};
constexpr std::uint64_t kLast = ~std::uint64_t{0};

/// When a process has nothing open any more: its machine ended, or somebody ended it.
std::vector<TimeNs> ends_of(Chronicle const& chronicle) {
    std::vector<TimeNs> ends(chronicle.processes.size(), kNever);
    for (StepStory const& step : chronicle.steps) {
        bool const root = chronicle.processes[step.process].kind == Process::Kind::root;
        bool const over = root ? step.phase_after == static_cast<std::uint8_t>(protocol::RootPhase::failed)
                               : step.phase_after == static_cast<std::uint8_t>(protocol::Phase::failed) ||
                                     step.phase_after == static_cast<std::uint8_t>(protocol::Phase::closed);
        if (over)
            ends[step.process] = std::min(ends[step.process], step.at_ns);
    }
    for (ProcessIndex rank = 0; rank < chronicle.ranks.size(); ++rank) {
        if (chronicle.ranks[rank].end == RankEnd::dead)
            ends[rank] = std::min(ends[rank], chronicle.ranks[rank].ended_ns);
    }
    return ends;
}

class Planner {
public:
    Planner(Chronicle const& chronicle, Addresses& addresses) : chronicle_(chronicle), addresses_(addresses) {}

    std::vector<Planned> plan() {
        ends_ = ends_of(chronicle_);
        for (std::uint32_t i = 0; i < chronicle_.calls.size(); ++i)
            add_call(i);
        for (std::uint32_t i = 0; i < chronicle_.messages.size(); ++i)
            add_message(i);
        for (std::uint32_t i = 0; i < chronicle_.calls.size(); ++i)
            add_end(i);
        std::stable_sort(planned_.begin(), planned_.end(), [](Planned const& a, Planned const& b) {
            return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
        });
        return std::move(planned_);
    }
    std::vector<Connection> connections;

private:
    void add(TimeNs at_ns, std::uint64_t order, SegmentKind kind, std::uint32_t connection, bool from_caller,
             std::uint32_t message = kNoMessage) {
        planned_.push_back({at_ns, order, kind, connection, from_caller, message});
    }

    void connect(ProcessIndex caller, ProcessIndex listener, protocol::Link link) {
        bool const callback = link.link_class() == LinkClass::callback;
        connections.push_back({caller, listener, addresses_.deal_port(caller),
                               callback ? addresses_.callback_port_of(listener) : addresses_.port_of(listener)});
    }

    void add_call(std::uint32_t index) {
        CallStory const& call = chronicle_.calls[index];
        connect(call.from, call.to, call.link);
        add(call.called_ns, 0, SegmentKind::syn, index, true);
        for (TimeNs const again_ns : retransmitted_ns(call, chronicle_.first_retransmit_ns))
            add(again_ns, 0, SegmentKind::syn_again, index, true);
        if (call.stood_ns != kNever) {
            add(call.stood_ns, 0, SegmentKind::syn_ack, index, false);
            add(call.stood_ns, 0, SegmentKind::ack, index, true);
        } else if (call.failed_ns != kNever && call.failure == protocol::Failure::refused) {
            add(call.failed_ns, 0, SegmentKind::refusal, index, false);
        }
    }

    void add_message(std::uint32_t index) {
        MessageStory const& message = chronicle_.messages[index];
        if (message.from == kNobody)
            return;
        std::uint32_t const connection = connection_of(message);
        bool const from_caller = connections[connection].caller == message.from;
        add(message.sent_ns, 2 * std::uint64_t{message.send_step} + 2, SegmentKind::data, connection, from_caller,
            index);
        if (message.received_ns != kNever)
            add(message.received_ns, 2 * std::uint64_t{message.receive_step} + 1, SegmentKind::ack, connection,
                !from_caller, index);
    }

    /// Of a message whose call is not known: one that this pair has made up.
    std::uint32_t connection_of(MessageStory const& message) {
        if (message.call < chronicle_.calls.size())
            return message.call;
        auto const [pair, fresh] =
            made_up_.emplace(std::minmax(message.from, message.to), static_cast<std::uint32_t>(connections.size()));
        if (fresh)
            connect(message.from, message.to, message.link);
        return pair->second;
    }

    void add_end(std::uint32_t index) {
        CallStory const& call = chronicle_.calls[index];
        if (call.stood_ns == kNever)
            return;
        auto const closed_ns = [&](TimeNs told_ns, ProcessIndex process) {
            TimeNs const end_ns = process == kNobody ? kNever : ends_[process];
            return told_ns != kNever ? told_ns : end_ns == kNever ? kNever : std::max(end_ns, call.stood_ns);
        };
        TimeNs const caller_ns = closed_ns(call.caller_closed_ns, call.from);
        TimeNs const listener_ns = closed_ns(call.listener_closed_ns, call.to);
        if (call.reset && std::min(caller_ns, listener_ns) != kNever) {
            add(std::min(caller_ns, listener_ns), kLast, SegmentKind::reset, index, caller_ns <= listener_ns);
            return;
        }
        if (caller_ns != kNever)
            add(caller_ns, kLast, SegmentKind::fin, index, true);
        if (listener_ns != kNever)
            add(listener_ns, kLast, SegmentKind::fin, index, false);
    }

    Chronicle const& chronicle_;
    Addresses& addresses_;
    std::vector<TimeNs> ends_;
    std::vector<Planned> planned_;
    std::map<std::pair<ProcessIndex, ProcessIndex>, std::uint32_t> made_up_;
};

/// One direction of a connection.
struct Stream {
    std::uint32_t next = 0;      ///< sequence number of the next byte
    std::uint32_t received = 0;  ///< of this stream, by the other end: what it acknowledges
};

/// Any number would do; those of neighbours differ, so that a mistake would be seen.
std::uint32_t first_sequence(std::uint32_t connection, bool from_caller) {
    return (connection * 2 + (from_caller ? 0U : 1U)) * 0x9e37'79b1U + 0x1234'5678U;
}

class Numberer {
public:
    Numberer(Chronicle const& chronicle, Segments& segments)
        : chronicle_(chronicle), segments_(segments), streams_(segments.connections.size()),
          end_of_message_(chronicle.messages.size(), 0) {
        for (std::uint32_t i = 0; i < streams_.size(); ++i) {
            for (bool const from_caller : {false, true}) {
                Stream& stream = stream_of(i, from_caller);
                stream.next = stream.received = first_sequence(i, from_caller);
            }
        }
    }

    void number(Planned const& planned) {
        Stream& mine = stream_of(planned.connection, planned.from_caller);
        Stream& theirs = stream_of(planned.connection, !planned.from_caller);
        if (planned.kind == SegmentKind::data) {
            add_data(planned, mine, theirs);
            return;
        }
        Segment segment{planned.at_ns, planned.kind, planned.connection, planned.from_caller, planned.message};
        segment.sequence = mine.next;
        switch (planned.kind) {
        case SegmentKind::syn: ++mine.next; break;
        case SegmentKind::syn_again: --segment.sequence; break;
        case SegmentKind::syn_ack:
            ++mine.next;
            theirs.received = theirs.next;
            break;
        case SegmentKind::refusal: theirs.received = theirs.next; break;
        case SegmentKind::ack:
            // Without a message it ends the handshake; with one, all up to there has come.
            acknowledge(theirs, planned.message == kNoMessage ? theirs.next : end_of_message_[planned.message]);
            break;
        case SegmentKind::fin: ++mine.next; break;
        case SegmentKind::reset:
        case SegmentKind::data: break;
        }
        segment.acknowledged =
            planned.kind == SegmentKind::syn || planned.kind == SegmentKind::syn_again ? 0 : theirs.received;
        segments_.in_order.push_back(segment);
    }

private:
    Stream& stream_of(std::uint32_t connection, bool from_caller) { return streams_[connection][from_caller ? 0 : 1]; }

    /// Acknowledged is what is whole: later bytes than those that were, modulo 2^32.
    static void acknowledge(Stream& theirs, std::uint32_t up_to) {
        if (static_cast<std::int32_t>(up_to - theirs.received) > 0)
            theirs.received = up_to;
    }

    void add_data(Planned const& planned, Stream& mine, Stream const& theirs) {
        auto const whole = static_cast<std::uint32_t>(chronicle_.messages[planned.message].bytes);
        for (std::uint32_t offset = 0; offset < whole; offset += kMostSegmentBytes) {
            Segment segment{planned.at_ns, SegmentKind::data, planned.connection, planned.from_caller, planned.message};
            segment.offset = offset;
            segment.bytes = std::min(kMostSegmentBytes, whole - offset);
            segment.sequence = mine.next;
            segment.acknowledged = theirs.received;
            mine.next += segment.bytes;
            segments_.in_order.push_back(segment);
        }
        end_of_message_[planned.message] = mine.next;
    }

    Chronicle const& chronicle_;
    Segments& segments_;
    std::vector<std::array<Stream, 2>> streams_;  ///< by connection: of the caller, of the listener
    std::vector<std::uint32_t> end_of_message_;
};

}  // namespace

Segments segments_of(Chronicle const& chronicle, Addresses& addresses) {
    Planner planner(chronicle, addresses);
    std::vector<Planned> const planned = planner.plan();
    Segments segments{std::move(planner.connections), {}};
    Numberer numberer(chronicle, segments);
    for (Planned const& each : planned)
        numberer.number(each);
    return segments;
}

}  // namespace ronde::viz
