#include "storm/storm_numbers.hpp"

#include "protocol/partition.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace ronde::viz {
namespace {

using protocol::Phase;

/// Values at the times at which they change.
template <typename ValueOf>
std::vector<StormPoint> series(Chronicle const& chronicle, ValueOf value_of) {
    std::vector<StormPoint> points;
    for (ListenerSample const& sample : chronicle.listener) {
        StormPoint const point{sample.at_ns, static_cast<std::uint64_t>(value_of(sample))};
        if (!points.empty() && points.back().at_ns == point.at_ns)
            points.back() = point;
        else if (points.empty() || points.back().value != point.value)
            points.push_back(point);
    }
    return points;
}

/// Until the story of a picture is over: later timers and TIME_WAIT are nobody's concern.
TimeNs end_of(Chronicle const& chronicle) {
    TimeNs end_ns = chronicle.listener.empty() ? 0 : chronicle.listener.back().at_ns;
    for (RankStory const& story : chronicle.ranks) {
        if (TimeNs const ready_ns = story.entered_ns[static_cast<std::size_t>(Phase::ready)]; ready_ns != kNever)
            end_ns = std::max(end_ns, ready_ns);
        if (story.ended_ns != kNever)
            end_ns = std::max(end_ns, story.ended_ns);
    }
    return std::max<TimeNs>(1, end_ns);
}

/// Accepts in each interval. Samples are taken where something changed; the count stays until the next one.
std::vector<StormPoint> rates(Chronicle const& chronicle, TimeNs interval_ns, TimeNs end_ns) {
    std::vector<StormPoint> points;
    auto sample = chronicle.listener.begin();
    std::uint64_t before = 0;
    std::uint64_t until = 0;
    for (TimeNs from_ns = 0; from_ns < end_ns; from_ns += interval_ns) {
        for (; sample != chronicle.listener.end() && sample->at_ns < from_ns + interval_ns; ++sample)
            until = sample->accepts;
        std::uint64_t const count = until - std::min(before, until);
        before = until;
        points.push_back({from_ns, count * static_cast<std::uint64_t>(protocol::kSecondNs) /
                                       static_cast<std::uint64_t>(interval_ns)});
    }
    return points;
}

/// What sets ranks apart: whether they check in twice, and otherwise how many share their host.
std::vector<std::string> classes_of(Chronicle const& chronicle) {
    std::vector<std::string> classes(chronicle.ranks.size(), "all ranks");
    if (chronicle.nroots > 1 && chronicle.nroots <= chronicle.nranks) {
        protocol::Partition const partition{chronicle.nranks, chronicle.nroots};
        for (RankId rank = 0; rank < classes.size(); ++rank)
            classes[rank] = partition.is_boundary(rank) ? "first of a block" : "others";
        return classes;
    }
    std::map<std::uint32_t, std::uint32_t> on_host;
    for (RankId rank = 0; rank < classes.size(); ++rank)
        ++on_host[chronicle.processes[rank].host];
    auto const [least, most] = std::minmax_element(on_host.begin(), on_host.end(),
                                                   [](auto const& a, auto const& b) { return a.second < b.second; });
    if (on_host.empty() || least->second == most->second)
        return classes;
    for (RankId rank = 0; rank < classes.size(); ++rank)
        classes[rank] = fmt::format("hosts of {} ranks", on_host[chronicle.processes[rank].host]);
    return classes;
}

PhaseQuantiles quantiles_of(Phase phase, std::string const& rank_class, std::vector<TimeNs>& stays) {
    std::sort(stays.begin(), stays.end());
    auto const at = [&](std::size_t percent) { return stays[(stays.size() - 1) * percent / 100]; };
    return {phase, rank_class, static_cast<std::uint32_t>(stays.size()), at(0), at(50), at(99), at(100)};
}

std::vector<PhaseQuantiles> phases_of(Chronicle const& chronicle) {
    std::vector<std::string> const classes = classes_of(chronicle);
    std::map<std::pair<std::uint32_t, std::string>, std::vector<TimeNs>> stays;
    for (RankId rank = 0; rank < chronicle.ranks.size(); ++rank) {
        // In the order in which they were entered; the last one has no end that its rank chose.
        std::vector<std::pair<TimeNs, std::uint32_t>> entered;
        auto const& times = chronicle.ranks[rank].entered_ns;
        for (std::uint32_t phase = 0; phase < times.size(); ++phase) {
            if (times[phase] != kNever)
                entered.emplace_back(times[phase], phase);
        }
        std::sort(entered.begin(), entered.end());
        for (std::size_t i = 0; i + 1 < entered.size(); ++i) {
            auto const phase = static_cast<Phase>(entered[i].second);
            if (phase != Phase::created && phase != Phase::ready)
                stays[{entered[i].second, classes[rank]}].push_back(entered[i + 1].first - entered[i].first);
        }
    }
    std::vector<PhaseQuantiles> phases;
    for (auto& [key, times] : stays) {
        PhaseQuantiles const quantiles = quantiles_of(static_cast<Phase>(key.first), key.second, times);
        if (quantiles.most_ns > 0)
            phases.push_back(quantiles);
    }
    return phases;
}

}  // namespace

StormNumbers storm_numbers(Chronicle const& chronicle) {
    constexpr TimeNs kIntervals = 60;
    StormNumbers numbers;
    numbers.backlog = chronicle.backlog;
    numbers.nranks = chronicle.nranks;
    numbers.end_ns = end_of(chronicle);
    numbers.queue_depth = series(chronicle, [](auto const& sample) { return sample.queue_depth; });
    numbers.syn_drops = series(chronicle, [](auto const& sample) { return sample.syn_drops; });
    numbers.ghosts = series(chronicle, [](auto const& sample) { return sample.ghosts; });
    numbers.syn_retransmits = series(chronicle, [](auto const& sample) { return sample.syn_retransmits; });
    numbers.data_retransmits = series(chronicle, [](auto const& sample) { return sample.data_retransmits; });
    numbers.checked_in = series(chronicle, [](auto const& sample) { return sample.checked_in; });
    if (!chronicle.listener.empty()) {
        numbers.rate_interval_ns = round_step(std::max<TimeNs>(1, numbers.end_ns / kIntervals));
        numbers.accepts_per_second = rates(chronicle, numbers.rate_interval_ns, numbers.end_ns);
    }
    numbers.calls_after_retries = chronicle.calls_after_retries;
    while (!numbers.calls_after_retries.empty() && numbers.calls_after_retries.back() == 0)
        numbers.calls_after_retries.pop_back();
    numbers.phases = phases_of(chronicle);
    return numbers;
}

std::string storm_csv(StormNumbers const& numbers) {
    std::string csv = "what,of,at_ns,value\n";
    auto const out = std::back_inserter(csv);
    auto const add = [&](std::string_view what, std::vector<StormPoint> const& points) {
        for (StormPoint const& point : points)
            fmt::format_to(out, "{},,{},{}\n", what, point.at_ns, point.value);
    };
    fmt::format_to(out, "ranks,,,{}\n", numbers.nranks);
    if (numbers.backlog > 0)
        fmt::format_to(out, "backlog,,,{}\n", numbers.backlog);
    add("queue_depth", numbers.queue_depth);
    add("accepts_per_second", numbers.accepts_per_second);
    add("syn_drops", numbers.syn_drops);
    add("ghosts", numbers.ghosts);
    add("syn_retransmits", numbers.syn_retransmits);
    add("data_retransmits", numbers.data_retransmits);
    add("checked_in", numbers.checked_in);
    for (std::size_t retries = 0; retries < numbers.calls_after_retries.size(); ++retries)
        fmt::format_to(out, "connections_after_syns_again,{},,{}\n", retries, numbers.calls_after_retries[retries]);
    for (PhaseQuantiles const& phase : numbers.phases) {
        std::string const of = fmt::format("{}/{}", protocol::name_of(phase.phase), phase.rank_class);
        fmt::format_to(out, "phase_ranks,{},,{}\n", of, phase.ranks);
        fmt::format_to(out, "phase_p0_ns,{},,{}\n", of, phase.least_ns);
        fmt::format_to(out, "phase_p50_ns,{},,{}\n", of, phase.median_ns);
        fmt::format_to(out, "phase_p99_ns,{},,{}\n", of, phase.p99_ns);
        fmt::format_to(out, "phase_p100_ns,{},,{}\n", of, phase.most_ns);
    }
    return csv;
}

}  // namespace ronde::viz
