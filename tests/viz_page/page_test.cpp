/// The page as a parser sees it.
#include "page/report_html.hpp"
#include "page/sections.hpp"
#include "viz/golden.hpp"
#include "viz_page/markup.hpp"
#include "viz_page/stories.hpp"
#include "viz_time/stories.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <set>

namespace ronde::viz {
namespace {

using pages::Markup;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::string hash_of(std::string const& content) {
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, reinterpret_cast<unsigned char const*>(content.data()), content.size());
    char text[sodium_base64_ENCODED_LEN(sizeof digest, sodium_base64_VARIANT_ORIGINAL)];
    sodium_bin2base64(text, sizeof text, digest, sizeof digest, sodium_base64_VARIANT_ORIGINAL);
    return fmt::format("'sha256-{}'", text);
}

std::string between(std::string const& text, std::string const& before, std::string const& after) {
    std::size_t const from = text.find(before);
    EXPECT_NE(from, std::string::npos) << before;
    std::size_t const begin = from + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

struct Told {
    char const* name;
    Chronicle (*tell)();
};

class EveryPage : public testing::TestWithParam<Told> {};

TEST_P(EveryPage, IsWellFormedAndItsReferencesLead) {
    Markup const page(report_html(GetParam().tell()));
    ASSERT_EQ(page.error(), "");
    std::set<std::string> ids;
    for (std::string const& id : page.all("//@id"))
        EXPECT_TRUE(ids.insert(id).second) << "twice: " << id;
    for (char const* const xpath : {"//@aria-labelledby", "//@aria-describedby", "//@for"}) {
        for (std::string const& list : page.all(xpath)) {
            std::istringstream words(list);
            for (std::string id; words >> id;)
                EXPECT_THAT(ids, Contains(id)) << xpath;
        }
    }
    for (std::string const& link : page.all("//@href"))
        EXPECT_THAT(ids, Contains(link.substr(1))) << link;
}

TEST_P(EveryPage, IsOneFileThatAdmitsOnlyItself) {
    std::string const html = report_html(GetParam().tell());
    Markup const page(html);
    EXPECT_THAT(page.all("//@src"), IsEmpty());
    EXPECT_THAT(page.all("//h:link | //h:img | //h:iframe | //h:object"), IsEmpty());
    EXPECT_THAT(page.all("//@style"), IsEmpty()) << "the policy admits no style in attributes";
    EXPECT_THAT(page.all("//@*[starts-with(name(), 'on')]"), IsEmpty());
    EXPECT_EQ(html.find("url(http"), std::string::npos);
    EXPECT_EQ(html.find("@import"), std::string::npos);

    std::string const policy = page.all("//h:meta[@http-equiv='Content-Security-Policy']/@content").at(0);
    EXPECT_THAT(policy, testing::StartsWith("default-src 'none'; "));
    EXPECT_THAT(policy, testing::HasSubstr("style-src " + hash_of(between(html, "<style>", "</style>")) + ";"));
    std::string const script =
        page.count("//h:script") == 0 ? "'none'" : hash_of(between(html, "<script>", "</script>"));
    EXPECT_THAT(policy, testing::HasSubstr("script-src " + script + ";"));
}

TEST_P(EveryPage, IsTheSameTwice) { EXPECT_EQ(report_html(GetParam().tell()), report_html(GetParam().tell())); }

TEST_P(EveryPage, SaysFirstHowItEnded) {
    Chronicle const told = GetParam().tell();
    Markup const page(report_html(told));
    EXPECT_THAT(page.all("//h:h1"), ElementsAre(told.title));
    EXPECT_THAT(page.all("//h:title"), ElementsAre(told.title));
    EXPECT_THAT(page.all("//h:section[1]/h:p[1]"), ElementsAre((told.ready ? "✓ " : "✗ ") + told.verdict));
    EXPECT_EQ(page.count("//h:main/h:section"), page.count("//h:nav//h:a"));
    EXPECT_EQ(page.count("//h:main/h:section/h:h2"), page.count("//h:main/h:section"));
}

INSTANTIATE_TEST_SUITE_P(Runs, EveryPage,
                         testing::Values(Told{"by_hand", [] { return stories::of_two(); }},
                                         Told{"article_4", [] { return pages::of_scenario("article-4"); }},
                                         Told{"one_rank", [] { return pages::of_ranks(1); }},
                                         Told{"a_death", [] { return pages::of_a_death(); }},
                                         Told{"root_dies", [] { return pages::of_scenario("root-dies"); }},
                                         Told{"port_scan", [] { return pages::of_scenario("port-scan"); }},
                                         Told{"uneven_hosts", [] { return pages::of_scenario("uneven-hosts"); }},
                                         Told{"hostile", [] { return pages::of_a_hostile_name(); }}),
                         [](testing::TestParamInfo<Told> const& one) { return std::string(one.param.name); });

TEST(Page, OfASmallRunIsTheOneThatWasLookedAt) {
    expect_golden("page.html", report_html(stories::of_two(), {"{\"ready\": false}\n"}));
}

/// Wherever a name may stand, it stands there as text.
TEST(Page, TakesNoNameForMarkup) {
    Markup const page(report_html(pages::of_a_hostile_name(), {pages::kHostile}));
    ASSERT_EQ(page.error(), "");
    EXPECT_EQ(page.count("//h:script"), 2U) << "the data and the player";
    EXPECT_EQ(page.count("//h:style"), 1U);
    EXPECT_EQ(page.count("//h:img | //s:img"), 0U);
    EXPECT_THAT(page.all("//h:h1"), ElementsAre(pages::kHostile));
    EXPECT_THAT(page.all("//h:section[@id='scenario']//h:code"), ElementsAre(pages::kHostile));
    EXPECT_THAT(page.all("//h:section[@id='numbers']//h:code"), ElementsAre(pages::kHostile));
    EXPECT_THAT(page.all("//*[@id='rerun']"), ElementsAre(pages::kHostile));
    EXPECT_THAT(page.all("//h:table[@id='rank-table']//h:td[6]"), Contains(pages::kHostile));
}

TEST(Page, SaysWhatToDo) {
    auto const remedies = [](Chronicle const& told) {
        return Markup(report_html(told)).all("//h:table[@id='sayings']//h:p[@class='remedy']");
    };
    EXPECT_THAT(remedies(pages::of_scenario("root-dies")),
                ElementsAre(testing::HasSubstr("start the root before the ranks")));
    EXPECT_THAT(
        remedies(pages::of_text("name = \"hangs\"\nranks = 4\nprofile = \"article\"\n\n[[fault]]\nkind = \"crash\"\n"
                                "root = 0\nat = \"70us\"\n")),
        ElementsAre(testing::HasSubstr("wait for ever")));
    EXPECT_THAT(remedies(pages::of_scenario("article-4")), IsEmpty());
}

TEST(Page, HasAPartForWhatTheRunKnows) {
    auto const parts = [](Chronicle const& told) { return Markup(report_html(told)).all("//h:main/h:section/@id"); };
    EXPECT_THAT(parts(pages::of_scenario("article-4")),
                ElementsAre("verdict", "ring", "ranks", "sequence", "storm", "phases", "slack", "scenario"));
    EXPECT_THAT(parts(pages::of_scenario("root-dies")), Not(Contains("slack")))
        << "nobody was late for a table that nobody got";
    EXPECT_THAT(parts(pages::of_scenario("uneven-hosts")), Not(Contains("ranks"))) << "700 rows are no table";
}

/// 4 ranks: 300 kB, 512 ranks: 4 MB. (98 304 ranks: 2 MB, in the test of the program.)
TEST(Page, StaysSmall) {
    EXPECT_LT(report_html(pages::of_scenario("article-4")).size(), 300'000U);
    EXPECT_LT(report_html(pages::of_text("name = \"a star\"\nranks = 512\n[policy]\ngather = \"star\"\n")).size(),
              4'000'000U);
    EXPECT_LT(report_html(pages::of_text("name = \"rounds\"\nranks = 512\n[policy]\ngather = \"doubling\"\n")).size(),
              4'000'000U);
    EXPECT_LT(report_html(pages::of_text("name = \"a ring\"\nranks = 512\nprofile = \"article\"\n")).size(),
              4'000'000U);
}

}  // namespace
}  // namespace ronde::viz
