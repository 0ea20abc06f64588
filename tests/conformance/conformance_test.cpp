/// The pretend world's TCP against this machine's: the same small storms in both, counted the same way.
#include "story.hpp"
#include "wire.hpp"

#include <gtest/gtest.h>

namespace ronde::conformance {
namespace {

class Stories : public testing::TestWithParam<Story> {};

TEST_P(Stories, EndAlikeInBothWorlds) {
    Story const& story = GetParam();
    Facts kernel;
    try {
        kernel = story.kernel();
    } catch (Unavailable const& why) {
        GTEST_SKIP() << why.what();
    }
    Facts const pretended = story.pretended ? story.pretended() : Facts();
    for (auto const& [what, value] : kernel)
        RecordProperty(std::string(what), value);
    if (story.pretended) {
        EXPECT_EQ(disagreement(story, kernel, pretended), "") << story.happens << " (" << story.function << ")";
    }
}

/// RONDE_STORIES: which of the two lists this executable plays.
INSTANTIATE_TEST_SUITE_P(Kernel, Stories, testing::ValuesIn(RONDE_STORIES()),
                         [](auto const& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ronde::conformance
