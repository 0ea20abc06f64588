#include "report/causes.hpp"

#include "report/words.hpp"
#include "scenario/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ronde::sim {
namespace {

/// What makes two ranks say the same. Ranks without an error of their own are told apart by where they stood.
auto key_of(RankEnd const& one) {
    bool const failed = one.end == End::failed;
    return std::tuple(one.end, failed ? protocol::Phase::created : one.phase, one.error.code, one.error.field,
                      one.error.about, one.error.other);
}

void extend(std::vector<RankRange>& ranges, RankId rank) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == rank)
        ++ranges.back().count;
    else
        ranges.push_back({rank, 1});
}

bool is_culprit(End end) { return end == End::not_there || end == End::dead; }

}  // namespace

std::string message_of(RankEnd const& one) {
    std::string const where = spaced(name_of(one.phase));
    switch (one.end) {
    case End::ready: return "ready";
    case End::failed: {
        protocol::Verdict verdict = one.verdict;
        verdict.error = one.error;
        return describe(verdict);
    }
    case End::hanging: return fmt::format("hangs in phase {}", where);
    case End::dead: return fmt::format("{}: its process was ended by a fault", where);
    case End::not_there: return "was never started";
    }
    return "unknown";
}

std::string remedy_of(RankEnd const& one) {
    if (one.end == End::failed)
        return std::string(remedy_for(one.error));
    if (one.end == End::hanging)
        return "profiles article and nccl wait for ever when a rank is lost; profile ronde does not";
    return {};
}

std::string code_of(RankEnd const& one) {
    switch (one.end) {
    case End::ready: return "ok";
    case End::failed: return std::string(name_of(one.error.code));
    case End::hanging: return "hung";
    case End::dead: return "killed";
    case End::not_there: return "never_started";
    }
    return "unknown";
}

std::vector<Cause> causes_of(Outcome const& outcome) {
    struct Group {
        Cause cause;
        std::map<std::string, std::uint32_t> votes;
        std::map<std::string, std::string> remedies;
    };
    std::map<decltype(key_of(RankEnd{})), Group> groups;
    for (RankEnd const& one : outcome.not_ready) {
        Group& group = groups[key_of(one)];
        group.cause.end = one.end;
        ++group.cause.count;
        extend(group.cause.ranks, one.rank);
        std::string message = message_of(one);
        group.remedies.try_emplace(message, remedy_of(one));
        ++group.votes[std::move(message)];
    }
    std::vector<Cause> causes;
    for (auto& [key, group] : groups) {
        auto const most = std::max_element(group.votes.begin(), group.votes.end(),
                                           [](auto const& a, auto const& b) { return a.second < b.second; });
        group.cause.message = most->first;
        group.cause.remedy = group.remedies[most->first];
        causes.push_back(std::move(group.cause));
    }
    std::stable_sort(causes.begin(), causes.end(), [](Cause const& a, Cause const& b) {
        if (is_culprit(a.end) != is_culprit(b.end))
            return is_culprit(a.end);
        return a.count != b.count ? a.count > b.count : a.ranks.front().first < b.ranks.front().first;
    });
    return causes;
}

std::string causes_text(std::vector<Cause> const& causes) {
    std::string text;
    std::string_view said;
    for (Cause const& cause : causes) {
        text += cause.count == 1 ? fmt::format("rank {}: ", cause.ranks.front().first)
                                 : fmt::format("{} ranks ({}): ", cause.count, shortened(ranks_text(cause.ranks)));
        text += cause.message + "\n";
        if (!cause.remedy.empty() && cause.remedy != said)
            text += fmt::format("  -> {}\n", cause.remedy);
        said = cause.remedy;
    }
    return text;
}

}  // namespace ronde::sim
