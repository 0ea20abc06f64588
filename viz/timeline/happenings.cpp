#include "timeline/happenings.hpp"

#include "timeline/retransmissions.hpp"

#include <algorithm>

namespace ronde::viz {

using Kind = Happening::Kind;

Happenings happenings_of(Chronicle const& chronicle) {
    Happenings happenings{phase_spans(chronicle), {}};
    auto const add = [&](TimeNs at_ns, Kind kind, ProcessIndex process, std::size_t index) {
        happenings.in_order.push_back({at_ns, kind, process, static_cast<std::uint32_t>(index)});
    };
    for (ProcessIndex process = 0; process < happenings.spans.size(); ++process) {
        for (std::size_t i = 0; i < happenings.spans[process].size(); ++i) {
            add(happenings.spans[process][i].from_ns, Kind::phase_begin, process, i);
            add(happenings.spans[process][i].until_ns, Kind::phase_end, process, i);
        }
    }
    for (std::size_t i = 0; i < chronicle.steps.size(); ++i)
        add(chronicle.steps[i].at_ns, Kind::step, chronicle.steps[i].process, i);
    for (std::size_t i = 0; i < chronicle.calls.size(); ++i) {
        CallStory const& call = chronicle.calls[i];
        for (TimeNs const again_ns : retransmitted_ns(call, chronicle.first_retransmit_ns))
            add(again_ns, Kind::syn_again, call.from, i);
        if (call.failed_ns != kNever)
            add(call.failed_ns, Kind::call_failed, call.from, i);
    }
    for (std::size_t i = 0; i < chronicle.faults.size(); ++i)
        add(chronicle.faults[i].at_ns, Kind::fault, chronicle.faults[i].process, i);
    for (std::size_t i = 0; i < chronicle.listener.size(); ++i)
        add(chronicle.listener[i].at_ns, Kind::listener, chronicle.nranks, i);
    std::stable_sort(happenings.in_order.begin(), happenings.in_order.end(),
                     [](Happening const& a, Happening const& b) {
                         return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.kind < b.kind;
                     });
    return happenings;
}

template <typename StepOf>
StepMessages::Groups StepMessages::grouped(Chronicle const& chronicle, StepOf step_of) {
    constexpr std::uint32_t kNoStep = 0xffff'ffffU;
    std::size_t const steps = chronicle.steps.size();
    Groups groups;
    groups.begins.assign(steps + 1, 0);
    auto const checked = [&](MessageStory const& message) {
        std::uint32_t const step = step_of(message, kNoStep);
        return step < steps ? step : kNoStep;
    };
    for (MessageStory const& message : chronicle.messages) {
        if (std::uint32_t const step = checked(message); step != kNoStep)
            ++groups.begins[step + 1];
    }
    for (std::size_t step = 0; step < steps; ++step)
        groups.begins[step + 1] += groups.begins[step];
    groups.messages.resize(groups.begins.back());
    std::vector<std::uint32_t> next(groups.begins.begin(), groups.begins.end() - 1);
    for (std::uint32_t i = 0; i < chronicle.messages.size(); ++i) {
        if (std::uint32_t const step = checked(chronicle.messages[i]); step != kNoStep)
            groups.messages[next[step]++] = i;
    }
    return groups;
}

StepMessages::StepMessages(Chronicle const& chronicle)
    : sent_(grouped(chronicle, [](MessageStory const& message, std::uint32_t) { return message.send_step; })),
      received_(grouped(chronicle, [](MessageStory const& message, std::uint32_t none) {
          return message.received_ns == kNever ? none : message.receive_step;
      })) {}

/// A step's text begins with the process ("3", "root 0", "extra 5"), as in a trace; then come event and, of a frame,
/// kind.
std::string_view step_name(StepStory const& step) noexcept {
    std::string_view text = step.text;
    auto const word = [&text] {
        std::string_view const first = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), first.size() + 1));
        return first;
    };
    std::string_view const whole = text;
    std::string_view first = word();
    if (first == "root" || first == "extra")
        word();
    if (first == "root" || first == "extra" || first.find_first_not_of("0123456789") == std::string_view::npos)
        first = word();
    if (first.empty())
        return step.timer ? "timer" : "step";
    if (first != "frame")
        return first;
    std::string_view const kind = word();
    auto const begin = static_cast<std::size_t>(first.data() - whole.data());
    return whole.substr(begin, static_cast<std::size_t>(kind.data() - whole.data()) + kind.size() - begin);
}

}  // namespace ronde::viz
