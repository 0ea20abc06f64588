/// What a reader wants first: did it work, and if not, who says what.
#include "page/html.hpp"
#include "page/sections.hpp"
#include "report/causes.hpp"
#include "report/words.hpp"
#include "scenario/values.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ronde::viz {
namespace {

constexpr std::size_t kMostSayings = 12;

/// Ranks that ended alike.
struct Saying {
    RankEnd end = RankEnd::failed;
    std::vector<sim::RankRange> ranks;
    std::uint32_t count = 0;
    std::string message;  ///< of the first one
    std::string remedy;
};

bool is_silent(RankEnd end) { return end == RankEnd::dead || end == RankEnd::not_there; }

auto key_of(RankStory const& story) {
    bool const failed = story.end == RankEnd::failed;
    return std::tuple(story.end, failed ? protocol::Phase::created : story.last_phase, story.error.code,
                      story.error.field, story.error.about, story.error.other);
}

/// In the words of `ronde sim`. A real rank that still waited when its recording ended needs none.
std::string remedy_of(Chronicle const& chronicle, RankStory const& story) {
    sim::RankEnd end;
    end.error = story.error;
    if (story.end == RankEnd::failed)
        end.end = sim::End::failed;
    else if (story.end == RankEnd::hanging && (chronicle.profile == "article" || chronicle.profile == "nccl"))
        end.end = sim::End::hanging;
    else
        return {};
    return sim::remedy_of(end);
}

/// Whoever was silent first, then the largest groups.
std::vector<Saying> sayings_of(Chronicle const& chronicle) {
    std::map<decltype(key_of(RankStory{})), Saying> groups;
    for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
        RankStory const& story = chronicle.ranks[rank];
        if (story.end == RankEnd::ready)
            continue;
        Saying& group = groups[key_of(story)];
        if (group.count++ == 0) {
            group.end = story.end;
            group.message = story.message;
            group.remedy = remedy_of(chronicle, story);
        }
        if (!group.ranks.empty() && group.ranks.back().first + group.ranks.back().count == rank)
            ++group.ranks.back().count;
        else
            group.ranks.push_back({rank, 1});
    }
    std::vector<Saying> sayings;
    sayings.reserve(groups.size());
    for (auto& [key, group] : groups)
        sayings.push_back(std::move(group));
    std::stable_sort(sayings.begin(), sayings.end(), [](Saying const& a, Saying const& b) {
        if (is_silent(a.end) != is_silent(b.end))
            return is_silent(a.end);
        return a.count != b.count ? a.count > b.count : a.ranks.front().first < b.ranks.front().first;
    });
    return sayings;
}

std::string_view name_of_end(RankEnd end) {
    switch (end) {
    case RankEnd::ready: return "ready";
    case RankEnd::failed: return "ended with an error";
    case RankEnd::hanging: return "hangs";
    case RankEnd::dead: return "dead";
    case RankEnd::not_there: return "never came";
    }
    return "unknown";
}

void add_sayings(Html& html, Chronicle const& chronicle) {
    std::vector<Saying> const sayings = sayings_of(chronicle);
    if (sayings.empty())
        return;
    auto const scroll =
        html.element("div", "class=\"scroll\" role=\"region\" aria-label=\"Who says what\" tabindex=\"0\"");
    auto const table = html.element("table", "id=\"sayings\"");
    html.leaf("caption", "Who says what; whoever was silent comes first");
    {
        auto const head = html.element("thead");
        auto const row = html.element("tr");
        for (std::string_view const name : {"ranks", "which", "how they ended", "in their words, and what to do"})
            html.leaf("th", name, "scope=\"col\"");
    }
    auto const body = html.element("tbody");
    for (std::size_t i = 0; i < sayings.size() && i < kMostSayings; ++i) {
        Saying const& one = sayings[i];
        auto const row = html.element("tr");
        html.leaf("td", in_groups(one.count), "class=\"number\"");
        html.leaf("th", sim::shortened(sim::ranks_text(one.ranks)), "scope=\"row\"");
        html.leaf("td", name_of_end(one.end));
        auto const cell = html.element("td");
        html.text(one.message);
        if (!one.remedy.empty())
            html.leaf("p", fmt::format("→ {}", one.remedy), "class=\"remedy\"");
    }
    if (sayings.size() > kMostSayings) {
        auto const row = html.element("tr");
        html.leaf("td", fmt::format("and {} more groups", sayings.size() - kMostSayings), "colspan=\"4\"");
    }
}

void add_fact(Html& html, std::string_view name, std::string_view value) {
    if (value.empty())
        return;
    auto const pair = html.element("div");
    html.leaf("dt", name);
    html.leaf("dd", value);
}

void add_facts(Html& html, Chronicle const& chronicle) {
    auto const list = html.element("dl", "class=\"facts\"");
    add_fact(html, "ranks", in_groups(chronicle.nranks));
    add_fact(html, "hosts", in_groups(chronicle.nhosts));
    add_fact(html, "roots", in_groups(chronicle.nroots));
    add_fact(html, "profile", chronicle.profile);
    auto const ready = std::count_if(chronicle.ranks.begin(), chronicle.ranks.end(),
                                     [](RankStory const& story) { return story.end == RankEnd::ready; });
    if (!chronicle.ready)
        add_fact(html, "ranks that became ready", in_groups(static_cast<std::uint64_t>(ready)));
    TimeNs last_table_ns = 0;
    for (RankStory const& story : chronicle.ranks)
        last_table_ns = std::max(last_table_ns, story.table_ns);
    if (last_table_ns != kNever)
        add_fact(html, "last full table", about_time(last_table_ns));
    add_fact(html, "last step", about_time(chronicle.end_ns));
    add_fact(html, "made from", chronicle.source);
}

}  // namespace

Section verdict_section(Chronicle const& chronicle) {
    Html html;
    html.leaf("p", fmt::format("{} {}", chronicle.ready ? "✓" : "✗", chronicle.verdict),
              chronicle.ready ? "class=\"verdict good\"" : "class=\"verdict bad\"");
    std::string_view subtitle = chronicle.subtitle;
    if (std::string const said = "; " + chronicle.verdict; subtitle.ends_with(said))
        subtitle.remove_suffix(said.size());
    html.leaf("p", subtitle, "class=\"soft\"");
    add_sayings(html, chronicle);
    add_facts(html, chronicle);
    if (!chronicle.rerun.empty()) {
        html.raw("<p>To see it again: ");
        html.word("code", chronicle.rerun, "id=\"rerun\"");
        html.raw("</p>\n");
    }
    return {"verdict", "Verdict", html.take()};
}

}  // namespace ronde::viz
