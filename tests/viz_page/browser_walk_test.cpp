/// Walking through a run in a browser: what the page shows after each event is what the chronicle says.
#include "page/playback.hpp"
#include "page/report_html.hpp"
#include "ring/ring_moment.hpp"
#include "viz_page/browser.hpp"
#include "viz_page/stories.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::viz {
namespace {

using pages::Browser;
using pages::Json;
using testing::HasSubstr;
using testing::IsEmpty;

#define RONDE_NEEDS_CHROMIUM() \
    if (!Browser::installed()) \
    GTEST_SKIP() << "chromium or chromedriver is not installed (packages chromium, chromium-driver)"

/// The state of each rank as the page shows it: in the ring, and in words in the table.
constexpr char kShown[] = R"js(
    const shown = () => {
    const ranks = [...document.querySelectorAll(".stage .rank")];
    const rows = [...document.querySelectorAll("#rank-table tbody tr")];
    const hands = [...document.querySelectorAll(".stage .hand")];
    const checkIns = [...document.querySelectorAll(".stage .checkin")];
    return ranks.map((rank, i) => [
        rank.querySelector("use").getAttribute("href"),
        rank.classList.contains("failed"),
        rank.classList.contains("culprit"),
        hands[i].classList.contains("held"),
        checkIns[i].classList.contains("there"),
        rows[i].cells[2].textContent.trim(),
    ]);
    };
)js";

Json shown(Browser& browser) { return browser.run(std::string(kShown) + "return shown();"); }

/// The same as the chronicle has it.
Json expected(std::vector<std::uint32_t> const& states, std::uint32_t nranks) {
    Json all = Json::array();
    for (RankId rank = 0; rank < nranks; ++rank) {
        std::uint32_t const state = states[rank];
        std::uint32_t const next = states[(rank + 1) % nranks];
        std::string const look(style_of(static_cast<PhaseLook>(state & kLookMask)).name);
        bool const failed = (state & kFailed) != 0;
        all.push_back({fmt::format("#look{}", state & kLookMask), failed, (state & kCulprit) != 0,
                       (state & next & kHasHands) != 0, (state & kAtRoot) != 0, failed ? "failed, was " + look : look});
    }
    return all;
}

std::size_t position(Browser& browser) {
    return browser.run("return Number(document.getElementById('when').value)").get<std::size_t>();
}
std::string text_of(Browser& browser, std::string const& id) {
    return browser.run(fmt::format("return document.getElementById('{}').textContent", id)).get<std::string>();
}

/// By the buttons: a few times as a person presses them, and then all the way without waiting for frames.
void walk(Chronicle const& told) {
    Playback const playback = playback_of(told);
    std::size_t const all = playback.events.size();
    Browser browser;
    browser.open(report_html(told));
    EXPECT_EQ(position(browser), all) << "it begins at the end";
    EXPECT_EQ(shown(browser), expected(states_after(playback, all), told.nranks));
    browser.click("#next");
    EXPECT_EQ(position(browser), all) << "there is nothing behind it";
    for (std::size_t i = all; i-- > all - 5;) {
        browser.click("#previous");
        ASSERT_EQ(position(browser), i);
        ASSERT_EQ(shown(browser), expected(states_after(playback, i), told.nranks)) << "back at event " << i;
    }
    browser.click("#to-start");
    EXPECT_EQ(shown(browser), expected(playback.first, told.nranks)) << "before the first event";
    for (std::size_t i = 1; i <= 5; ++i) {
        browser.click("#next");
        ASSERT_EQ(position(browser), i);
        ASSERT_EQ(shown(browser), expected(states_after(playback, i), told.nranks)) << "after event " << i;
    }
    Json const rest = browser.run(std::string(kShown) + "const all = []; const next = document.getElementById('next');"
                                                        "for (let i = 5; i !== arguments[0]; ++i) {"
                                                        "next.click(); all.push(shown()); } return all;",
                                  Json::array({all}));
    ASSERT_EQ(rest.size(), all - 5);
    for (std::size_t i = 6; i <= all; ++i)
        ASSERT_EQ(rest[i - 6], expected(states_after(playback, i), told.nranks)) << "after event " << i;
    EXPECT_EQ(position(browser), all);
    EXPECT_THAT(browser.complaints(), IsEmpty());
}

TEST(Walk, ShowsAfterEachEventWhatTheChronicleSays) {
    RONDE_NEEDS_CHROMIUM();
    walk(pages::of_scenario("article-4"));
}

TEST(Walk, ThroughADeathToo) {
    RONDE_NEEDS_CHROMIUM();
    walk(pages::of_a_death());
}

TEST(Walk, TellsWhoDidWhat) {
    RONDE_NEEDS_CHROMIUM();
    Browser browser;
    browser.open(report_html(pages::of_scenario("article-4")));
    browser.click("#to-start");
    EXPECT_EQ(text_of(browser, "deed"), "event 0 of 75: Before the first event");
    browser.click("#next");
    EXPECT_EQ(text_of(browser, "deed"), "event 1 of 75: rank 0 starts: never came → listening or delayed");
    EXPECT_EQ(text_of(browser, "clock"), "0 ns");
    browser.run("const slider = document.getElementById('when'); slider.value = 34;"
                "slider.dispatchEvent(new Event('input'));");
    EXPECT_EQ(text_of(browser, "deed"),
              "event 34 of 75: rank 0 receives successor from root 0: awaiting successor → connecting ring");
    EXPECT_EQ(text_of(browser, "clock"), "120 us");
    EXPECT_THAT(text_of(browser, "moment"), HasSubstr("at 120 us"));
    EXPECT_THAT(text_of(browser, "near"), HasSubstr("frame successor callback:0 <root 0"));
    EXPECT_EQ(browser.run("return document.querySelectorAll('#near [aria-current]').length"), 1);
    // Rank 0 stands at the top: the arrow comes from the root below it.
    Json const arrow = browser.run("const a = document.getElementById('stage-message');"
                                   "return ['x1', 'y1', 'x2', 'y2'].map((name) => Number(a.getAttribute(name)));");
    EXPECT_EQ(arrow[0], arrow[2]);
    EXPECT_GT(arrow[1], arrow[3]);
    EXPECT_EQ(browser.run("return document.querySelector('#counts li:not([hidden])').textContent"),
              "awaiting successor: 3");
    pages::keep_picture(browser, "walk-article-4");
}

TEST(Walk, ByKeysAlone) {
    RONDE_NEEDS_CHROMIUM();
    Chronicle const told = pages::of_a_death();
    std::size_t const all = playback_of(told).events.size();
    Browser browser;
    browser.open(report_html(told));
    browser.run("document.getElementById('when').focus()");
    browser.press("ArrowLeft");
    EXPECT_EQ(position(browser), all - 1);
    EXPECT_THAT(text_of(browser, "deed"), HasSubstr(fmt::format("event {} of {}", all - 1, all)));
    EXPECT_THAT(browser.run("return document.getElementById('when').getAttribute('aria-valuetext')").get<std::string>(),
                HasSubstr(fmt::format("event {} of {}", all - 1, all)));
    browser.press("Home");
    EXPECT_EQ(position(browser), 0U);
    EXPECT_THAT(text_of(browser, "deed"), HasSubstr("Before the first event"));
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    EXPECT_EQ(position(browser), 2U);
    browser.press("End");
    EXPECT_EQ(position(browser), all);
    // From the slider on, the buttons come in their order, and space presses them.
    browser.press("Tab");
    browser.press("Space");
    EXPECT_EQ(browser.run("return document.activeElement.id"), "to-start");
    EXPECT_EQ(position(browser), 0U);
    browser.press("Tab");
    browser.press("Tab");
    browser.press("Enter");
    EXPECT_EQ(browser.run("return document.activeElement.id"), "next");
    EXPECT_EQ(position(browser), 1U);
}

TEST(Walk, FollowsOneRank) {
    RONDE_NEEDS_CHROMIUM();
    Chronicle const told = pages::of_scenario("article-4");
    Playback const playback = playback_of(told);
    Browser browser;
    browser.open(report_html(told));
    browser.click("#to-start");
    browser.choose("#follow", "rank 2");
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < 30 && position(browser) < playback.events.size(); ++i) {
        browser.click("#next");
        seen.push_back(position(browser));
    }
    std::vector<std::size_t> its;
    for (std::size_t i = 0; i < playback.events.size(); ++i) {
        PlayEvent const& event = playback.events[i];
        if (event.process == 2 || event.from == 2 || event.process == kNobody)
            its.push_back(i + 1);
    }
    EXPECT_EQ(seen, its);
}

TEST(Walk, GoesToTheFirstFailure) {
    RONDE_NEEDS_CHROMIUM();
    Chronicle const told = pages::of_a_death();
    Playback const playback = playback_of(told);
    Browser browser;
    browser.open(report_html(told));
    browser.click("#to-failure");
    EXPECT_EQ(position(browser), playback.failure + 1);
    EXPECT_EQ(browser.run("return [...document.querySelectorAll('.stage .culprit')].map((one) => "
                          "one.querySelector('title').textContent)"),
              Json::array({"rank 3"}));
    pages::keep_picture(browser, "walk-failure");

    // docs/pictures.md shows this one.
    browser.resize(1200, 1230);
    browser.open(report_html(pages::of_scenario("root-dies")));
    browser.click("#to-failure");
    EXPECT_EQ(browser.run("return document.querySelectorAll('.stage .rank.failed').length"), 1);
    EXPECT_EQ(browser.run("return document.querySelector('.stage .root').classList.contains('lost')"), true);
    browser.run("document.activeElement.blur(); scrollTo(0, 0);");
    pages::keep_picture(browser, "report-root-dies", false);
}

TEST(Walk, PlaysToTheEndByItself) {
    RONDE_NEEDS_CHROMIUM();
    Browser browser;
    browser.open(report_html(pages::of_ranks(2)));
    std::size_t const all = position(browser);
    browser.run("const slider = document.getElementById('when'); slider.value = Number(slider.max) - 2;"
                "slider.dispatchEvent(new Event('input'));");
    browser.click("#play");
    EXPECT_EQ(text_of(browser, "play"), "Pause");
    constexpr char kAloud[] = "return document.getElementById('deed').getAttribute('aria-live')";
    EXPECT_EQ(browser.run(kAloud), "off") << "nobody can listen so fast";
    // The page itself says when it is there.
    browser.run("return new Promise((done) => { const button = document.getElementById('play');"
                "new MutationObserver(() => done()).observe(button, {childList: true}); });");
    EXPECT_EQ(position(browser), all);
    EXPECT_EQ(text_of(browser, "play"), "▶ Play");
    EXPECT_EQ(browser.run(kAloud), "polite");
}

}  // namespace
}  // namespace ronde::viz
