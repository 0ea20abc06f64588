/// Pictures along the time of a run, and the texts that belong to it.
#include "page/guilty_part.hpp"
#include "page/html.hpp"
#include "page/sections.hpp"
#include "page/slack_map.hpp"
#include "report/words.hpp"
#include "sequence/sequence_svg.hpp"
#include "storm/storm_svg.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

namespace ronde::viz {
namespace {

/// A picture that stays readable where the page is narrow: it scrolls, by keyboard too.
void add_wide_picture(Html& html, std::string_view svg, std::string_view name, std::string_view caption) {
    auto const figure = html.element("figure");
    {
        auto const scroll =
            html.element("div", fmt::format("class=\"scroll wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"",
                                            escaped(name)));
        html.raw(svg);
    }
    if (!caption.empty())
        html.leaf("figcaption", caption);
}

void add_listing(Html& html, std::string_view name, std::string_view text) {
    html.raw(fmt::format("<pre class=\"scroll tall\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><code>",
                         escaped(name)));
    html.lines(text);
    html.raw("</code></pre>\n");
}

void add_phase_table(Html& html, StormNumbers const& numbers) {
    auto const scroll =
        html.element("div", "class=\"scroll\" role=\"region\" aria-label=\"Table of phases\" tabindex=\"0\"");
    auto const table = html.element("table");
    html.leaf("caption", "Time from entering a phase to entering the next one");
    {
        auto const head = html.element("thead");
        auto const row = html.element("tr");
        for (std::string_view const name : {"phase", "of", "ranks", "least", "median", "99 %", "most"})
            html.leaf("th", name, "scope=\"col\"");
    }
    auto const body = html.element("tbody");
    for (PhaseQuantiles const& phase : numbers.phases) {
        auto const row = html.element("tr");
        html.leaf("th", sim::spaced(protocol::name_of(phase.phase)), "scope=\"row\"");
        html.leaf("td", phase.rank_class);
        html.leaf("td", in_groups(phase.ranks), "class=\"number\"");
        for (TimeNs const time_ns : {phase.least_ns, phase.median_ns, phase.p99_ns, phase.most_ns})
            html.leaf("td", about_time(time_ns), "class=\"number\"");
    }
}

std::string slack_words(SlackNumbers const& numbers) {
    std::string const words =
        fmt::format("How late each rank could have been without delaying the last table: {} of {} not "
                    "at all",
                    in_groups(numbers.none), in_groups(numbers.known));
    if (numbers.most_ns == 0)
        return words + ".";
    return fmt::format("{}, half of them {} or more, and rank {} by {}, the most.", words,
                       about_time(numbers.median_ns), numbers.most_rank, about_time(numbers.most_ns));
}

}  // namespace

Section storm_section(Chronicle const& chronicle, StormNumbers const& numbers) {
    Html html;
    if (std::string const svg = storm_part(chronicle, numbers, {"storm-"}); !svg.empty())
        add_wide_picture(html, svg, "Picture of the storm", {});
    return {"storm", "Storm at the root", html.take()};
}

Section phases_section(StormNumbers const& numbers) {
    Html html;
    if (std::string const svg = phases_part(numbers, {"phases-"}); !svg.empty()) {
        add_wide_picture(html, svg, "Picture of the phases", {});
        add_phase_table(html, numbers);
    }
    return {"phases", "Phases", html.take()};
}

Section sequence_section(Chronicle const& chronicle) {
    Html html;
    if (auto const part = guilty_part(chronicle)) {
        add_wide_picture(html, sequence_svg(part->scene, {"sequence-"}), "Sequence diagram", part->caption);
    } else if (!chronicle.has_steps) {
        html.leaf("p",
                  fmt::format("Steps and messages were not kept: they are, of up to {} ranks and {} steps.",
                              in_groups(kMostDetailedRanks), in_groups(kMostDetailedSteps)),
                  "class=\"soft\"");
    }
    return {"sequence", "Who said what to whom", html.take()};
}

Section slack_section(Chronicle const& chronicle) {
    Html html;
    SlackNumbers const numbers = slack_numbers(chronicle);
    if (numbers.known != 0) {
        html.leaf("p", slack_words(numbers));
        auto const figure = html.element("figure");
        html.raw(slack_map(chronicle, {"slack-"}));
    }
    return {"slack", "Slack", html.take()};
}

Section scenario_section(Chronicle const& chronicle) {
    Html html;
    if (!chronicle.plan.empty())
        add_listing(html, "The scenario as TOML", chronicle.plan);
    return {"scenario", "Scenario", html.take()};
}

Section numbers_section(std::string_view results_json) {
    Html html;
    if (!results_json.empty()) {
        auto const details = html.element("details");
        html.leaf("summary", "What the run has left, as JSON");
        add_listing(html, "Results as JSON", results_json);
    }
    return {"numbers", "Numbers", html.take()};
}

}  // namespace ronde::viz
