#include "page/guilty_part.hpp"

#include "ring/ring_moment.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::viz {
namespace {

constexpr std::size_t kMostBlamed = 3;
constexpr std::size_t kMostWitnesses = 4;
constexpr std::size_t kMostOfThePath = 8;

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

/// From the last table backwards along the chain that made it late.
std::vector<RankId> late_ranks(Chronicle const& chronicle) {
    std::vector<RankId> ranks;
    for (std::size_t i = chronicle.steps.size(); i-- > 0 && ranks.size() < kMostOfThePath;) {
        StepStory const& step = chronicle.steps[i];
        if (step.critical && step.process < chronicle.nranks)
            add_once(ranks, step.process);
    }
    for (RankId rank = chronicle.nranks; rank-- > 0 && ranks.size() < 2;)
        add_once(ranks, rank);  // recordings have no such chain
    return ranks;
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

struct Window {
    TimeNs from_ns;
    TimeNs until_ns;
};

/// As much around `pivot_ns` as has not too many messages; most of it before.
Window around(SequenceScene const& scene, TimeNs pivot_ns, TimeNs until_ns) {
    std::vector<TimeNs> sent;
    for (std::uint32_t const i : scene.messages)
        sent.push_back(scene.chronicle->messages[i].sent_ns);
    auto const after = static_cast<std::size_t>(std::upper_bound(sent.begin(), sent.end(), pivot_ns) - sent.begin());
    std::size_t const last = std::min(sent.size(), after + kMostGuiltyMessages / 3);
    if (last < sent.size())
        until_ns = std::min(until_ns, std::max(pivot_ns, sent[last]));
    std::size_t const most_before = kMostGuiltyMessages - (last - after);
    TimeNs const from_ns = after > most_before ? sent[after - most_before] : 0;
    return {std::min(from_ns, pivot_ns), until_ns};
}

/// With fewer ranks until the roots and strangers that they speak with fit too.
std::optional<SequenceScene> scene_that_fits(Chronicle const& chronicle, SequenceChoice choice) {
    for (; !choice.ranks.empty(); choice.ranks.pop_back()) {
        auto scene = sequence_scene(chronicle, choice);
        if (scene && scene->columns.size() <= kMostGuiltyLifelines)
            return std::move(*scene);
        if (choice.ranks.size() == 1 && scene)
            return std::move(*scene);
    }
    return std::nullopt;
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
    SequenceChoice choice;
    TimeNs pivot_ns = last_table_ns(chronicle);
    TimeNs until_ns = pivot_ns;
    bool const small = chronicle.processes.size() <= kMostGuiltyLifelines;
    std::string caption;
    if (chronicle.ready) {
        choice.ranks = small ? everybody(chronicle) : late_ranks(chronicle);
        caption =
            "The end of the critical path: the chain of steps and messages that made the last table as late as it was";
    } else {
        choice.ranks = blamed_ranks(chronicle);
        add_witnesses(chronicle, choice.ranks);
        if (small)
            choice.ranks = everybody(chronicle);
        TimeNs const failure_ns = first_failure_ns(chronicle);
        pivot_ns = failure_ns == kNever ? chronicle.end_ns : failure_ns;
        until_ns = chronicle.end_ns;
        caption =
            failure_ns == kNever
                ? "The last that was heard of those who did not become ready"
                : fmt::format("Who is blamed, who blames them first, and their roots, around the first failure at {}",
                              about_time(failure_ns));
    }
    auto scene = scene_that_fits(chronicle, choice);
    if (!scene)
        return std::nullopt;
    Window const window = around(*scene, pivot_ns, until_ns);
    choice.ranks.clear();
    for (ProcessIndex const process : scene->columns) {
        if (process < chronicle.nranks)
            choice.ranks.push_back(process);
    }
    choice.from_ns = window.from_ns;
    choice.until_ns = window.until_ns;
    auto part = sequence_scene(chronicle, choice);
    if (!part)
        return std::nullopt;
    caption +=
        fmt::format(". {} of {} processes, {} to {}.", part->columns.size(), in_groups(chronicle.processes.size()),
                    about_time(window.from_ns), about_time(window.until_ns));
    return GuiltyPart{std::move(*part), std::move(caption)};
}

}  // namespace ronde::viz
