#include "sequence/scene.hpp"

#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

using Kind = Process::Kind;

/// Marks whoever has to do with somebody that is marked already.
std::vector<bool> with_company(Chronicle const& chronicle, std::vector<bool> const& chosen) {
    std::vector<bool> shown = chosen;
    auto const meet = [&](ProcessIndex a, ProcessIndex b) {
        if (a == kNobody || b == kNobody)
            return;
        if (chosen[a] && chronicle.processes[b].kind != Kind::rank)
            shown[b] = true;
        if (chosen[b] && chronicle.processes[a].kind != Kind::rank)
            shown[a] = true;
    };
    for (CallStory const& call : chronicle.calls)
        meet(call.from, call.to);
    for (MessageStory const& message : chronicle.messages)
        meet(message.from, message.to);
    return shown;
}

tl::expected<std::vector<bool>, std::string> shown_processes(Chronicle const& chronicle,
                                                             std::vector<RankId> const& ranks) {
    if (ranks.empty())
        return std::vector<bool>(chronicle.processes.size(), true);
    std::vector<bool> chosen(chronicle.processes.size(), false);
    for (RankId const rank : ranks) {
        if (rank >= chronicle.nranks) {
            return tl::unexpected(fmt::format("there is no rank {}: there are 0 to {}", rank,
                                              chronicle.nranks == 0 ? 0 : chronicle.nranks - 1));
        }
        chosen[rank] = true;
    }
    return with_company(chronicle, chosen);
}

/// Roots to the left, where everyone begins; those that faults have added to the right.
void add_columns(SequenceScene& scene, std::vector<bool> const& shown) {
    scene.column_of.assign(shown.size(), kNoColumn);
    for (Kind const kind : {Kind::root, Kind::rank, Kind::extra}) {
        for (ProcessIndex process = 0; process < shown.size(); ++process) {
            if (!shown[process] || scene.chronicle->processes[process].kind != kind)
                continue;
            scene.column_of[process] = static_cast<std::uint32_t>(scene.columns.size());
            scene.columns.push_back(process);
        }
    }
}

void add_messages(SequenceScene& scene) {
    std::vector<MessageStory> const& messages = scene.chronicle->messages;
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        MessageStory const& message = messages[i];
        if (message.sent_ns > scene.until_ns || over_ns(message) < scene.from_ns)
            continue;
        bool const ends_shown =
            scene.shows_process(message.from) && (message.to == kNobody || scene.shows_process(message.to));
        if (ends_shown)
            scene.messages.push_back(i);
        else if (scene.shows_process(message.from) || scene.shows_process(message.to))
            ++scene.hidden_messages;
    }
}

void add_calls(SequenceScene& scene) {
    Chronicle const& chronicle = *scene.chronicle;
    for (std::uint32_t i = 0; i < chronicle.calls.size(); ++i) {
        CallStory const& call = chronicle.calls[i];
        if (call.called_ns <= scene.until_ns && over_ns(call, chronicle.end_ns) >= scene.from_ns &&
            scene.shows_process(call.from) && (call.to == kNobody || scene.shows_process(call.to))) {
            scene.calls.push_back(i);
        }
    }
}

bool anything_happens(SequenceScene const& scene) {
    return !scene.messages.empty() || !scene.calls.empty() ||
           std::any_of(scene.chronicle->steps.begin(), scene.chronicle->steps.end(), [&](StepStory const& step) {
               return scene.shows(step.at_ns) && scene.shows_process(step.process);
           });
}

}  // namespace

TimeNs over_ns(MessageStory const& message) noexcept {
    return message.received_ns == kNever ? message.sent_ns : message.received_ns;
}

TimeNs over_ns(CallStory const& call, TimeNs end_ns) noexcept {
    if (call.stood_ns != kNever)
        return call.stood_ns;
    return call.failed_ns != kNever ? call.failed_ns : std::max(end_ns, call.called_ns);
}

tl::expected<SequenceScene, std::string> sequence_scene(Chronicle const& chronicle, SequenceChoice const& choice) {
    if (!chronicle.has_steps) {
        return tl::unexpected(
            fmt::format("messages are kept for up to {} ranks, and this run has {}: choose a smaller world",
                        in_groups(kMostDetailedRanks), in_groups(chronicle.nranks)));
    }
    auto const shown = shown_processes(chronicle, choice.ranks);
    if (!shown)
        return tl::unexpected(shown.error());
    if (auto const count = std::count(shown->begin(), shown->end(), true); count > kMostLifelines) {
        return tl::unexpected(fmt::format("{} processes do not fit into one picture, {} do: choose some ranks, such as "
                                          "--ranks 0,3,5..7",
                                          in_groups(static_cast<std::uint64_t>(count)), kMostLifelines));
    }

    SequenceScene scene;
    scene.chronicle = &chronicle;
    scene.from_ns = choice.from_ns;
    scene.until_ns = std::min(choice.until_ns, chronicle.end_ns);
    if (scene.from_ns > scene.until_ns) {
        return tl::unexpected(fmt::format("nothing is left between {} and {}: the run ends after {}",
                                          exact_time(choice.from_ns), exact_time(scene.until_ns),
                                          exact_time(chronicle.end_ns)));
    }
    add_columns(scene, *shown);
    add_messages(scene);
    add_calls(scene);
    if (!anything_happens(scene)) {
        return tl::unexpected(fmt::format("nothing happens between {} and {} at the chosen processes",
                                          exact_time(scene.from_ns), exact_time(scene.until_ns)));
    }
    return scene;
}

std::string message_label(MessageStory const& message, std::uint32_t nranks) {
    std::string label(protocol::name_of(message.kind));
    if (message.kind != protocol::FrameKind::slices || message.count == 0 || nranks == 0)
        return label;
    if (message.count == 1)
        return fmt::format("{} {}", label, message.first);
    if (message.count >= nranks)
        return label + " all";
    return fmt::format("{} {}-{}", label, message.first, (std::uint64_t{message.first} + message.count - 1) % nranks);
}

}  // namespace ronde::viz
