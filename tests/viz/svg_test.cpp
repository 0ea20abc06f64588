/// The bytes of an SVG, and the room that texts take.
#include "svg/svg.hpp"

#include "svg/text_size.hpp"
#include "viz/golden.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ronde::viz {
namespace {

std::string small_picture() {
    Svg svg({.width = 1'000, .height = 800}, "a <small> picture", "two areas & a line");
    {
        auto const group = svg.group({.title = "rank 3", .description = "its phases"});
        svg.phase_box({100, 100, 305, 200}, PhaseLook::gathering, "gathering, 2 ms");
        svg.phase_mark({500, 200}, 120, PhaseLook::dead);
    }
    svg.line({100, 400}, {-5, 400}, {.stroke = Paint::ink, .width = 15, .dash = Dash::dashed, .arrow = true});
    svg.text({100, 90}, "rank \"3\"", {.size = 120, .anchor = TextStyle::Anchor::end, .bold = true});
    return svg.finish();
}

TEST(SvgPicture, IsTheSameBytesEverywhere) { expect_golden("small.svg", small_picture()); }

TEST(SvgPicture, SaysWhatItShowsToWhoeverCannotSeeIt) {
    std::string const svg = small_picture();
    EXPECT_EQ(count(svg, "role=\"img\" aria-labelledby=\"title description\""), 1U);
    EXPECT_EQ(count(svg, "<title id=\"title\">a &lt;small&gt; picture</title>"), 1U);
    EXPECT_EQ(count(svg, "<desc id=\"description\">two areas &amp; a line</desc>"), 1U);
}

TEST(SvgPicture, HasOtherColoursByNight) {
    std::string const svg = small_picture();
    EXPECT_EQ(count(svg, "@media (prefers-color-scheme:dark)"), 1U);
    EXPECT_EQ(count(svg, ".f-paper{fill:"), 2U);
}

TEST(SvgPicture, DefinesWhatItUsesAndNothingElse) {
    std::string const svg = small_picture();
    EXPECT_EQ(count(svg, "<pattern "), 1U);
    EXPECT_EQ(count(svg, "<marker "), 1U);
    EXPECT_EQ(count(svg, ".f-blue"), 0U);
}

TEST(SvgText, CannotBecomeMarkup) { EXPECT_EQ(escaped("<b>\"a\" & 'c'\n\x01"), "&lt;b&gt;&quot;a&quot; &amp; 'c'  "); }

TEST(SvgLengths, AreTenthsWithoutRounding) {
    EXPECT_EQ(length_text(0), "0");
    EXPECT_EQ(length_text(5), "0.5");
    EXPECT_EQ(length_text(-5), "-0.5");
    EXPECT_EQ(length_text(-1'230), "-123");
    EXPECT_EQ(length_text(1'234), "123.4");
}

TEST(Looks, DifferInFillAndInShapeOrHatching) {
    std::set<std::string_view> fills;
    std::set<Hatch> hatches;
    std::set<Shape> shapes;
    for (std::uint32_t i = 0; i < kPhaseLooks; ++i) {
        PhaseStyle const& style = style_of(static_cast<PhaseLook>(i));
        EXPECT_TRUE(fills.insert(style.fill).second) << style.name;
        hatches.insert(style.hatch);
        shapes.insert(style.shape);
    }
    EXPECT_EQ(hatches.size(), 8U) << "three are plain: white, orange and green differ in lightness";
    EXPECT_EQ(shapes.size(), 8U) << "circle: nobody and ready, white and dark; cross: failed and dead";
}

TEST(TextSize, IsThatOfHelvetica) {
    EXPECT_EQ(text_width("", 100), 0);
    EXPECT_EQ(text_width("rank 3", 100), (333 + 556 + 556 + 500 + 278 + 556) / 10);
    EXPECT_GT(text_width("rank 3", 100, true), text_width("rank 3", 100));
}

TEST(TextSize, CutsBetweenCharactersOnly) {
    std::string const text = "größer";
    for (Tenths room = 0; room < text_width(text, 100); room += 10) {
        std::string const cut = shortened_to(text, 100, room);
        EXPECT_TRUE(cut.ends_with("…")) << cut;
        bool const half = cut.size() >= 4 && static_cast<unsigned char>(cut[cut.size() - 4]) >= 0xc0U;
        EXPECT_FALSE(half) << cut;
    }
    EXPECT_EQ(shortened_to(text, 100, text_width(text, 100)), text);
}

TEST(TextSize, BreaksAtSpaces) {
    std::string const text = "ranks 4000-4007 were never started";
    auto const lines = wrapped_to(text, 100, 900);
    ASSERT_GT(lines.size(), 1U);
    std::string joined;
    for (std::string const& line : lines) {
        EXPECT_LE(text_width(line, 100), 900) << line;
        joined += (joined.empty() ? "" : " ") + line;
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(wrapped_to("abcdefgh", 100, 1).size(), 8U) << "a word without room is cut, and nothing is lost";
}

}  // namespace
}  // namespace ronde::viz
