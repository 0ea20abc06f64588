#include "world/dependencies.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

constexpr std::array<std::string_view, kWaits> kWaitNames{"start", "travel", "busy", "service", "timer"};
constexpr TimeNs kMostServiceNs = (TimeNs{1} << 31) - 1;

/// Puts a stretch before those that are there already (the chain is read backwards).
void put_before(CriticalPath& path, PathPiece const& piece) {
    if (piece.end_ns == piece.begin_ns)
        return;
    path.spent_ns[static_cast<std::size_t>(piece.wait)] += piece.end_ns - piece.begin_ns;
    if (!path.pieces.empty()) {
        PathPiece& next = path.pieces.back();
        bool const same = next.wait == piece.wait && next.process == piece.process && next.from == piece.from;
        if (same && next.begin_ns == piece.end_ns) {
            next.begin_ns = piece.begin_ns;
            next.steps += piece.steps;
            return;
        }
    }
    path.pieces.push_back(piece);
}

}  // namespace

std::string_view name_of(Wait wait) noexcept { return kWaitNames[static_cast<std::size_t>(wait)]; }

Dependencies::Node Dependencies::add(ProcessId process, Node cause, TimeNs there_ns, TimeNs done_ns, TimeNs service_ns,
                                     bool timer) {
    if (process >= last_.size())
        last_.resize(process + 1U, kNoNode);
    Step step;
    step.done_ns = done_ns;
    step.there_ns = there_ns;
    step.cause = cause;
    step.before = last_[process];
    step.process = process;
    step.service_ns = static_cast<std::uint32_t>(std::min(service_ns, kMostServiceNs)) & 0x7fff'ffffU;
    step.timer = timer ? 1U : 0U;
    auto const node = static_cast<Node>(steps_.size());
    steps_.push_back(step);
    last_[process] = node;
    return node;
}

CriticalPath Dependencies::path_to(ProcessId process, TimeNs end_ns) const {
    CriticalPath path;
    if (process >= last_.size())
        return path;
    Node node = last_[process];
    while (node != kNoNode && steps_[node].done_ns > end_ns)
        node = steps_[node].before;
    if (node == kNoNode)
        return path;
    path.end_ns = steps_[node].done_ns;
    path.slack_ns = slack_towards(node);
    while (node != kNoNode) {
        Step const& step = steps_[node];
        TimeNs const begun_ns = step.done_ns - TimeNs{step.service_ns};
        put_before(path, {step.process, kNoProcess, Wait::service, begun_ns, step.done_ns, 1});
        // It was late because the process was busy, or because what it waited for came when it came.
        bool const was_busy = step.before != kNoNode && begun_ns > step.there_ns;
        if (was_busy) {
            TimeNs const free_ns = std::min(steps_[step.before].done_ns, begun_ns);
            put_before(path, {step.process, kNoProcess, Wait::busy, free_ns, begun_ns, 1});
            node = step.before;
            continue;
        }
        if (step.cause == kNoNode) {
            put_before(path, {step.process, kNoProcess, Wait::start, 0, begun_ns, 1});
            break;
        }
        Step const& cause = steps_[step.cause];
        Wait const wait = step.timer != 0 ? Wait::timer : Wait::travel;
        put_before(path,
                   {step.process, step.timer != 0 ? kNoProcess : cause.process, wait, cause.done_ns, begun_ns, 1});
        node = step.cause;
    }
    std::reverse(path.pieces.begin(), path.pieces.end());
    return path;
}

/// Backwards over all steps: the latest time at which each could have been done.
std::vector<TimeNs> Dependencies::slack_towards(Node end) const {
    constexpr TimeNs kFree = protocol::kNever;
    TimeNs const end_ns = steps_[end].done_ns;
    std::vector<TimeNs> latest_ns(end + std::size_t{1}, kFree);
    std::vector<TimeNs> slack_ns(last_.size(), end_ns);
    latest_ns[end] = end_ns;
    for (Node node = end + 1U; node-- > 0;) {
        Step const& step = steps_[node];
        if (latest_ns[node] == kFree)
            continue;
        TimeNs const slack = latest_ns[node] - step.done_ns;
        slack_ns[step.process] = std::min(slack_ns[step.process], slack);
        if (step.before != kNoNode)
            latest_ns[step.before] = std::min(latest_ns[step.before], latest_ns[node] - TimeNs{step.service_ns});
        if (step.cause != kNoNode) {
            TimeNs const trip_ns = std::max<TimeNs>(step.there_ns - steps_[step.cause].done_ns, 0);
            latest_ns[step.cause] =
                std::min(latest_ns[step.cause], latest_ns[node] - TimeNs{step.service_ns} - trip_ns);
        }
    }
    return slack_ns;
}

}  // namespace ronde::sim
