#include "timeline/perfetto.hpp"

#include "timeline/happenings.hpp"
#include "timeline/proto_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace ronde::viz {
namespace {

/// Numbers of fields and enumerators, from Perfetto's protos/perfetto/trace: trace.proto, trace_packet.proto,
/// track_event/{track_descriptor,process_descriptor,thread_descriptor,counter_descriptor,track_event,
/// debug_annotation}.proto and interned_data/interned_data.proto. Numbers of a released format never change.
namespace field {
constexpr std::uint32_t kTracePacket = 1;

namespace packet {
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kTrustedSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kInternedData = 12;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1;  // SequenceFlags
constexpr std::uint64_t kNeedsState = 2;
}  // namespace packet

namespace track {
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kProcess = 3;
constexpr std::uint32_t kThread = 4;
constexpr std::uint32_t kParentUuid = 5;
constexpr std::uint32_t kCounter = 8;
constexpr std::uint32_t kProcessPid = 1;
constexpr std::uint32_t kProcessName = 6;
constexpr std::uint32_t kThreadPid = 1;
constexpr std::uint32_t kThreadTid = 2;
constexpr std::uint32_t kThreadName = 5;
}  // namespace track

namespace event {
constexpr std::uint32_t kDebugAnnotation = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kNameIid = 10;
constexpr std::uint32_t kTrackUuid = 11;
constexpr std::uint32_t kCounterValue = 30;
constexpr std::uint32_t kFlowIds = 47;
constexpr std::uint32_t kTerminatingFlowIds = 48;
constexpr std::uint64_t kSliceBegin = 1;  // Type
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kInstant = 3;
constexpr std::uint64_t kCounter = 4;
}  // namespace event

constexpr std::uint32_t kAnnotationString = 6;
constexpr std::uint32_t kAnnotationName = 10;
constexpr std::uint32_t kInternedEventName = 2;
constexpr std::uint32_t kInternedIid = 1;
constexpr std::uint32_t kInternedText = 2;
}  // namespace field

constexpr std::uint64_t kSequence = 1;
constexpr std::array<std::string_view, 7> kCounters{"accept queue",    "accepts",         "SYNs dropped", "ghosts",
                                                    "SYNs sent again", "data sent again", "checked in"};

class PerfettoTrace {
public:
    PerfettoTrace(Chronicle const& chronicle, Sink const& sink)
        : chronicle_(chronicle), sink_(sink), messages_(chronicle),
          with_texts_(chronicle.steps.size() <= kMostStepTexts) {}

    void write() {
        add_tracks();
        Happenings const happenings = happenings_of(chronicle_);
        for (Happening const& happening : happenings.in_order)
            add(happening, happenings.spans);
        sink_(buffer_);
    }

private:
    // Uuids of tracks: processes first, then hosts, then counters; 0 means none.
    [[nodiscard]] std::uint64_t track_of(ProcessIndex process) const { return std::uint64_t{process} + 1; }
    [[nodiscard]] std::uint64_t host_track(std::uint32_t host) const { return chronicle_.processes.size() + 1 + host; }
    [[nodiscard]] std::uint64_t counter_track(std::size_t counter) const {
        return chronicle_.processes.size() + 1 + hosts_ + counter;
    }

    void add_packet(std::string_view content) {
        constexpr std::size_t kPiece = 1U << 16U;
        ProtoWriter(buffer_).bytes(field::kTracePacket, content);
        if (buffer_.size() >= kPiece) {
            sink_(buffer_);
            buffer_.clear();
        }
    }

    void add_track(std::string const& descriptor) {
        std::string content;
        ProtoWriter packet(content);
        packet.varint(field::packet::kTrustedSequence, kSequence);
        packet.varint(field::packet::kSequenceFlags,
                      fresh_ ? field::packet::kStateCleared : field::packet::kNeedsState);
        packet.bytes(field::packet::kTrackDescriptor, descriptor);
        fresh_ = false;
        add_packet(content);
    }

    void add_tracks() {
        std::vector<bool> known;
        for (ProcessIndex process = 0; process < chronicle_.processes.size(); ++process) {
            std::uint32_t const host = chronicle_.processes[process].host;
            if (host >= known.size())
                known.resize(host + 1, false);
            if (!known[host])
                add_host(host);
            known[host] = true;
            add_process(process, host);
        }
        hosts_ = static_cast<std::uint32_t>(known.size());
        for (std::size_t counter = 0; counter < kCounters.size() && !chronicle_.listener.empty(); ++counter)
            add_counter(counter);
    }

    void add_host(std::uint32_t host) {
        std::string process;
        ProtoWriter(process).varint(field::track::kProcessPid, host + 1);
        ProtoWriter(process).bytes(field::track::kProcessName, fmt::format("host {}", host));
        std::string track;
        ProtoWriter(track).varint(field::track::kUuid, host_track(host));
        ProtoWriter(track).bytes(field::track::kProcess, process);
        add_track(track);
    }

    void add_process(ProcessIndex process, std::uint32_t host) {
        std::string thread;
        ProtoWriter(thread).varint(field::track::kThreadPid, host + 1);
        ProtoWriter(thread).varint(field::track::kThreadTid, process + 1);
        ProtoWriter(thread).bytes(field::track::kThreadName, name_of(chronicle_, process));
        std::string track;
        ProtoWriter(track).varint(field::track::kUuid, track_of(process));
        ProtoWriter(track).varint(field::track::kParentUuid, host_track(host));
        ProtoWriter(track).bytes(field::track::kThread, thread);
        add_track(track);
    }

    void add_counter(std::size_t counter) {
        std::string track;
        ProtoWriter(track).varint(field::track::kUuid, counter_track(counter));
        ProtoWriter(track).varint(field::track::kParentUuid, host_track(chronicle_.processes[chronicle_.nranks].host));
        ProtoWriter(track).bytes(field::track::kName, kCounters[counter]);
        ProtoWriter(track).bytes(field::track::kCounter, {});
        add_track(track);
    }

    /// A name is spelt once, in the packet that needs it first; after that it is a number.
    std::uint64_t iid_of(std::string_view name, std::string& interned) {
        if (auto const known = names_.find(name); known != names_.end())
            return known->second;
        std::uint64_t const iid = names_.size() + 1;
        names_.emplace(name, iid);
        std::string entry;
        ProtoWriter(entry).varint(field::kInternedIid, iid);
        ProtoWriter(entry).bytes(field::kInternedText, name);
        ProtoWriter(interned).bytes(field::kInternedEventName, entry);
        return iid;
    }

    void add_event(TimeNs at_ns, std::uint64_t type, std::uint64_t track, std::string_view name,
                   std::string_view further = {}) {
        std::string interned;
        std::string event;
        ProtoWriter writer(event);
        writer.varint(field::event::kType, type);
        writer.varint(field::event::kTrackUuid, track);
        if (!name.empty())
            writer.varint(field::event::kNameIid, iid_of(name, interned));
        event += further;

        std::string content;
        ProtoWriter packet(content);
        packet.varint(field::packet::kTimestamp, static_cast<std::uint64_t>(at_ns));
        packet.varint(field::packet::kTrustedSequence, kSequence);
        packet.bytes(field::packet::kTrackEvent, event);
        if (!interned.empty())
            packet.bytes(field::packet::kInternedData, interned);
        packet.varint(field::packet::kSequenceFlags, field::packet::kNeedsState);
        add_packet(content);
    }

    void add(Happening const& happening, std::vector<std::vector<PhaseSpan>> const& spans) {
        using Kind = Happening::Kind;
        TimeNs const at_ns = happening.at_ns;
        switch (happening.kind) {
        case Kind::phase_begin: {
            PhaseSpan const& span = spans[happening.process][happening.index];
            add_event(at_ns, field::event::kSliceBegin, track_of(happening.process),
                      phase_name(chronicle_.processes[happening.process], span.phase));
            return;
        }
        case Kind::phase_end: add_event(at_ns, field::event::kSliceEnd, track_of(happening.process), {}); return;
        case Kind::step: add_step(happening.index); return;
        case Kind::syn_again:
            add_instant(at_ns, happening.process, "SYN again",
                        fmt::format("to {}", name_of(chronicle_, chronicle_.calls[happening.index].to)));
            return;
        case Kind::call_failed: {
            CallStory const& call = chronicle_.calls[happening.index];
            add_instant(at_ns, happening.process, "connection failed",
                        fmt::format("to {}: {}", name_of(chronicle_, call.to), protocol::name_of(call.failure)));
            return;
        }
        case Kind::fault:
            add_instant(at_ns, happening.process == kNobody ? chronicle_.nranks : happening.process, "fault",
                        chronicle_.faults[happening.index].text);
            return;
        case Kind::listener: add_counters(chronicle_.listener[happening.index]); return;
        }
    }

    static std::string annotation(std::string_view name, std::string_view text) {
        std::string inner;
        ProtoWriter(inner).bytes(field::kAnnotationName, name);
        ProtoWriter(inner).bytes(field::kAnnotationString, text);
        std::string outer;
        ProtoWriter(outer).bytes(field::event::kDebugAnnotation, inner);
        return outer;
    }

    void add_instant(TimeNs at_ns, ProcessIndex process, std::string_view name, std::string_view text) {
        add_event(at_ns, field::event::kInstant, track_of(process), name, annotation("text", text));
    }

    void add_step(std::uint32_t index) {
        StepStory const& step = chronicle_.steps[index];
        std::string further;
        ProtoWriter writer(further);
        for (std::uint32_t const i : messages_.sent_by(index)) {
            MessageStory const& message = chronicle_.messages[i];
            if (message.received_ns != kNever)
                writer.fixed64(field::event::kFlowIds, std::uint64_t{i} + 1);
            else
                further += annotation("did not arrive", fmt::format("{} to {}", protocol::name_of(message.kind),
                                                                    name_of(chronicle_, message.to)));
        }
        for (std::uint32_t const i : messages_.received_by(index))
            writer.fixed64(field::event::kTerminatingFlowIds, std::uint64_t{i} + 1);
        if (with_texts_)
            further += annotation("step", step.text);
        if (step.critical)
            further += annotation("critical", "yes");
        add_event(step.at_ns, field::event::kInstant, track_of(step.process), step_name(step), further);
    }

    void add_counters(ListenerSample const& sample) {
        std::array<std::uint64_t, kCounters.size()> const values{
            sample.queue_depth,     sample.accepts,          sample.syn_drops, sample.ghosts,
            sample.syn_retransmits, sample.data_retransmits, sample.checked_in};
        for (std::size_t counter = 0; counter < values.size(); ++counter) {
            std::string value;
            ProtoWriter(value).varint(field::event::kCounterValue, values[counter]);
            add_event(sample.at_ns, field::event::kCounter, counter_track(counter), {}, value);
        }
    }

    Chronicle const& chronicle_;
    Sink const& sink_;
    StepMessages messages_;
    bool with_texts_;
    bool fresh_ = true;
    std::uint32_t hosts_ = 0;
    std::map<std::string, std::uint64_t, std::less<>> names_;
    std::string buffer_;
};

}  // namespace

void perfetto_trace(Chronicle const& chronicle, Sink const& sink) { PerfettoTrace(chronicle, sink).write(); }

}  // namespace ronde::viz
