#include "timeline/phase_spans.hpp"

#include "protocol/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

using protocol::Phase;

/// When nothing of a process can be seen any more: a dead one has no phase.
TimeNs end_of(Chronicle const& chronicle, ProcessIndex process) {
    if (process < chronicle.ranks.size()) {
        RankStory const& story = chronicle.ranks[process];
        if (story.end == RankEnd::dead && story.ended_ns != kNever)
            return std::min(story.ended_ns, chronicle.end_ns);
    }
    return chronicle.end_ns;
}

/// The stays that the steps tell of. `open`: where the process is, and since when.
struct Stay {
    std::uint8_t phase = 0;
    TimeNs since_ns = 0;
};

void close(std::vector<PhaseSpan>& spans, Stay const& stay, TimeNs until_ns) {
    // 0 is `created` of both machines.
    if (stay.phase != 0 && stay.since_ns < until_ns)
        spans.push_back({stay.phase, stay.since_ns, until_ns});
}

/// A root that takes no step after a fault has struck it is gone, as far as anybody can see. One that crashed is gone
/// with the step that was under way.
TimeNs end_of_root(Chronicle const& chronicle, ProcessIndex root, TimeNs last_step_ns) {
    for (FaultStory const& fault : chronicle.faults) {
        if (fault.process == root && (fault.at_ns >= last_step_ns || fault.text.starts_with("crash")))
            return std::min(std::max(fault.at_ns, last_step_ns), chronicle.end_ns);
    }
    return chronicle.end_ns;
}

std::vector<std::vector<PhaseSpan>> from_steps(Chronicle const& chronicle) {
    std::vector<std::vector<PhaseSpan>> spans(chronicle.processes.size());
    std::vector<Stay> stays(chronicle.processes.size());
    std::vector<TimeNs> last_step_ns(chronicle.processes.size(), 0);
    for (StepStory const& step : chronicle.steps) {
        Stay& stay = stays[step.process];
        last_step_ns[step.process] = step.at_ns;
        if (step.phase_after == stay.phase)
            continue;
        close(spans[step.process], stay, step.at_ns);
        stay = {step.phase_after, step.at_ns};
    }
    for (ProcessIndex process = 0; process < spans.size(); ++process) {
        bool const root = chronicle.processes[process].kind == Process::Kind::root;
        close(spans[process], stays[process],
              root ? end_of_root(chronicle, process, last_step_ns[process]) : end_of(chronicle, process));
    }
    return spans;
}

std::vector<PhaseSpan> from_story(RankStory const& story, TimeNs end_ns) {
    std::vector<Stay> entered;
    for (std::size_t phase = 1; phase < story.entered_ns.size(); ++phase) {
        if (story.entered_ns[phase] != kNever)
            entered.push_back({static_cast<std::uint8_t>(phase), story.entered_ns[phase]});
    }
    if (story.end == RankEnd::failed && story.ended_ns != kNever &&
        story.entered_ns[static_cast<std::size_t>(Phase::failed)] == kNever) {
        entered.push_back({static_cast<std::uint8_t>(Phase::failed), story.ended_ns});
    }
    std::stable_sort(entered.begin(), entered.end(),
                     [](Stay const& a, Stay const& b) { return a.since_ns < b.since_ns; });
    std::vector<PhaseSpan> spans;
    for (std::size_t i = 0; i < entered.size(); ++i)
        close(spans, entered[i], i + 1 < entered.size() ? entered[i + 1].since_ns : end_ns);
    return spans;
}

}  // namespace

std::vector<std::vector<PhaseSpan>> phase_spans(Chronicle const& chronicle) {
    if (chronicle.has_steps)
        return from_steps(chronicle);
    std::vector<std::vector<PhaseSpan>> spans(chronicle.processes.size());
    for (ProcessIndex rank = 0; rank < chronicle.ranks.size(); ++rank)
        spans[rank] = from_story(chronicle.ranks[rank], end_of(chronicle, rank));
    return spans;
}

std::string_view phase_name(Process const& process, std::uint8_t phase) noexcept {
    return process.kind == Process::Kind::root ? protocol::name_of(static_cast<protocol::RootPhase>(phase))
                                               : protocol::name_of(static_cast<Phase>(phase));
}

std::string name_of(Chronicle const& chronicle, ProcessIndex process) {
    if (process == kNobody)
        return "nobody";
    Process const& known = chronicle.processes[process];
    if (!known.name.empty())
        return known.name;
    switch (known.kind) {
    case Process::Kind::rank: return fmt::format("rank {}", known.rank);
    case Process::Kind::root: return fmt::format("root {}", process - chronicle.nranks);
    case Process::Kind::extra: break;
    }
    return fmt::format("extra {}", process - chronicle.nranks - chronicle.nroots);
}

}  // namespace ronde::viz
