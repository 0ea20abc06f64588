#include "ring/ring_moment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ronde::viz {

using protocol::Phase;

namespace {

/// Strangers that somebody has heard by then.
std::uint32_t strangers_at(Chronicle const& chronicle, TimeNs at_ns) {
    auto const is_stranger = [&](ProcessIndex process) {
        return process < chronicle.processes.size() && chronicle.processes[process].kind == Process::Kind::extra &&
               chronicle.processes[process].rank == kNoRank;
    };
    if (!chronicle.has_steps) {
        std::uint32_t all = 0;
        for (ProcessIndex process = 0; process < chronicle.processes.size(); ++process)
            all += is_stranger(process) ? 1U : 0U;
        return at_ns == kNever ? all : 0;
    }
    std::set<ProcessIndex> heard;
    for (MessageStory const& message : chronicle.messages) {
        if (is_stranger(message.from) && message.received_ns <= at_ns)
            heard.insert(message.from);
    }
    return static_cast<std::uint32_t>(heard.size());
}

/// Programs of the profiles article and nccl hang up as soon as they have checked in, and are called back.
bool roots_stay(Chronicle const& chronicle) { return chronicle.profile != "article" && chronicle.profile != "nccl"; }

}  // namespace

protocol::Phase phase_at(RankStory const& story, TimeNs at_ns) {
    auto phase = Phase::created;
    TimeNs since_ns = 0;
    for (std::uint32_t i = 0; i <= static_cast<std::uint32_t>(Phase::ready); ++i) {
        TimeNs const entered_ns = story.entered_ns[i];
        if (entered_ns == kNever || entered_ns > at_ns || entered_ns < since_ns)
            continue;
        phase = static_cast<Phase>(i);
        since_ns = entered_ns;
    }
    return phase;
}

PhaseLook look_at(RankStory const& story, TimeNs at_ns) {
    bool const ended = story.ended_ns != kNever && story.ended_ns <= at_ns;
    if (story.end == RankEnd::dead && (ended || at_ns == kNever))
        return PhaseLook::dead;
    if (TimeNs const born_ns = story.entered_ns[0]; born_ns == kNever || born_ns > at_ns)
        return PhaseLook::never_came;
    if (story.end == RankEnd::failed && ended)
        return PhaseLook::failed;
    return look_of(phase_at(story, at_ns));
}

TimeNs first_failure_ns(Chronicle const& chronicle) {
    TimeNs first_ns = kNever;
    for (RankStory const& story : chronicle.ranks) {
        if (story.end == RankEnd::failed)
            first_ns = std::min(first_ns, story.ended_ns);
    }
    return first_ns;
}

RingRank ring_rank(Chronicle const& chronicle, RankId rank, RankNow const& now, bool judged) {
    RingRank drawn;
    drawn.phase = now.phase;
    drawn.host = chronicle.processes[rank].host;
    drawn.absent = now.absent;
    drawn.dead = now.dead;
    drawn.failed = now.failed;
    drawn.culprit = chronicle.ranks[rank].culprit && (judged || now.dead);
    drawn.left_root = now.phase == Phase::ready || now.failed || !roots_stay(chronicle);
    return drawn;
}

RingRank ring_rank_at(Chronicle const& chronicle, RankId rank, TimeNs at_ns, bool judged) {
    RankStory const& story = chronicle.ranks[rank];
    PhaseLook const look = look_at(story, at_ns);
    RankNow const now{phase_at(story, at_ns), look == PhaseLook::never_came, look == PhaseLook::dead,
                      look == PhaseLook::failed};
    return ring_rank(chronicle, rank, now, judged);
}

bool root_is_lost_at(Chronicle const& chronicle, std::uint32_t root, TimeNs at_ns) {
    return std::any_of(chronicle.faults.begin(), chronicle.faults.end(), [&](FaultStory const& fault) {
        return fault.process == chronicle.nranks + root && fault.at_ns <= at_ns && fault.text.starts_with("crash");
    });
}

RingPicture ring_at(Chronicle const& chronicle, TimeNs at_ns) {
    RingPicture picture;
    picture.title = chronicle.title;
    picture.subtitle = chronicle.subtitle;
    picture.roots = chronicle.nroots;
    picture.hosts_per_rack = chronicle.hosts_per_rack;
    picture.strangers = strangers_at(chronicle, at_ns);
    for (std::uint32_t root = 0; root < chronicle.nroots; ++root)
        picture.root_lost = picture.root_lost || root_is_lost_at(chronicle, root, at_ns);
    bool const at_end = at_ns == kNever;
    bool const judged = at_end || at_ns >= first_failure_ns(chronicle);
    picture.ranks.reserve(chronicle.nranks);
    std::uint32_t ready = 0;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        RingRank const drawn = ring_rank_at(chronicle, rank, at_ns, judged);
        ready += drawn.phase == Phase::ready ? 1U : 0U;
        picture.ranks.push_back(drawn);
    }
    picture.ready = ready == chronicle.nranks;
    picture.under_way = !judged;
    if (!at_end) {
        picture.title =
            fmt::format("{}, at {}", chronicle.title.substr(0, chronicle.title.rfind(',')), time_words(at_ns));
        picture.subtitle = fmt::format("{} of {} ranks ready; it ends {} at {}", ready, chronicle.nranks,
                                       chronicle.ready ? "well" : "badly", time_words(chronicle.end_ns));
    }
    return picture;
}

std::string time_words(TimeNs time_ns) {
    struct Unit {
        TimeNs ns;
        std::string_view name;
    };
    constexpr std::array<Unit, 4> kUnits = {
        {{protocol::kSecondNs, "s"}, {protocol::kMillisecondNs, "ms"}, {protocol::kMicrosecondNs, "us"}, {1, "ns"}}};
    for (Unit const& unit : kUnits) {
        if (time_ns < unit.ns && unit.ns != 1)
            continue;
        TimeNs const hundredths = unit.ns == 1 ? time_ns * 100 : (time_ns + unit.ns / 200) / (unit.ns / 100);
        TimeNs const whole = hundredths / 100;
        if (whole >= 100 || hundredths % 100 == 0)
            return fmt::format("{} {}", whole, unit.name);
        if (whole >= 10 || hundredths % 10 == 0)
            return fmt::format("{}.{} {}", whole, hundredths % 100 / 10, unit.name);
        return fmt::format("{}.{:02} {}", whole, hundredths % 100, unit.name);
    }
    return {};
}

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, " ");
    }
    return digits;
}

}  // namespace ronde::viz
