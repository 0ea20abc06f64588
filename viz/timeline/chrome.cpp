#include "timeline/chrome.hpp"

#include "timeline/happenings.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ronde::viz {
namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (static_cast<unsigned char>(c) < 0x20U)
            fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned>(c));
        else
            result += c;
    }
    return result + "\"";
}

std::string microseconds(TimeNs time_ns) { return fmt::format("{}.{:03}", time_ns / 1'000, time_ns % 1'000); }

class ChromeTrace {
public:
    ChromeTrace(Chronicle const& chronicle, Sink const& sink)
        : chronicle_(chronicle), sink_(sink), messages_(chronicle) {}

    void write() {
        fmt::format_to(out(),
                       "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"title\":{},\"verdict\":{},\"source\":{}}},\n",
                       quoted(chronicle_.title), quoted(chronicle_.verdict), quoted(chronicle_.source));
        buffer_ += "\"traceEvents\":[";
        add_names();
        Happenings const happenings = happenings_of(chronicle_);
        for (Happening const& happening : happenings.in_order)
            add(happening, happenings.spans);
        buffer_ += "\n]}\n";
        sink_(buffer_);
    }

private:
    std::back_insert_iterator<std::string> out() { return std::back_inserter(buffer_); }

    /// The common head of an event; its further members follow, each with a comma in front, then `end`.
    void begin(char kind, std::string_view name, ProcessIndex process, TimeNs at_ns) {
        constexpr std::size_t kPiece = 1U << 16U;
        if (buffer_.size() >= kPiece) {
            sink_(buffer_);
            buffer_.clear();
        }
        buffer_ += first_ ? "\n" : ",\n";
        first_ = false;
        fmt::format_to(out(), "{{\"ph\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}", kind, quoted(name),
                       chronicle_.processes[process].host + 1, process + 1, microseconds(at_ns));
    }
    void end() { buffer_ += '}'; }

    void add_names() {
        std::vector<bool> named(chronicle_.nhosts, false);
        for (ProcessIndex process = 0; process < chronicle_.processes.size(); ++process) {
            std::uint32_t const host = chronicle_.processes[process].host;
            if (host >= named.size())
                named.resize(host + 1, false);
            if (!named[host]) {
                named[host] = true;
                begin('M', "process_name", process, 0);
                fmt::format_to(out(), ",\"args\":{{\"name\":\"host {}\"}}", host);
                end();
            }
            begin('M', "thread_name", process, 0);
            fmt::format_to(out(), ",\"args\":{{\"name\":{}}}", quoted(name_of(chronicle_, process)));
            end();
            begin('M', "thread_sort_index", process, 0);
            fmt::format_to(out(), ",\"args\":{{\"sort_index\":{}}}", process);
            end();
        }
    }

    void add(Happening const& happening, std::vector<std::vector<PhaseSpan>> const& spans) {
        using Kind = Happening::Kind;
        switch (happening.kind) {
        case Kind::phase_begin: add_phase(happening.process, spans[happening.process][happening.index]); return;
        case Kind::phase_end: return;  // a complete event has its length with it
        case Kind::step: add_step(happening.index); return;
        case Kind::syn_again:
            add_instant("SYN again", happening.process, happening.at_ns,
                        fmt::format("to {}", name_of(chronicle_, chronicle_.calls[happening.index].to)));
            return;
        case Kind::call_failed: {
            CallStory const& call = chronicle_.calls[happening.index];
            add_instant("connection failed", happening.process, happening.at_ns,
                        fmt::format("to {}: {}", name_of(chronicle_, call.to), protocol::name_of(call.failure)));
            return;
        }
        case Kind::fault:
            add_instant("fault", happening.process == kNobody ? chronicle_.nranks : happening.process, happening.at_ns,
                        chronicle_.faults[happening.index].text);
            return;
        case Kind::listener: add_counters(chronicle_.listener[happening.index]); return;
        }
    }

    void add_phase(ProcessIndex process, PhaseSpan const& span) {
        begin('X', phase_name(chronicle_.processes[process], span.phase), process, span.from_ns);
        fmt::format_to(out(), ",\"cat\":\"phase\",\"dur\":{}", microseconds(span.until_ns - span.from_ns));
        end();
    }

    /// A step takes no time. It is drawn as one ns, since a flow begins and ends in slices only.
    void add_step(std::uint32_t index) {
        StepStory const& step = chronicle_.steps[index];
        begin('X', step_name(step), step.process, step.at_ns);
        fmt::format_to(out(), ",\"cat\":\"step\",\"dur\":0.001,\"args\":{{\"step\":{}", quoted(step.text));
        if (step.critical)
            buffer_ += ",\"critical\":true";
        buffer_ += '}';
        end();
        for (std::uint32_t const message : messages_.received_by(index))
            add_flow('f', message, step);
        for (std::uint32_t const message : messages_.sent_by(index))
            add_flow('s', message, step);
    }

    void add_flow(char kind, std::uint32_t index, StepStory const& step) {
        MessageStory const& message = chronicle_.messages[index];
        std::string_view const name = protocol::name_of(message.kind);
        if (message.received_ns == kNever) {
            add_instant(fmt::format("{} did not arrive", name), message.from, message.sent_ns,
                        fmt::format("to {}", name_of(chronicle_, message.to)));
            return;
        }
        begin(kind, name, kind == 's' ? message.from : message.to, step.at_ns);
        fmt::format_to(out(), ",\"cat\":\"message\",\"id\":{}{}", index, kind == 'f' ? ",\"bp\":\"e\"" : "");
        if (kind == 's')
            fmt::format_to(out(), ",\"args\":{{\"to\":{},\"bytes\":{}{}}}", quoted(name_of(chronicle_, message.to)),
                           message.bytes, message.critical ? ",\"critical\":true" : "");
        end();
    }

    void add_instant(std::string_view name, ProcessIndex process, TimeNs at_ns, std::string_view text) {
        begin('i', name, process, at_ns);
        fmt::format_to(out(), ",\"s\":\"t\",\"args\":{{\"text\":{}}}", quoted(text));
        end();
    }

    void add_counters(ListenerSample const& sample) {
        auto const add = [&](std::string_view name, std::uint64_t value) {
            begin('C', name, chronicle_.nranks, sample.at_ns);
            fmt::format_to(out(), ",\"args\":{{\"value\":{}}}", value);
            end();
        };
        add("accept queue", sample.queue_depth);
        add("accepts", sample.accepts);
        add("SYNs dropped", sample.syn_drops);
        add("ghosts", sample.ghosts);
        add("SYNs sent again", sample.syn_retransmits);
        add("data sent again", sample.data_retransmits);
        add("checked in", sample.checked_in);
    }

    Chronicle const& chronicle_;
    Sink const& sink_;
    StepMessages messages_;
    std::string buffer_;
    bool first_ = true;
};

}  // namespace

std::size_t chrome_events(Chronicle const& chronicle) {
    constexpr std::size_t kPhasesOfRank = 6;
    constexpr std::size_t kCounters = 6;
    return chronicle.processes.size() * (kPhasesOfRank + 2) + chronicle.steps.size() + 2 * chronicle.messages.size() +
           kCounters * chronicle.listener.size();
}

void chrome_trace(Chronicle const& chronicle, Sink const& sink) { ChromeTrace(chronicle, sink).write(); }

}  // namespace ronde::viz
