/// `ronde draw` as a process: what it draws, and what it says when it cannot.
#include "chronicle/sources.hpp"
#include "cli/program.hpp"
#include "protocol/root.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ronde::cli_test {
namespace {

/// Where no other program can be found.
Ended without_programs(std::string const& arguments) {
    std::vector<std::string> all = {"env", "PATH=/no/such/folder", ronde_path()};
    for (std::string const& word : words(arguments))
        all.push_back(word);
    return run(all);
}

struct Wrong {
    char const* name;
    char const* arguments;
    int status;
    char const* said;
};

class BadDrawing : public testing::TestWithParam<Wrong> {};

TEST_P(BadDrawing, IsToldInOneLine) {
    Ended const ended = ronde(GetParam().arguments);
    EXPECT_EQ(ended.status, GetParam().status) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
    EXPECT_EQ(ended.err.find("ronde draw"), 0U) << ended.err;
    EXPECT_NE(ended.err.find(GetParam().said), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, BadDrawing,
    testing::Values(
        Wrong{"nothing", "draw", 2, "no command given; expected ring"}, Wrong{"no_input", "draw ring", 2, "input"},
        Wrong{"no_such_input", "draw ring artcle-4", 2, "did you mean article-4?"},
        Wrong{"not_an_input", "draw ring /dev/null", 2, "expected a scenario (.toml), a trace"},
        Wrong{"ending", "draw ring article-4 -o ring.gif", 2, "expected .dot, .svg, .png or .pdf"},
        Wrong{"format", "draw ring article-4 --format gif", 2, "'gif' is no format; expected dot or svg or png or pdf"},
        Wrong{"moment", "draw ring article-4 --at 5", 2, "--at: '5' is no duration"},
        Wrong{"style", "draw ring article-4 --style dots", 2, "expected nodes or heat"},
        Wrong{"film_at", "draw ring article-4 --animate --at 1ms", 2, "--animate shows all of it"},
        Wrong{"film_size", "draw ring uneven-hosts --animate", 2, "700 ranks are too many to follow"},
        Wrong{"machine", "draw machine ring", 2, "expected rank or root"},
        Wrong{"worlds", "draw explore --ranks 4", 2, "more than 2000 worlds are no picture"},
        Wrong{"folder", "draw ring article-4 --format dot -o /no/such/folder/x.dot", 3, "/no/such/folder/x.dot"}),
    [](testing::TestParamInfo<Wrong> const& one) { return std::string(one.param.name); });

TEST(Drawing, SaysWhatToInstallWhenGraphvizIsMissing) {
    Ended const ended = without_programs("draw ring article-4 --format svg");
    EXPECT_EQ(ended.status, 3);
    EXPECT_NE(ended.err.find("neato is not installed"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("install graphviz"), std::string::npos) << ended.err;
    EXPECT_EQ(lines_of(ended.err), 1U) << ended.err;
}

TEST(Drawing, WithoutOtherProgramsNeedsNoneOfThem) {
    for (char const* const arguments : {"draw ring article-4 --format dot", "draw ring article-4 --animate",
                                        "draw ring article-4 --style heat", "draw machine --format dot"}) {
        Ended const ended = without_programs(arguments);
        EXPECT_EQ(ended.status, 0) << ended.err;
        EXPECT_GT(ended.out.size(), 1'000U);
    }
}

TEST(Drawing, TakesTheFormatFromTheFilesName) {
    if (!installed("neato"))
        GTEST_SKIP() << "Graphviz is not here";
    Folder const folder;
    ASSERT_EQ(ronde("draw ring article-4 -o " + (folder / "ring.svg")).status, 0);
    EXPECT_NE(content_of(folder / "ring.svg").find("<svg"), std::string::npos);
    ASSERT_EQ(ronde("draw ring article-4 -o " + (folder / "ring.dot")).status, 0);
    EXPECT_EQ(content_of(folder / "ring.dot").find("digraph ring"), 0U);
}

// Graphviz makes a node of each word that is no number and has no quotes; two words are two nodes.
TEST(Drawing, OfAMachineHasAMarkForEachPhaseAndNoOther) {
    if (!installed("dot"))
        GTEST_SKIP() << "Graphviz is not here";
    for (auto const& [machine, phases] :
         {std::pair("rank", protocol::kPhaseCount), std::pair("root", protocol::kRootPhaseCount)}) {
        Ended const ended = ronde(std::string("draw machine --format svg ") + machine);
        ASSERT_EQ(ended.status, 0) << ended.err;
        std::uint32_t marks = 0;
        for (std::size_t at = 0; (at = ended.out.find("class=\"node\"", at)) != std::string::npos; ++at)
            ++marks;
        EXPECT_EQ(marks, phases) << machine;
    }
}

TEST(Drawing, OfATraceAndOfItsScenarioIsTheSame) {
    Folder const folder;
    ASSERT_EQ(ronde("sim root-dies --trace " + (folder / "run.trace") + " -o " + (folder / "report")).status, 1);
    EXPECT_EQ(ronde("draw ring --format dot " + (folder / "run.trace")).out,
              ronde("draw ring root-dies --format dot").out);
}

TEST(Drawing, OfARealRunShowsItsRing) {
    Folder const folder;
    ASSERT_EQ(ronde("run -n 5 --record " + (folder / "run")).status, 0);
    Ended const ended = ronde("draw ring --format dot " + (folder / "run"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("\"ready: 5\\l\""), std::string::npos);

    auto const chronicle = viz::chronicle_of_recordings(folder / "run");
    ASSERT_TRUE(chronicle) << chronicle.error();
    EXPECT_EQ(chronicle->nranks, 5U);
    ASSERT_TRUE(chronicle->has_steps);
    for (viz::MessageStory const& message : chronicle->messages) {
        bool const farewell = message.kind == protocol::FrameKind::bye;
        EXPECT_TRUE(farewell || message.received_ns != viz::kNever)
            << name_of(message.kind) << " from " << message.from << " to " << message.to;
        EXPECT_LE(message.sent_ns, message.received_ns);
    }
}

TEST(Drawing, OfACounterexampleShowsItsStory) {
    Folder const folder;
    std::string const story = folder / "story.svg";
    Ended const broken = ronde("explore --ranks 2 --profile article --given drop:1 --picture " + story);
    EXPECT_EQ(broken.status, 1);
    EXPECT_NE(broken.err.find(story), std::string::npos) << broken.err;
    std::string const svg = content_of(story);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("waits for ever"), std::string::npos);
    EXPECT_NE(svg.find("check_in"), std::string::npos);

    std::string const nothing = folder / "nothing.svg";
    EXPECT_EQ(ronde("explore --ranks 2 --given drop:1 --picture " + nothing).status, 0);
    EXPECT_FALSE(std::filesystem::exists(nothing));
    EXPECT_EQ(ronde("explore --ranks 2 --picture " + (folder / "story.gif")).status, 2);
}

TEST(Drawing, MakesASeriesOfPictures) {
    Folder const folder;
    Ended const ended = ronde("draw ring article-4 --frame-count 5 --frames " + (folder / "film"));
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "film/ring-001.svg"));
    EXPECT_TRUE(std::filesystem::exists(folder / "film/ring-005.svg"));
    EXPECT_FALSE(std::filesystem::exists(folder / "film/ring-006.svg"));
}

}  // namespace
}  // namespace ronde::cli_test
