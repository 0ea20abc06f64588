#include "sequence/sequence_text.hpp"

#include "timeline/phase_spans.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ronde::viz {
namespace {

/// What is written, in the order of time; at one time phases before messages, and both in the order of the steps.
struct Line {
    enum class Kind : std::uint8_t { fault, phase, call_failed, message };
    TimeNs at_ns = 0;
    Kind kind = Kind::message;
    std::uint32_t index = 0;  ///< of steps (phase), messages, calls or faults
};

std::vector<Line> lines_of(SequenceScene const& scene) {
    Chronicle const& chronicle = *scene.chronicle;
    std::vector<Line> all;
    auto const add = [&](TimeNs at_ns, Line::Kind kind, std::size_t index) {
        if (at_ns != kNever && scene.shows(at_ns))
            all.push_back({at_ns, kind, static_cast<std::uint32_t>(index)});
    };
    for (std::size_t i = 0; i < chronicle.faults.size(); ++i) {
        if (scene.shows_process(chronicle.faults[i].process))
            add(chronicle.faults[i].at_ns, Line::Kind::fault, i);
    }
    for (std::size_t i = 0; i < chronicle.steps.size(); ++i) {
        StepStory const& step = chronicle.steps[i];
        if (step.phase_before != step.phase_after && scene.shows_process(step.process))
            add(step.at_ns, Line::Kind::phase, i);
    }
    for (std::uint32_t const i : scene.calls)
        add(chronicle.calls[i].failed_ns, Line::Kind::call_failed, i);
    // A message that was sent before the window is written where the window begins.
    for (std::uint32_t const i : scene.messages)
        add(std::max(chronicle.messages[i].sent_ns, scene.from_ns), Line::Kind::message, i);
    std::stable_sort(all.begin(), all.end(), [](Line const& a, Line const& b) {
        return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.kind < b.kind;
    });
    return all;
}

/// "check_in, 20 us to 40 us, critical".
std::string message_text(Chronicle const& chronicle, MessageStory const& message) {
    std::string text =
        fmt::format("{}, {} to {}", message_label(message, chronicle.nranks), exact_time(message.sent_ns),
                    message.received_ns == kNever ? "nowhere" : exact_time(message.received_ns));
    if (message.critical)
        text += ", critical";
    return text;
}

std::string call_text(Chronicle const& chronicle, CallStory const& call) {
    return fmt::format("no connection to {}: {}", name_of(chronicle, call.to), protocol::name_of(call.failure));
}

/// Names of the two languages: what stands for a process in each line.
std::string short_name(SequenceScene const& scene, ProcessIndex process) {
    return fmt::format("p{}", scene.column_of[process]);
}

/// Characters that end a line or a string of either language.
std::string plain(std::string_view text) {
    std::string result;
    for (char const c : text) {
        bool const speaks = c == '"' || c == ';' || c == '#' || c == '\\' || static_cast<unsigned char>(c) < 0x20U;
        result += speaks ? (c == ';' ? ',' : ' ') : c;
    }
    return result;
}

/// What both languages share: the walk over what happened. `Language` writes the lines.
template <typename Language>
void write_all(SequenceScene const& scene, Language& language) {
    Chronicle const& chronicle = *scene.chronicle;
    for (Line const& line : lines_of(scene)) {
        switch (line.kind) {
        case Line::Kind::fault: {
            FaultStory const& fault = chronicle.faults[line.index];
            language.note(fault.process, fmt::format("fault: {}", fault.text));
            break;
        }
        case Line::Kind::phase: {
            StepStory const& step = chronicle.steps[line.index];
            language.note(step.process, std::string(phase_name(chronicle.processes[step.process], step.phase_after)));
            break;
        }
        case Line::Kind::call_failed: {
            CallStory const& call = chronicle.calls[line.index];
            language.note(call.from, call_text(chronicle, call));
            break;
        }
        case Line::Kind::message: language.message(chronicle.messages[line.index]); break;
        }
    }
}

class Mermaid {
public:
    explicit Mermaid(SequenceScene const& scene) : scene_(scene) {
        out_ = fmt::format("sequenceDiagram\n    title {}\n", plain(scene.chronicle->title));
        for (ProcessIndex const process : scene.columns)
            out_ += fmt::format("    participant {} as {}{}\n", short_name(scene, process),
                                name_of(*scene.chronicle, process), is_culprit(process) ? " (blamed)" : "");
        out_ += fmt::format("    Note over {}", short_name(scene, scene.columns.front()));
        if (scene.columns.size() > 1)
            out_ += "," + short_name(scene, scene.columns.back());
        out_ += fmt::format(": {}\n", plain(scene.chronicle->verdict));
    }
    void note(ProcessIndex process, std::string const& text) {
        out_ += fmt::format("    Note over {}: {}\n", short_name(scene_, process), plain(text));
    }
    void message(MessageStory const& message) {
        std::string const from = short_name(scene_, message.from);
        std::string const text = message_text(*scene_.chronicle, message);
        // Nobody at the other end: it falls to the sender's own feet.
        std::string const to = message.to == kNobody ? from : short_name(scene_, message.to);
        out_ += fmt::format("    {}{}{}: {}\n", from, message.received_ns == kNever ? "-x" : "->>", to, plain(text));
    }
    std::string finish() { return std::move(out_); }

private:
    [[nodiscard]] bool is_culprit(ProcessIndex process) const {
        return process < scene_.chronicle->ranks.size() && scene_.chronicle->ranks[process].culprit;
    }
    SequenceScene const& scene_;
    std::string out_;
};

class Mscgen {
public:
    explicit Mscgen(SequenceScene const& scene) : scene_(scene) {
        Chronicle const& chronicle = *scene.chronicle;
        out_ = fmt::format("# {}\nmsc {{\n    wordwraparcs=\"1\", width=\"{}\";\n    ", plain(chronicle.title),
                           std::max<std::size_t>(600, scene.columns.size() * 160));
        for (std::size_t i = 0; i < scene.columns.size(); ++i) {
            ProcessIndex const process = scene.columns[i];
            bool const culprit = process < chronicle.ranks.size() && chronicle.ranks[process].culprit;
            out_ += fmt::format("{}{} [label=\"{}\"{}]", i == 0 ? "" : ", ", short_name(scene, process),
                                name_of(chronicle, process), culprit ? ", textcolor=\"#c1440e\"" : "");
        }
        out_ += fmt::format(";\n    --- [label=\"{}\"];\n", plain(chronicle.verdict));
    }
    void note(ProcessIndex process, std::string const& text) {
        std::string const name = short_name(scene_, process);
        out_ += fmt::format("    {0} rbox {0} [label=\"{1}\"];\n", name, plain(text));
    }
    void message(MessageStory const& message) {
        std::string const from = short_name(scene_, message.from);
        std::string const to = message.to == kNobody ? from : short_name(scene_, message.to);
        out_ += fmt::format("    {}{}{} [label=\"{}\"{}];\n", from, message.received_ns == kNever ? "-x" : "=>", to,
                            plain(message_text(*scene_.chronicle, message)),
                            message.critical ? ", linecolor=\"#a3005c\", textcolor=\"#a3005c\"" : "");
    }
    std::string finish() { return std::move(out_) + "}\n"; }

private:
    SequenceScene const& scene_;
    std::string out_;
};

}  // namespace

std::string sequence_mermaid(SequenceScene const& scene) {
    Mermaid mermaid(scene);
    write_all(scene, mermaid);
    return mermaid.finish();
}

std::string sequence_mscgen(SequenceScene const& scene) {
    Mscgen mscgen(scene);
    write_all(scene, mscgen);
    return mscgen.finish();
}

}  // namespace ronde::viz
