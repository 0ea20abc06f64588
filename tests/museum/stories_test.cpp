/// The stories of the museum: each is found again, told again, and survived by profile ronde.
#include "chronicle/sources.hpp"
#include "explore/story.hpp"
#include "sequence/sequence_svg.hpp"
#include "story_file.hpp"
#include "support/sanitized.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace ronde::explore::museum {
namespace {

bool rewrite = false;

std::string contents_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Compares with a file of the tree; `--rewrite` writes it anew.
void expect_same_as(std::string const& path, std::string const& text) {
    if (rewrite)
        std::ofstream(path, std::ios::binary) << text;
    std::string const kept = contents_of(path);
    if (kept == text)
        return;
    auto const parted = std::mismatch(text.begin(), text.end(), kept.begin(), kept.end());
    auto const line = 1 + std::count(text.begin(), parted.first, '\n');
    ADD_FAILURE() << path << " is not what is found now, from line " << line
                  << " on; look at the difference, and if it is meant run this test with --rewrite";
}

std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '-', ' ');
    return name;
}

/// "holds", or "L2: why".
std::string answer_of(Exploration const& exploration) {
    if (exploration.answer == Answer::holds)
        return "holds";
    if (!exploration.found)
        return "gave up: " + exploration.gave_up_why;
    Broken const& broken = exploration.found->broken;
    return fmt::format("{}: {}", name_of(broken.property), broken.why);
}

class Stories : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        auto story = load_story(RONDE_STORIES, GetParam());
        ASSERT_TRUE(story) << story.error();
        story_ = *std::move(story);
    }
    [[nodiscard]] std::string path() const { return fmt::format("{}/{}.txt", RONDE_STORIES, story_.name); }
    [[nodiscard]] std::string picture() const { return fmt::format("story-{}.svg", story_.name); }

    StoryFile story_;
};

TEST_P(Stories, TheExplorerFindsItAndNothingShorter) {
    ASSERT_EQ(story_.settings.order, Order::breadth_first);
    Exploration const found = explore(story_.settings);
    ASSERT_EQ(found.answer, Answer::broken) << exploration_text(found);
    EXPECT_EQ(name_of(found.found->broken.property), story_.property) << exploration_text(found);
    expect_same_as(path(), answer_text(found));
    // Nothing shorter without the reduction either: all paths of fewer moves are gone through.
    ExploreSettings complete = story_.settings;
    complete.reduction = explore::Reduction::none;
    complete.limit_depth = static_cast<std::uint32_t>(found.story.size()) - 1U;
    Exploration const shorter = explore(complete);
    EXPECT_FALSE(shorter.found) << exploration_text(shorter);
    EXPECT_EQ(shorter.gave_up_why, fmt::format("paths of more than {} steps", complete.limit_depth));
    if (story_.fewer.empty())
        return;  // a ring has two ranks at least
    ExploreSettings fewer = story_.settings;
    --fewer.nranks;
    ASSERT_EQ(contradiction_in(fewer), "");
    EXPECT_EQ(answer_of(explore(fewer)), story_.fewer);
}

TEST_P(Stories, ItsMovesLeadThere) {
    std::string const answer = contents_of(path());
    std::vector<std::string> moves = moves_in(answer);
    ASSERT_FALSE(moves.empty());
    auto const end = retrace(story_.settings, moves);
    ASSERT_TRUE(end) << end.error();
    EXPECT_EQ(name_of(end->property), story_.property);
    EXPECT_NE(answer.find("\n" + end->why + "\n"), std::string::npos) << end->why;
    // Without its last move nothing is broken yet.
    moves.pop_back();
    auto const before = retrace(story_.settings, moves);
    ASSERT_TRUE(before) << before.error();
    EXPECT_FALSE(*before) << before->why;
}

TEST_P(Stories, RondeLivesThroughTheSame) {
    ASSERT_EQ(story_.ronde.count(protocol::Gather::star), 1U) << "the gather of small jobs is the first to be asked";
    for (auto const& [gather, expected] : story_.ronde) {
        if (tests::kSanitized && gather != protocol::Gather::star)
            continue;  // every order of events, and most of them of four ranks: others see through those
        Exploration const exploration = explore(under_ronde(story_, gather));
        EXPECT_EQ(answer_of(exploration).substr(0, expected.size()), expected) << exploration_text(exploration);
        if (expected != "holds") {
            // Not yet as it should be; but nobody waits for ever.
            ExploreSettings ends = under_ronde(story_, gather);
            ends.only = Property::l2;
            EXPECT_EQ(answer_of(explore(ends)), "holds");
            continue;
        }
        EXPECT_EQ(exploration.searches_done, exploration.searches);
        EXPECT_GT(exploration.counts.rests, 0U);
    }
}

TEST_P(Stories, ItsPictureAndItsCommandAreInTheGuide) {
    Exploration const found = explore(story_.settings);
    ASSERT_TRUE(found.found);
    auto const chronicle = viz::chronicle_of_exploration(found);
    ASSERT_TRUE(chronicle) << chronicle.error();
    auto const scene = viz::sequence_scene(*chronicle, {});
    ASSERT_TRUE(scene) << scene.error();
    expect_same_as(fmt::format("{}/pictures/{}", RONDE_DOCS, picture()), viz::sequence_svg(*scene));
    std::string const guide = contents_of(std::string(RONDE_DOCS) + "/museum.md");
    EXPECT_NE(guide.find(fmt::format("$ {} --picture {}\n", rerun_line(found), picture())), std::string::npos)
        << "docs/museum.md lacks the command";
    EXPECT_NE(guide.find(fmt::format("(pictures/{})", picture())), std::string::npos)
        << "docs/museum.md lacks the picture";
    std::string row =
        fmt::format("| {} | `{}`, {} | {} |", spaced(story_.name), name_of(story_.settings.policies.profile),
                    story_.settings.nranks, found.story.size());
    for (auto const gather : {protocol::Gather::star, protocol::Gather::doubling, protocol::Gather::ring})
        row += fmt::format(" {} |", story_.ronde.at(gather));
    EXPECT_NE(guide.find(row), std::string::npos) << "docs/museum.md lacks the row " << row;
}

INSTANTIATE_TEST_SUITE_P(Museum, Stories, testing::ValuesIn(stories_in(RONDE_STORIES)), [](auto const& story) {
    std::string name = story.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace ronde::explore::museum

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i)
        ronde::explore::museum::rewrite |= std::string_view(argv[i]) == "--rewrite";
    return RUN_ALL_TESTS();
}
