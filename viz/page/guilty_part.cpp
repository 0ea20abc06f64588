#include "page/guilty_part.hpp"

#include "ring/ring_moment.hpp"
#include "sequence/layout.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

constexpr Tenths kMostHeight = 14'000;
constexpr std::size_t kMostBlamed = 3;
constexpr std::size_t kMostWitnesses = 4;
constexpr std::size_t kMostOfThePath = 8;
constexpr std::size_t kMostSpeakers = 5;

void add_once(std::vector<RankId>& ranks, RankId rank) {
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
        ranks.push_back(rank);
}

/// Whoever did something before it was blamed says more than who was never there.
std::vector<RankId> blamed_ranks(Chronicle const& chronicle) {
    std::vector<RankId> ranks;
    for (bool const was_there : {true, false}) {
        for (RankId rank = 0; rank < chronicle.nranks && ranks.size() < kMostBlamed; ++rank) {
            RankStory const& story = chronicle.ranks[rank];
            if (story.culprit && (story.entered_ns[0] != kNever) == was_there)
                ranks.push_back(rank);
        }
    }
    return ranks;
}

/// Those who ended badly first; before all others those who name somebody that is shown.
void add_witnesses(Chronicle const& chronicle, std::vector<RankId>& ranks) {
    std::vector<RankId> const blamed = ranks;
    std::vector<RankId> witnesses;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        if (chronicle.ranks[rank].end != RankEnd::ready)
            witnesses.push_back(rank);
    }
    auto const names_one = [&](RankId rank) {
        RankStory const& story = chronicle.ranks[rank];
        return story.end == RankEnd::failed &&
               std::find(blamed.begin(), blamed.end(), story.error.about) != blamed.end();
    };
    std::stable_sort(witnesses.begin(), witnesses.end(), [&](RankId one, RankId other) {
        if (names_one(one) != names_one(other))
            return names_one(one);
        return chronicle.ranks[one].ended_ns < chronicle.ranks[other].ended_ns;
    });
    for (std::size_t i = 0; i < witnesses.size() && ranks.size() < blamed.size() + kMostWitnesses; ++i)
        add_once(ranks, witnesses[i]);
}

/// When the last rank had its table, or all was over.
TimeNs last_table_ns(Chronicle const& chronicle) {
    TimeNs last_ns = 0;
    for (RankStory const& story : chronicle.ranks) {
        if (story.table_ns == kNever)
            return chronicle.end_ns;
        last_ns = std::max(last_ns, story.table_ns);
    }
    return last_ns;
}

/// From the last table backwards along the chain that made it late; then whoever spoke with these last. Recordings have
/// no such chain: there it is whoever had its table last.
std::vector<RankId> late_ranks(Chronicle const& chronicle) {
    TimeNs const last_ns = last_table_ns(chronicle);
    std::vector<RankId> ranks;
    for (std::size_t i = chronicle.steps.size(); i-- > 0 && ranks.size() < kMostOfThePath;) {
        StepStory const& step = chronicle.steps[i];
        if (step.critical && step.at_ns <= last_ns && step.process < chronicle.nranks)
            add_once(ranks, step.process);
    }
    for (RankId rank = 0; rank < chronicle.nranks && ranks.empty(); ++rank) {
        if (chronicle.ranks[rank].table_ns == last_ns)
            ranks.push_back(rank);
    }
    for (std::size_t i = chronicle.messages.size(); i-- > 0 && ranks.size() < kMostSpeakers;) {
        MessageStory const& message = chronicle.messages[i];
        bool const heard = message.received_ns <= last_ns && message.from < chronicle.nranks &&
                           std::find(ranks.begin(), ranks.end(), message.to) != ranks.end();
        if (heard)
            add_once(ranks, message.from);
    }
    return ranks;
}

/// When a rank that is blamed, or a root, has died first, which is where it began; kNever: nobody died.
TimeNs first_death_ns(Chronicle const& chronicle) {
    TimeNs first_ns = kNever;
    for (RankStory const& story : chronicle.ranks) {
        if (story.end == RankEnd::dead)
            first_ns = std::min(first_ns, story.ended_ns);
    }
    for (std::uint32_t root = 0; root < chronicle.nroots; ++root) {
        for (FaultStory const& fault : chronicle.faults) {
            if (fault.process == chronicle.nranks + root && root_is_lost_at(chronicle, root, fault.at_ns))
                first_ns = std::min(first_ns, fault.at_ns);
        }
    }
    return first_ns;
}

struct Window {
    TimeNs from_ns;
    TimeNs until_ns;
};

/// Where messages and calls begin, in the order of time.
std::vector<TimeNs> beginnings(SequenceScene const& scene) {
    std::vector<TimeNs> times;
    for (std::uint32_t const i : scene.messages)
        times.push_back(scene.chronicle->messages[i].sent_ns);
    for (std::uint32_t const i : scene.calls)
        times.push_back(scene.chronicle->calls[i].called_ns);
    std::sort(times.begin(), times.end());
    return times;
}

/// So many of them before `pivot_ns` and after it, and nothing after `until_ns`.
Window window_of(std::vector<TimeNs> const& times, TimeNs pivot_ns, TimeNs until_ns, std::size_t most) {
    auto const after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), pivot_ns) - times.begin());
    std::size_t const first = after > most ? after - most : 0;
    Window window{first < times.size() ? std::min(times[first], pivot_ns) : pivot_ns, until_ns};
    if (after + most < times.size())
        window.until_ns = std::min(until_ns, times[after + most]);
    // A little sooner: what is said of the first message has room beside it.
    window.from_ns = std::max<TimeNs>(0, window.from_ns - (window.until_ns - window.from_ns) / 40);
    return window;
}

/// With fewer ranks until the roots and strangers that they speak with fit too.
std::optional<SequenceScene> scene_that_fits(Chronicle const& chronicle, std::vector<RankId> const& ranks) {
    SequenceChoice choice;
    choice.ranks = ranks;
    for (; !choice.ranks.empty(); choice.ranks.pop_back()) {
        auto scene = sequence_scene(chronicle, choice);
        if (scene && scene->columns.size() <= kMostGuiltyLifelines)
            return std::move(*scene);
        if (choice.ranks.size() == 1 && scene)
            return std::move(*scene);
    }
    return std::nullopt;
}

/// What the picture is about, and where it ends at the latest.
struct Moment {
    TimeNs pivot_ns = 0;
    TimeNs until_ns = 0;
    std::string caption;
};

Moment moment_of(Chronicle const& chronicle) {
    if (chronicle.ready) {
        TimeNs const last_ns = last_table_ns(chronicle);
        bool const path = std::any_of(chronicle.steps.begin(), chronicle.steps.end(),
                                      [](StepStory const& step) { return step.critical; });
        return {
            last_ns, last_ns,
            path ? "The end of the critical path: the chain of steps and messages that made the last table as late as "
                   "it was"
                 : "The end: the last table arrives"};
    }
    TimeNs const failure_ns = first_failure_ns(chronicle);
    TimeNs const death_ns = first_death_ns(chronicle);
    if (death_ns <= failure_ns && death_ns != kNever)
        return {death_ns, chronicle.end_ns,
                fmt::format(
                    "Who is blamed, who says so first, and the roots, around the first death at {}{}",
                    about_time(death_ns),
                    failure_ns == kNever ? "" : fmt::format("; the first error is one of {}", about_time(failure_ns)))};
    if (failure_ns != kNever)
        return {failure_ns, chronicle.end_ns,
                fmt::format("Who is blamed, who says so first, and the roots, around the first error at {}",
                            about_time(failure_ns))};
    return {chronicle.end_ns, chronicle.end_ns, "The last that was heard of those who did not become ready"};
}

std::vector<RankId> everybody(Chronicle const& chronicle) {
    std::vector<RankId> ranks;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank)
        ranks.push_back(rank);
    return ranks;
}

}  // namespace

std::optional<GuiltyPart> guilty_part(Chronicle const& chronicle) {
    if (!chronicle.has_steps)
        return std::nullopt;
    std::vector<RankId> ranks = chronicle.ready ? late_ranks(chronicle) : blamed_ranks(chronicle);
    if (!chronicle.ready)
        add_witnesses(chronicle, ranks);
    if (chronicle.processes.size() <= kMostGuiltyLifelines)
        ranks = everybody(chronicle);
    auto const scene = scene_that_fits(chronicle, ranks);
    if (!scene)
        return std::nullopt;
    Moment const moment = moment_of(chronicle);
    std::vector<TimeNs> const times = beginnings(*scene);
    SequenceChoice choice;
    for (ProcessIndex const process : scene->columns) {
        if (process < chronicle.nranks)
            choice.ranks.push_back(process);
    }
    // What happens within a process takes room as well: as many as fit.
    for (std::size_t most = kMostGuiltyMessages; most > 0; most = most * 2 / 3) {
        Window const window = window_of(times, moment.pivot_ns, moment.until_ns, most);
        choice.from_ns = window.from_ns;
        choice.until_ns = window.until_ns;
        auto part = sequence_scene(chronicle, choice);
        if (!part)
            return std::nullopt;
        if (most > 1 && lay_out(*part, 0).axis.bottom() > kMostHeight)
            continue;
        std::string caption =
            fmt::format("{}. {} of {} processes, {} to {}.", moment.caption, part->columns.size(),
                        in_groups(chronicle.processes.size()), exact_time(window.from_ns), exact_time(window.until_ns));
        return GuiltyPart{std::move(*part), std::move(caption)};
    }
    return std::nullopt;
}

}  // namespace ronde::viz
