/// The page in a browser: for whoever sees it by day, by night, on paper, on a telephone, by ear, or without scripts.
#include "page/report_html.hpp"
#include "viz_page/browser.hpp"
#include "viz_page/stories.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::viz {
namespace {

using pages::Browser;
using pages::Json;
using testing::IsEmpty;
using testing::Not;

#define RONDE_NEEDS_CHROMIUM() \
    if (!Browser::installed()) \
    GTEST_SKIP() << "chromium or chromedriver is not installed (packages chromium, chromium-driver)"

/// Texts outside of pictures that contrast less than 4.5 to 1 with what is behind them.
constexpr char kFaint[] = R"js(
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = (colour) => {
        const [r, g, b] = numbers(colour).slice(0, 3).map((v) => {
            v /= 255;
            return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (numbers(colour)[3] !== 0)
                return colour;
        }
        return "rgb(255, 255, 255)";
    };
    const faint = [];
    for (const element of document.querySelectorAll("body :not(svg, svg *, script)")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
        if (!own || element.getClientRects().length === 0)
            continue;
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
        if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5)
            faint.push(element.tagName + "." + element.className + ": " + element.textContent.slice(0, 40));
    }
    return faint;
)js";

constexpr char kPaper[] = "return getComputedStyle(document.documentElement).backgroundColor";

std::string display_of(Browser& browser, std::string const& css) {
    return browser.run("return getComputedStyle(document.querySelector(arguments[0])).display", Json::array({css}))
        .get<std::string>();
}

class Look : public testing::Test {
protected:
    void SetUp() override { RONDE_NEEDS_CHROMIUM(); }
};

TEST_F(Look, OpensWithoutAComplaintAndAsksForNothing) {
    Browser browser;
    auto const opened = [&](char const* name, Chronicle const& told, bool player) {
        browser.open(report_html(told));
        EXPECT_THAT(browser.complaints(), IsEmpty()) << name;
        EXPECT_EQ(browser.run("return performance.getEntriesByType('resource').length"), 0) << name;
        EXPECT_EQ(
            browser.run("const player = document.getElementById('player'); return player !== null && !player.hidden"),
            player)
            << name;
        pages::keep_picture(browser, name);
    };
    opened("article-4", pages::of_scenario("article-4"), true);
    opened("root-dies", pages::of_scenario("root-dies"), true);
    opened("ranks-64", pages::of_ranks(64), true);
    opened("ranks-512", pages::of_ranks(512), true);
    opened("ring-512", pages::of_text("name = \"too many events\"\nranks = 512\nprofile = \"article\"\n"), true);
    opened("one-rank", pages::of_ranks(1), true);
    opened("uneven-hosts", pages::of_scenario("uneven-hosts"), false);
}

TEST_F(Look, RunsNoScriptThatAStrangerHasNamed) {
    Browser browser;
    browser.open(report_html(pages::of_a_hostile_name(), {pages::kHostile}));
    browser.click("#previous");
    browser.click("#to-start");
    browser.click("#next");
    EXPECT_EQ(browser.run("return [typeof window.taken, document.images.length, document.scripts.length]"),
              Json::array({"undefined", 0, 2}));
    EXPECT_EQ(browser.run("return document.querySelector('h1').textContent"), pages::kHostile);
    EXPECT_THAT(browser.complaints(), IsEmpty());
    // And if it stood there as markup, the policy would not admit it.
    browser.run("document.body.insertAdjacentHTML('beforeend', \"<img src='data:,' onerror='window.taken=1'/>\");"
                "const script = document.createElement('script'); script.textContent = 'window.taken=1';"
                "document.body.append(script);");
    EXPECT_EQ(browser.run("return typeof window.taken"), "undefined");
    EXPECT_THAT(browser.complaints(), Not(IsEmpty())) << "the policy says what it has refused";
}

TEST_F(Look, HasANameForEverythingThatIsUsed) {
    Browser browser;
    browser.open(report_html(pages::of_a_death()));
    EXPECT_EQ(browser.run("return document.documentElement.lang"), "en");
    EXPECT_EQ(browser.run("return document.querySelectorAll('h1').length"), 1);
    for (char const* const landmark : {"main", "header", "nav", "footer"})
        EXPECT_EQ(browser.run("return document.querySelectorAll(arguments[0]).length", Json::array({landmark})), 1)
            << landmark;
    EXPECT_EQ(browser.label_of("nav"), "On this page");
    EXPECT_EQ(browser.role_of("#deed"), "status") << "what happened is said aloud";
    EXPECT_EQ(browser.label_of("#when"), "Time");
    EXPECT_EQ(browser.role_of("#when"), "slider");
    EXPECT_EQ(browser.label_of("#follow"), "Follow");
    Json const nameless = browser.run(R"js(
        const used = [...document.querySelectorAll("button, input, select, a, [tabindex='0']")];
        used.forEach((one, i) => one.setAttribute("data-used", i));
        const pictures = [...document.querySelectorAll("svg[role=img]")];
        pictures.forEach((one, i) => one.setAttribute("data-picture", i));
        return [used.length, pictures.length];
    )js");
    ASSERT_GT(nameless[0], 15);
    for (int i = 0; i < nameless[0].get<int>(); ++i)
        EXPECT_NE(browser.label_of(fmt::format("[data-used='{}']", i)), "") << "thing " << i << " has no name";
    ASSERT_EQ(nameless[1], 4) << "ring, sequence, storm, phases";
    for (int i = 0; i < nameless[1].get<int>(); ++i)
        EXPECT_NE(browser.label_of(fmt::format("[data-picture='{}']", i)), "") << "picture " << i << " has no name";
    EXPECT_EQ(browser.run("return [...document.querySelectorAll('th')].every((one) => one.scope !== '')"), true);
    EXPECT_EQ(browser.run("return [...document.querySelectorAll('table')].every((one) => one.caption !== null)"), true);
}

TEST_F(Look, ShowsWhereTheFocusIs) {
    Browser browser;
    browser.open(report_html(pages::of_a_death()));
    browser.press("Tab");
    EXPECT_EQ(browser.run("return document.activeElement.className"), "skip");
    EXPECT_GE(browser.run("return document.activeElement.getBoundingClientRect().left"), 0) << "it comes into view";
    pages::keep_picture(browser, "focus-skip", false);
    std::size_t seen = 0;
    for (; seen < 60; ++seen) {
        if (browser.run("return document.activeElement === document.body").get<bool>())
            break;
        Json const outline = browser.run("const style = getComputedStyle(document.activeElement);"
                                         "return [style.outlineStyle, parseFloat(style.outlineWidth), "
                                         "document.activeElement.outerHTML.slice(0, 80)];");
        EXPECT_EQ(outline[0], "solid") << outline[2];
        EXPECT_GE(outline[1], 2) << outline[2];
        if (browser.run("return document.activeElement.id") == "next")
            pages::keep_picture(browser, "focus-next", false);
        browser.press("Tab");
    }
    EXPECT_GT(seen, 15U);
    EXPECT_LT(seen, 60U) << "the keyboard is caught somewhere";
    browser.run("document.querySelector('.skip').focus()");
    browser.press("Enter");
    EXPECT_EQ(browser.run("return document.activeElement.id"), "verdict");
}

TEST_F(Look, CanBeReadByDayAndByNight) {
    Browser browser;
    browser.emulate("screen", "light");
    browser.open(report_html(pages::of_a_death(), {"{\"ready\": false}"}));
    EXPECT_EQ(browser.run(kPaper), "rgb(255, 255, 255)");
    EXPECT_THAT(browser.run(kFaint), Json::array());
    browser.emulate("screen", "dark");
    EXPECT_EQ(browser.run(kPaper), "rgb(21, 24, 28)");
    EXPECT_THAT(browser.run(kFaint), Json::array());
    EXPECT_EQ(browser.run("return getComputedStyle(document.querySelector('.stage .hand.held, .stage .hand')).stroke"),
              "rgb(168, 176, 184)");
    pages::keep_picture(browser, "a-death-dark");
    browser.open(report_html(pages::of_scenario("article-4")));
    EXPECT_THAT(browser.run(kFaint), Json::array());
    pages::keep_picture(browser, "article-4-dark");
}

TEST_F(Look, IsForPaperToo) {
    Browser browser;
    browser.open(report_html(pages::of_a_death()));
    EXPECT_NE(display_of(browser, "#player"), "none");
    browser.emulate("print", "dark");
    EXPECT_EQ(browser.run(kPaper), "rgb(255, 255, 255)") << "paper is white at night too";
    EXPECT_EQ(display_of(browser, "#player"), "none");
    EXPECT_EQ(display_of(browser, "nav"), "none");
    EXPECT_NE(display_of(browser, ".stage svg"), "none");
    EXPECT_THAT(browser.run(kFaint), Json::array());
    browser.resize(760, 1000);
    EXPECT_LE(browser.run("return document.documentElement.scrollWidth"), 760);
    pages::keep_picture(browser, "a-death-print");
}

TEST_F(Look, FitsATelephone) {
    Browser browser;
    browser.resize(320, 640);
    for (Chronicle const& told :
         {pages::of_a_death(), pages::of_scenario("article-4"), pages::of_scenario("uneven-hosts")}) {
        browser.open(report_html(told));
        EXPECT_LE(browser.run("return document.documentElement.scrollWidth"), 320) << told.title;
        pages::keep_picture(browser, fmt::format("narrow-{}-ranks", told.nranks));
    }
}

TEST_F(Look, WithoutScriptsLacksThePlayerOnly) {
    Browser browser;
    browser.allow_scripts(false);
    browser.open(report_html(pages::of_a_death()));
    EXPECT_EQ(display_of(browser, "#player"), "none");
    EXPECT_EQ(browser.run("return document.querySelectorAll('.stage .rank').length"), 8);
    EXPECT_EQ(browser.run("return document.querySelector('#rank-table tbody tr:nth-child(4) span').textContent"),
              "dead");
    EXPECT_EQ(browser.run("return document.querySelector('.stage .culprit title').textContent"), "rank 3");
    browser.allow_scripts(true);
    browser.reload();
    EXPECT_NE(display_of(browser, "#player"), "none");
}

}  // namespace
}  // namespace ronde::viz
