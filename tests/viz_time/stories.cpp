#include "viz_time/stories.hpp"

#include "protocol/root.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ronde::viz::stories {
namespace {

using protocol::Frame;
using protocol::FrameKind;
using protocol::Phase;
using protocol::RootPhase;
constexpr TimeNs kUs = protocol::kMicrosecondNs;
constexpr TimeNs kSecond = protocol::kSecondNs;

class Teller {
public:
    explicit Teller(std::uint32_t nranks) {
        told_.title = fmt::format("by hand: {} ranks", nranks);
        told_.subtitle = "profile ronde, gather star";
        told_.source = "a test";
        told_.nranks = nranks;
        told_.nroots = 1;
        told_.nhosts = 2;
        told_.has_steps = true;
        RankStory story;
        story.entered_ns.fill(kNever);
        told_.ranks.assign(nranks, story);
        for (RankId rank = 0; rank < nranks; ++rank)
            told_.processes.push_back({Process::Kind::rank, rank, rank % 2, fmt::format("rank {}", rank)});
        told_.processes.push_back({Process::Kind::root, kNoRank, 0, "root 0"});
    }

    void enter(ProcessIndex process, TimeNs at_ns, std::uint8_t phase) {
        StepStory step;
        step.at_ns = at_ns;
        step.process = process;
        step.phase_before = last_phase_[process];
        step.phase_after = last_phase_[process] = phase;
        step.text = fmt::format("{} start", process);
        told_.steps.push_back(step);
        if (process < told_.nranks && told_.ranks[process].entered_ns[phase] == kNever)
            told_.ranks[process].entered_ns[phase] = at_ns;
        told_.end_ns = at_ns;
    }
    void enter(ProcessIndex process, TimeNs at_ns, Phase phase) {
        enter(process, at_ns, static_cast<std::uint8_t>(phase));
    }
    void enter(ProcessIndex process, TimeNs at_ns, RootPhase phase) {
        enter(process, at_ns, static_cast<std::uint8_t>(phase));
    }

    std::uint32_t call(ProcessIndex from, ProcessIndex to, TimeNs called_ns, TimeNs stood_ns, std::uint32_t again = 0) {
        CallStory call;
        call.from = from;
        call.to = to;
        call.called_ns = called_ns;
        call.stood_ns = call.accepted_ns = stood_ns;
        call.link = to == told_.nranks ? protocol::kRootLink : protocol::chord_out(0);
        call.retransmissions = again;
        told_.calls.push_back(call);
        return static_cast<std::uint32_t>(told_.calls.size() - 1);
    }

    /// The step that sends is the last one told; the one that receives is added by `hear`.
    std::uint32_t say(std::uint32_t call, ProcessIndex from, ProcessIndex to, TimeNs sent_ns, Frame const& frame) {
        MessageStory message;
        message.call = call;
        message.from = from;
        message.to = to;
        message.sent_ns = sent_ns;
        message.kind = frame.kind;
        message.header = frame;
        message.bytes = std::uint64_t{protocol::kHeaderBytes} + frame.payload_bytes;
        if (frame.kind == FrameKind::slices) {
            message.first = frame.a;
            message.count = frame.b;
        }
        message.send_step = static_cast<std::uint32_t>(told_.steps.size() - 1);
        told_.messages.push_back(message);
        return static_cast<std::uint32_t>(told_.messages.size() - 1);
    }
    void hear(std::uint32_t index, TimeNs at_ns, bool critical = false) {
        MessageStory& message = told_.messages[index];
        StepStory step;
        step.at_ns = at_ns;
        step.process = message.to;
        step.from = message.from;
        step.phase_before = step.phase_after = last_phase_[message.to];
        step.critical = critical;
        step.text =
            fmt::format("{} frame {} <{}", message.to == told_.nranks ? "root 0" : fmt::format("{}", message.to),
                        protocol::name_of(message.kind), message.from);
        message.received_ns = at_ns;
        message.critical = critical;
        message.receive_step = static_cast<std::uint32_t>(told_.steps.size());
        told_.steps.push_back(step);
        told_.end_ns = at_ns;
    }

    Chronicle& told() { return told_; }

private:
    Chronicle told_;
    std::map<ProcessIndex, std::uint8_t> last_phase_;
};

Frame frame_of(FrameKind kind, std::uint32_t a, std::uint32_t b = 0) {
    Frame frame;
    frame.kind = kind;
    frame.a = a;
    frame.b = b;
    std::uint32_t const fixed = protocol::fixed_payload_bytes(kind);
    frame.payload_bytes = fixed == protocol::kVariable ? b * protocol::kEntryBytes : fixed;
    if (kind == FrameKind::slices)
        frame.c = protocol::kEntryBytes;
    return frame;
}

}  // namespace

Chronicle of_two() {
    Teller teller(2);
    constexpr ProcessIndex kRoot = 2;
    teller.enter(kRoot, 0, RootPhase::collecting);
    teller.enter(0, 0, Phase::checking_in);
    teller.enter(1, 0, Phase::checking_in);
    std::uint32_t const first = teller.call(0, kRoot, 0, 40 * kUs);
    std::uint32_t const second = teller.call(1, kRoot, 0, kSecond + 40 * kUs, 1);
    teller.enter(0, 40 * kUs, Phase::awaiting_successor);
    auto const hello = teller.say(first, 0, kRoot, 40 * kUs, frame_of(FrameKind::hello, 0));
    auto const check_in = teller.say(first, 0, kRoot, 40 * kUs, frame_of(FrameKind::check_in, 0, 2));
    teller.hear(hello, 60 * kUs);
    teller.hear(check_in, 60 * kUs);
    teller.say(first, kRoot, 0, 100 * kUs, frame_of(FrameKind::roll_call, 0));
    teller.enter(1, kSecond + 40 * kUs, Phase::awaiting_successor);
    auto const greeting = teller.say(second, 1, kRoot, kSecond + 40 * kUs, frame_of(FrameKind::hello, 1));
    auto const late = teller.say(second, 1, kRoot, kSecond + 40 * kUs, frame_of(FrameKind::check_in, 1, 2));
    teller.hear(greeting, kSecond + 60 * kUs);
    teller.hear(late, kSecond + 60 * kUs, true);
    teller.enter(kRoot, kSecond + 60 * kUs, RootPhase::committing);
    auto const table_0 = teller.say(first, kRoot, 0, kSecond + 60 * kUs, frame_of(FrameKind::slices, 0, 2));
    auto const table_1 = teller.say(second, kRoot, 1, kSecond + 60 * kUs, frame_of(FrameKind::slices, 1, 1));
    teller.hear(table_0, kSecond + 80 * kUs);
    teller.hear(table_1, kSecond + 85 * kUs, true);
    std::uint32_t const refused = teller.call(1, 0, kSecond + 85 * kUs, kNever);
    teller.enter(1, kSecond + 105 * kUs, Phase::failed);

    Chronicle& told = teller.told();
    told.calls[first].caller_closed_ns = kSecond + 120 * kUs;
    told.calls[second].listener_closed_ns = kSecond + 120 * kUs;
    told.calls[second].reset = true;
    told.calls[refused].failed_ns = kSecond + 105 * kUs;
    told.calls[refused].failure = protocol::Failure::refused;
    told.faults.push_back({kSecond + 110 * kUs, kRoot, "crash"});
    told.end_ns = kSecond + 120 * kUs;
    told.verdict = "rank 1: connecting ring: rank 0 refused";
    told.ranks[0].culprit = true;
    told.ranks[0].end = RankEnd::hanging;
    told.ranks[1].end = RankEnd::failed;
    told.ranks[1].ended_ns = kSecond + 105 * kUs;
    told.backlog = 1;
    told.calls_after_retries = {1, 1, 0};
    told.listener = {{0, 0, 0, 0, 0, 0, 0},
                     {40 * kUs, 2, 0, 1, 0, 0, 0},
                     {60 * kUs, 1, 1, 1, 1, 0, 1},
                     {kSecond + 60 * kUs, 0, 2, 1, 1, 1, 2}};
    return told;
}

Chronicle of_crowd(std::uint32_t nranks) {
    Teller teller(nranks);
    ProcessIndex const root = nranks;
    teller.enter(root, 0, RootPhase::collecting);
    std::vector<std::uint32_t> calls;
    for (RankId rank = 0; rank < nranks; ++rank) {
        teller.enter(rank, rank * kUs, Phase::checking_in);
        calls.push_back(teller.call(rank, root, rank * kUs, 40 * kUs));
    }
    for (RankId rank = 0; rank < nranks; ++rank) {
        teller.enter(rank, (50 + rank) * kUs, Phase::awaiting_successor);
        auto const hello = teller.say(calls[rank], rank, root, (50 + rank) * kUs, frame_of(FrameKind::hello, rank));
        auto const in =
            teller.say(calls[rank], rank, root, (50 + rank) * kUs, frame_of(FrameKind::check_in, rank, nranks));
        teller.hear(hello, (90 + rank) * kUs);
        teller.hear(in, (91 + rank) * kUs);
    }
    for (RankId rank = 0; rank < nranks; ++rank) {
        teller.enter(root, (150 + rank) * kUs, RootPhase::committing);
        auto const table =
            teller.say(calls[rank], root, rank, (150 + rank) * kUs, frame_of(FrameKind::slices, 0, nranks));
        teller.hear(table, (170 + rank) * kUs);
        teller.enter(rank, (170 + rank) * kUs, Phase::ready);
    }
    Chronicle& told = teller.told();
    told.ready = true;
    told.verdict = "ready";
    for (RankStory& story : told.ranks)
        story.end = RankEnd::ready;
    std::stable_sort(told.messages.begin(), told.messages.end(),
                     [](MessageStory const& a, MessageStory const& b) { return a.sent_ns < b.sent_ns; });
    return told;
}

std::string written(std::function<void(Sink const&)> const& write) {
    std::string bytes;
    write([&bytes](std::string_view piece) { bytes += piece; });
    return bytes;
}

}  // namespace ronde::viz::stories
