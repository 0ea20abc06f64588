/// One test for each exhibit and profile: its worlds are played and compared with what is expected of them.
#include "museum_test.hpp"

#include "exhibit.hpp"
#include "judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace ronde::sim::museum {
namespace {

class ProfileOfAnExhibit final : public testing::Test {
public:
    ProfileOfAnExhibit(std::vector<Cabinet> const& cabinets, bool tell) : cabinets_(cabinets), tell_(tell) {}

    void TestBody() override {
        for (Cabinet const& cabinet : cabinets_)
            look_at(cabinet);
    }

private:
    void look_at(Cabinet const& cabinet) const {
        bool const marked = !cabinet.expect_fail_today.empty();
        std::uint32_t unlike = 0;
        for (Showing const& showing : cabinet.showings) {
            Played const played = play(showing);
            auto const found = complaints(showing.expected, played);
            if (tell_)
                std::cout << showing.title << "\n" << story_of(played);
            if (found.empty())
                continue;
            ++unlike;
            std::string const report =
                fmt::format("{}\n  {}\n{}", showing.title, fmt::join(found, "\n  "), story_of(played));
            if (!marked)
                ADD_FAILURE() << report;
            else if (tell_)
                std::cout << report;
        }
        if (!marked)
            return;
        std::cout << "[  MARKED  ] " << cabinet.showings.front().title << ": " << unlike << " of "
                  << cabinet.showings.size() << " not as expected today: " << cabinet.expect_fail_today << "\n";
        EXPECT_EQ(unlike, cabinet.showings.size())
            << cabinet.showings.front().title
            << ": some are as expected now; take the mark expect_fail_today away, or leave them out of it";
    }

    std::vector<Cabinet> const& cabinets_;
    bool tell_;
};

class Unreadable final : public testing::Test {
public:
    explicit Unreadable(std::string why) : why_(std::move(why)) {}
    void TestBody() override { FAIL() << why_; }

private:
    std::string why_;
};

/// gtest's filters give '-' a meaning.
std::string test_name(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace

void register_exhibits(std::string const& folder, bool tell) {
    static std::vector<Exhibit> exhibits;  // tests refer to them
    auto const names = exhibits_in(folder);
    exhibits.reserve(names.size());
    for (std::string const& name : names) {
        auto exhibit = load_exhibit(folder, name);
        if (!exhibit) {
            testing::RegisterTest(test_name(name).c_str(), "is_readable", nullptr, nullptr, __FILE__, __LINE__,
                                  [why = exhibit.error()]() -> testing::Test* { return new Unreadable(why); });
            continue;
        }
        exhibits.push_back(*std::move(exhibit));
        for (auto const& [profile, cabinets] : exhibits.back().cabinets) {
            auto const* const shown = &cabinets;
            testing::RegisterTest(test_name(name).c_str(), profile.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                                  [shown, tell]() -> testing::Test* { return new ProfileOfAnExhibit(*shown, tell); });
        }
    }
}

}  // namespace ronde::sim::museum
