#include "page/report_html.hpp"

#include "page/assets.hpp"
#include "page/html.hpp"
#include "page/sections.hpp"
#include "svg/svg.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <vector>

namespace ronde::viz {
namespace {

/// How a content security policy names an element by what stands in it.
std::string hash_of(std::string_view content) {
    std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
    crypto_hash_sha256(digest.data(), reinterpret_cast<unsigned char const*>(content.data()), content.size());
    std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)> text{};
    sodium_bin2base64(text.data(), text.size(), digest.data(), digest.size(), sodium_base64_VARIANT_ORIGINAL);
    return fmt::format("'sha256-{}'", text.data());
}

/// A parser of XML sees a section of characters, one of HTML two comments of the script.
std::string script_content() { return fmt::format("\n//<![CDATA[\n{}//]]>\n", player_script()); }
std::string style_content() { return fmt::format("\n{}{}", shared_style(), page_style()); }

std::vector<Section> sections_of(Chronicle const& chronicle, Playback const& playback, ReportOptions const& options) {
    StormNumbers const numbers = storm_numbers(chronicle);
    std::vector<Section> sections;
    auto const add = [&](Section section) {
        if (!section.body.empty())
            sections.push_back(std::move(section));
    };
    add(verdict_section(chronicle));
    add(ring_section(chronicle, playback));
    add(ranks_section(chronicle, playback));
    add(sequence_section(chronicle));
    add(storm_section(chronicle, numbers));
    add(phases_section(numbers));
    add(slack_section(chronicle));
    add(scenario_section(chronicle));
    add(numbers_section(options.results_json));
    return sections;
}

void add_head(Html& html, Chronicle const& chronicle) {
    std::string const style = style_content();
    std::string const script = has_player(chronicle) ? hash_of(script_content()) : "'none'";
    auto const head = html.element("head");
    html.raw(fmt::format("<meta charset=\"utf-8\"/>\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
                         "script-src {}; base-uri 'none'; form-action 'none'\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                         "<meta name=\"color-scheme\" content=\"light dark\"/>\n",
                         hash_of(style), script));
    html.leaf("title", chronicle.title);
    html.raw("<style>" + style + "</style>\n");
}

void add_links(Html& html, std::vector<Section> const& sections) {
    auto const nav = html.element("nav", "aria-label=\"On this page\"");
    auto const list = html.element("ul");
    for (Section const& section : sections) {
        html.raw("<li>");
        html.word("a", section.heading, fmt::format("href=\"#{}\"", section.id));
        html.raw("</li>\n");
    }
}

}  // namespace

std::string report_html(Chronicle const& chronicle, ReportOptions const& options) {
    bool const player = has_player(chronicle);
    Playback const playback = player ? playback_of(chronicle) : Playback{};
    std::vector<Section> const sections = sections_of(chronicle, playback, options);
    Html html;
    html.raw("<!DOCTYPE html>\n");
    {
        auto const whole = html.element("html", "xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"");
        add_head(html, chronicle);
        auto const body = html.element("body");
        html.leaf("a", "Skip to the verdict", "class=\"skip\" href=\"#verdict\"");
        html.raw(shared_definitions());
        html.raw(look_symbols());
        {
            auto const header = html.element("header");
            html.leaf("h1", chronicle.title);
            add_links(html, sections);
        }
        {
            auto const main = html.element("main");
            for (Section const& section : sections) {
                auto const one = html.element(
                    "section", fmt::format("id=\"{0}\" aria-labelledby=\"{0}-heading\" tabindex=\"-1\"", section.id));
                html.leaf("h2", section.heading, fmt::format("id=\"{}-heading\"", section.id));
                html.raw(section.body);
            }
        }
        {
            auto const footer = html.element("footer");
            html.leaf("p", "Made by ronde report. This file asks nothing of the network.");
        }
        if (player) {
            html.raw("<script type=\"application/json\" id=\"run\">" + playback_json(chronicle, playback) +
                     "</script>\n");
            html.raw("<script>" + script_content() + "</script>\n");
        }
    }
    return html.take();
}

}  // namespace ronde::viz
