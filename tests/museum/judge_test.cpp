/// A museum is worth as much as its judge: what does not come true is seen and said, and a mistake in a file is named.
#include "judge.hpp"

#include "exhibit.hpp"
#include "museum_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace ronde::sim::museum {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOneIsMissing = R"(
ranks = 8
deadline = "2s"
[[fault]]
kind = "never"
ranks = "3"
)";

/// The complaints about the only world of an expectation.
std::vector<std::string> complaints_about(std::string_view expectations) {
    auto const exhibit = read_exhibit("one", kOneIsMissing, expectations);
    if (!exhibit)
        return {exhibit.error()};
    Showing const& showing = exhibit->cabinets.at("ronde").front().showings.front();
    return complaints(showing.expected, play(showing));
}

TEST(Judge, SaysNothingWhenAllIsAsExpected) {
    EXPECT_THAT(complaints_about(R"([[ronde]]
end = "failed"
code = "ranks_missing"
about = "3"
missing = "3"
same = true
by = "2s"
not_before = "1s"
counts = { failed = "= 7", not_there = "= 1", strangers = "< 1" }
says = "1 rank never came: 3"
)"),
                IsEmpty());
}

TEST(Judge, SaysWhatWasExpectedAndWhatCame) {
    auto const about = [](std::string_view rest) {
        return complaints_about("[[ronde]]\nend = \"failed\"\n" + std::string(rest));
    };
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"ready\""),
                Contains("end: expected ready, but 7 ranks are failed"));
    EXPECT_THAT(about(R"(code = "root_lost")"), Contains("rank 0: code: expected root_lost, got ranks_missing"));
    EXPECT_THAT(about(R"(code = "root_lost")"), Contains("code: so have 4 more ranks"));
    EXPECT_THAT(about(R"(about = "5-6")"), Contains("rank 0: about: expected 5-6, got rank 3"));
    EXPECT_THAT(about(R"(missing = "5")"), Contains("rank 0: missing: expected '5', got '3'"));
    EXPECT_THAT(about(R"(says = "rank 4")"),
                Contains(HasSubstr("rank 0: says: expected 'rank 4', got 'ranks_missing")));
    EXPECT_THAT(about(R"(by = "1ms")"), Contains(HasSubstr("by: expected all to end by 1ms, the last one did at 1")));
    EXPECT_THAT(about(R"(not_before = "9s")"), Contains(HasSubstr("not_before: expected no end before 9s")));
    EXPECT_THAT(about(R"(delay = "5%")"), Contains(HasSubstr("delay: expected ready")));
    EXPECT_THAT(about(R"(counts = { failed = "> 7" })"), Contains("counts: expected failed > 7, got 7"));
}

TEST(Exhibit, PlaysEveryCombinationAndFillsItsTexts) {
    auto const exhibit = read_exhibit("one", kOneIsMissing, R"([[ronde]]
end = "failed"
set = ["ranks={a+b}; fault.0.ranks={lost}", "seed={a}"]
with = { a = [4, 5], b = [3], lost = [0, 2] }
about = "{lost}"
)");
    ASSERT_TRUE(exhibit) << exhibit.error();
    auto const& showings = exhibit->cabinets.at("ronde").front().showings;
    ASSERT_EQ(showings.size(), 4U);
    EXPECT_EQ(showings[1].title, "ronde 1, a=4, b=3, lost=2");
    EXPECT_EQ(showings[1].plan.nranks, 7U);
    EXPECT_EQ(showings[1].plan.seed, 4U);
    EXPECT_EQ(showings[1].plan.faults[0].ranks, (std::vector<RankRange>{{2, 1}}));
    EXPECT_EQ(showings[1].expected.about, (std::vector<RankRange>{{2, 1}}));
}

TEST(Exhibit, AMistakeIsNamedWithItsPlace) {
    EXPECT_THAT(complaints_about("\n[[rondo]]\nend = \"ready\""),
                Contains("one.expect.toml:2: 'rondo' is no profile; expected [[article]], [[nccl]] or [[ronde]]"));
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"reddy\""), Contains(HasSubstr("end: 'reddy' is none of ready, ")));
    EXPECT_THAT(complaints_about("[[ronde]]\ncode = \"deadline\""), Contains(HasSubstr("end is missing")));
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"ready\"\nbuy = \"1s\""), Contains(HasSubstr("buy: no such key")));
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"ready\"\nset = [\"fault.7.at=1s\"]"),
                Contains(HasSubstr("set: fault.7.at: expected fault.N.KEY")));
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"ready\"\nset = [\"ranks=2\"]"),
                Contains(HasSubstr("are not all below 2")));
    EXPECT_THAT(complaints_about("[[ronde]]\nend = \"ready\"\ncounts = { goats = \"> 0\" }"),
                Contains(HasSubstr("'goats' is none of ready, ")));
    EXPECT_THAT(complaints_about("[[nccl]]\nend = \"hanging\""), Contains(HasSubstr("nothing about profile ronde")));
}

std::string text_of(std::string const& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path << ": cannot be read";
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Guide, EachExhibitSaysWhatItShowsAndWhatToExpect) {
    for (std::string const& name : exhibits_in(options().folder)) {
        std::string const text = text_of(options().folder + "/" + name + ".toml");
        EXPECT_EQ(text.find("# "), 0U) << name << ": the first line is its title";
        EXPECT_NE(text.find("\n# Expect: "), std::string::npos) << name;
    }
}

/// Whoever walks through with the guide finds every exhibit in it, and none that is not there.
TEST(Guide, NamesEveryExhibit) {
    std::string const text = text_of(options().guide);
    auto const names = exhibits_in(options().folder);
    EXPECT_GE(names.size(), 30U);
    for (std::string const& name : names)
        EXPECT_NE(text.find("ronde sim tests/museum/" + name + ".toml"), std::string::npos)
            << name << ": the guide has no command for it";
    std::string_view const kFolder = "tests/museum/";
    for (auto at = text.find(kFolder); at != std::string::npos; at = text.find(kFolder, at + 1)) {
        auto const first = at + kFolder.size();
        std::string const name = text.substr(first, text.find(".toml", first) - first);
        bool const is_pattern = name.find_first_of(" \n`*") != std::string::npos;
        bool const is_there = std::find(names.begin(), names.end(), name) != names.end();
        EXPECT_TRUE(is_pattern || is_there) << name << ": no such exhibit";
    }
}

/// A mark that is taken away takes its row with it.
TEST(Guide, SaysOfTheMarkedAndOfNoOthersThatTheyAreNotAsTheyShouldBe) {
    std::set<std::string> marked;
    for (std::string const& name : exhibits_in(options().folder)) {
        std::string const text = text_of(options().folder + "/" + name + ".expect.toml");
        if (text.find("expect_fail_today") != std::string::npos)
            marked.insert(name.substr(0, name.find('-')));
    }
    std::string const guide = text_of(options().guide);
    auto const section = guide.find("## Not yet as it should be");
    ASSERT_NE(section, std::string::npos);
    std::set<std::string> told;
    for (auto row = guide.find("\n| `", section); row != std::string::npos; row = guide.find("\n| `", row + 1)) {
        std::string const cell = guide.substr(row + 3, guide.find(" | ", row) - row - 3);
        for (auto open = cell.find('`'); open != std::string::npos; open = cell.find('`', cell.find('`', open + 1) + 1))
            told.insert(cell.substr(open + 1, cell.find('`', open + 1) - open - 1));
    }
    EXPECT_EQ(told, marked);
}

}  // namespace
}  // namespace ronde::sim::museum
