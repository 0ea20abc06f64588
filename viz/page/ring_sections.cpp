/// The ring, the controls that walk through the run, and the table of the ranks.
#include "page/html.hpp"
#include "page/sections.hpp"
#include "ring/heat_ring.hpp"
#include "ring/ring_stage.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::viz {
namespace {

/// A table of so many rows is in the way of nobody.
constexpr std::uint32_t kMostOpenRows = 16;

std::string mark(std::uint32_t look) {
    return fmt::format(
        "<svg class=\"mark\" viewBox=\"0 0 20 20\" aria-hidden=\"true\" focusable=\"false\"><use href=\"#look{}\" "
        "width=\"20\" height=\"20\"/></svg>",
        look);
}

/// As player.js writes it.
std::string words_of(RankState state) {
    std::string_view const look = style_of(static_cast<PhaseLook>(state & kLookMask)).name;
    return (state & kFailed) != 0 ? fmt::format("failed, was {}", look) : std::string(look);
}

/// How each rank stood when all was over, and since when: the parts of a state that a reader is told in words.
struct Standing {
    RankState state = 0;
    TimeNs since_ns = kNever;
};
std::vector<Standing> standings_of(Chronicle const& chronicle, Playback const& playback) {
    constexpr RankState kTold = kLookMask | kFailed;
    std::vector<Standing> standings(chronicle.nranks);
    for (RankId rank = 0; rank < chronicle.nranks; ++rank)
        standings[rank].state = playback.first[rank];
    for (PlayEvent const& event : playback.events) {
        for (StateChange const& change : event.changes) {
            if (change.process >= chronicle.nranks)
                continue;
            Standing& one = standings[change.process];
            if ((one.state & kTold) != (change.state & kTold))
                one.since_ns = event.at_ns;
            one.state = change.state;
        }
    }
    return standings;
}

void add_controls(Html& html, Playback const& playback) {
    auto const box = html.element(
        "div", "id=\"player\" class=\"player\" role=\"group\" aria-label=\"Walk through the run\" hidden=\"hidden\"");
    {
        auto const line = html.element("p", "class=\"slide\"");
        html.leaf("label", "Time", "for=\"when\"");
        html.raw(fmt::format("<input id=\"when\" type=\"range\" min=\"0\" max=\"{0}\" value=\"{0}\" step=\"1\" "
                             "autocomplete=\"off\" aria-describedby=\"when-help\"/>\n",
                             playback.events.size()));
        // The slider says the time itself: to say it twice would be a nuisance to the ear.
        html.raw("<output id=\"clock\" for=\"when\" aria-live=\"off\"></output>\n");
    }
    html.raw("<div class=\"strip\" aria-hidden=\"true\"><div id=\"strip-mark\"></div></div>\n");
    html.leaf(
        "p",
        playback.every_step
            ? "One step of the slider is one event: a step of a process, or a fault. Below it, where in time that is."
            : "One step of the slider is one change of a phase, or a fault: there are too many events for a page, or "
              "they were not kept. Below it, where in time that is.",
        "id=\"when-help\" class=\"soft small\"");
    {
        auto const line = html.element("p", "class=\"buttons\"");
        constexpr std::array<std::array<std::string_view, 2>, 6> kButtons = {{{"to-start", "Start"},
                                                                              {"previous", "◀ Previous event"},
                                                                              {"next", "Next event ▶"},
                                                                              {"play", "▶ Play"},
                                                                              {"to-failure", "First failure"},
                                                                              {"to-end", "End"}}};
        for (auto const& [id, name] : kButtons) {
            if (id != "to-failure" || playback.failure < playback.events.size())
                html.leaf("button", name, fmt::format("id=\"{}\" type=\"button\"", id));
        }
        html.raw(
            "<label>Follow <select id=\"follow\" autocomplete=\"off\"><option value=\"\">everybody</option></select>"
            "</label>\n");
    }
    html.raw(
        "<p id=\"deed\" class=\"deed\" role=\"status\"></p>\n<ol id=\"near\" class=\"near\" aria-label=\"Events around "
        "this one\"></ol>\n");
}

void add_counts(Html& html, std::vector<Standing> const& standings) {
    std::array<std::uint32_t, kPhaseLooks> counts{};
    std::uint32_t failed = 0;
    std::uint32_t culprits = 0;
    for (Standing const& one : standings) {
        ++counts[one.state & kLookMask];
        failed += (one.state & kFailed) != 0 ? 1U : 0U;
        culprits += (one.state & kCulprit) != 0 ? 1U : 0U;
    }
    auto const list = html.element("ul", "id=\"counts\" class=\"counts\" aria-label=\"Ranks by state\"");
    auto const row = [&](std::string const& sign, std::string_view name, std::uint32_t count) {
        html.raw(count == 0 ? "<li hidden=\"hidden\">" : "<li>");
        html.raw(sign);
        html.text(name);
        html.raw(": ");
        html.word("b", in_groups(count));
        html.raw("</li>\n");
    };
    for (std::uint32_t look = 0; look < kPhaseLooks; ++look)
        row(mark(look), style_of(static_cast<PhaseLook>(look)).name, counts[look]);
    row("<span class=\"mark rim\"></span>", "ended with an error", failed);
    row("<span class=\"mark rim double\"></span>", "named as the cause", culprits);
}

}  // namespace

Section ring_section(Chronicle const& chronicle, Playback const& playback) {
    Html html;
    if (!has_player(chronicle)) {
        html.leaf("p",
                  fmt::format(
                      "Hosts share a cell: the page of more than {} ranks shows them as heat. Of one rank, ronde draw "
                      "ring and ronde draw sequence show more.",
                      kMostStageRanks),
                  "class=\"soft\"");
        html.raw("<figure>\n" + heat_ring(chronicle, kNever, {"ring-"}) + "</figure>\n");
        return {"ring", "Ring", html.take()};
    }
    html.raw("<div class=\"beside\">\n");
    {
        auto const figure = html.element("figure", "class=\"stage\"");
        html.raw(ring_stage(chronicle, states_after(playback, playback.events.size()), {"ring-"}));
        html.leaf("figcaption", fmt::format("at {}, when all was over", about_time(chronicle.end_ns)), "id=\"moment\"");
    }
    {
        auto const side = html.element("div", "class=\"side\"");
        add_controls(html, playback);
        add_counts(html, standings_of(chronicle, playback));
        html.leaf(
            "p",
            "A thick line: two neighbours hold hands. A thin one to the root: the connection of the check-in stands.",
            "class=\"soft small\"");
    }
    html.raw("</div>\n");
    return {"ring", "Ring", html.take()};
}

Section ranks_section(Chronicle const& chronicle, Playback const& playback) {
    if (!has_player(chronicle))
        return {"ranks", "Ranks", {}};
    std::vector<Standing> const standings = standings_of(chronicle, playback);
    Html html;
    {
        auto const details = html.element("details", chronicle.nranks <= kMostOpenRows ? "open=\"open\"" : "");
        html.leaf("summary", fmt::format("{} ranks, one by one", chronicle.nranks));
        auto const scroll =
            html.element("div", "class=\"scroll tall\" role=\"region\" aria-label=\"Table of ranks\" tabindex=\"0\"");
        auto const table = html.element("table", "id=\"rank-table\"");
        html.leaf("caption", "How each rank stands at the moment of the ring, and how it ended");
        {
            auto const head = html.element("thead");
            auto const row = html.element("tr");
            for (std::string_view const name : {"rank", "host", "state", "since", "full table", "slack", "its words"})
                html.leaf("th", name, "scope=\"col\"");
        }
        auto const body = html.element("tbody");
        auto const time = [](TimeNs at_ns) { return at_ns == kNever ? std::string("–") : about_time(at_ns); };
        for (RankId rank = 0; rank < chronicle.nranks; ++rank) {
            RankStory const& story = chronicle.ranks[rank];
            Standing const& one = standings[rank];
            html.raw("<tr>");
            html.word("th", std::to_string(rank), "scope=\"row\"");
            html.word("td", std::to_string(chronicle.processes[rank].host));
            html.raw("<td>" + mark(one.state & kLookMask));
            html.word("span", words_of(one.state));
            html.raw("</td>");
            html.word("td", one.since_ns == kNever ? "–" : exact_time(one.since_ns));
            html.word("td", time(story.table_ns));
            html.word("td", time(story.slack_ns));
            html.word("td", story.end == RankEnd::ready ? "" : story.message);
            html.raw("</tr>\n");
        }
    }
    return {"ranks", "Ranks", html.take()};
}

}  // namespace ronde::viz
