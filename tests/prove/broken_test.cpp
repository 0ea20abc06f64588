/// Who breaks a promise is named, with the shortest story; and so is a circle of waiting, or somebody who is early.
#include "jobs.hpp"

#include <gtest/gtest.h>

namespace ronde::prove {
namespace {

using namespace protocol;

Conversation& talk_of(std::vector<Conversation>& all, Node caller, Link link) {
    for (Conversation& talk : all) {
        if (talk.caller == caller && talk.caller_link == link)
            return talk;
    }
    ADD_FAILURE() << "no such conversation";
    return all.front();
}

TEST(Broken, AnotherLineThanThePromisedOneIsTold) {
    Shape const shape = shape_of(4, Gather::ring);
    auto all = conversations_of(shape);
    Conversation& hand = talk_of(all, 1, chord_out(0));
    for (Line& line : hand.caller_says) {
        if (line.frame.kind == FrameKind::slices && line.frame.a == 0)
            line.frame.a = 3;  // as if slices went round the other way
    }
    Findings const rank = explore_node(shape, all, 1, {});
    EXPECT_EQ(rank.broken, "rank 1 says slice 0 to rank 2 instead of slice 3");
    EXPECT_EQ(rank.story.back(), "slice 0 of rank 0");
}

TEST(Broken, ALineThatNobodyExpectsIsTold) {
    Shape const shape = shape_of(3, Gather::star);
    auto all = conversations_of(shape);
    talk_of(all, 0, kRootLink).caller_says.resize(4);  // nobody expects `done`
    Findings const rank = explore_node(shape, all, 0, {});
    EXPECT_EQ(rank.broken, "rank 0 says done to the root, when all is said");
}

TEST(Broken, ALineThatNeverComesIsTold) {
    Shape const shape = shape_of(3, Gather::star);
    auto all = conversations_of(shape);
    Conversation& hand = talk_of(all, 0, chord_out(0));
    Line extra;
    extra.frame.kind = FrameKind::bye;
    hand.caller_says.push_back(extra);
    Findings const rank = explore_node(shape, all, 0, {});
    EXPECT_EQ(rank.broken, "rank 0 never says bye to rank 1");
}

TEST(Broken, ALineBeforeItsTimeIsTold) {
    Shape const shape = shape_of(3, Gather::doubling);
    auto all = conversations_of(shape);
    Conversation& hand = talk_of(all, 0, chord_out(0));
    hand.callee_says.back().after = 4;  // as if the token were asked for
    Findings const rank = explore_node(shape, all, 1, {});
    EXPECT_EQ(rank.broken, "rank 1 says token of round 0 to rank 0 before its time");
}

TEST(Broken, ANeighbourThatSaysLessLeavesSomebodyWaiting) {
    Shape const shape = shape_of(3, Gather::doubling);
    auto all = conversations_of(shape);
    talk_of(all, 0, chord_out(0)).callee_says.pop_back();  // no token of round 0
    Findings const rank = explore_node(shape, all, 0, {});
    EXPECT_EQ(rank.broken, "rank 0 has heard everything and is not ready [L1]");
}

TEST(Broken, NonsenseOfANeighbourIsNotTaken) {
    Shape const shape = shape_of(3, Gather::star);
    auto all = conversations_of(shape);
    for (Line& line : talk_of(all, 2, kRootLink).callee_says) {
        if (line.frame.kind == FrameKind::slices)
            line.frame.b = 2;  // a table without its last entry
    }
    Findings const rank = explore_node(shape, all, 2, {});
    EXPECT_NE(rank.broken.find("rank 2 refuses 2 slices from 0 of the root"), std::string::npos) << rank.broken;
}

TEST(Broken, WhoWaitsForItselfInTheEndIsTold) {
    Shape const shape = shape_of(3, Gather::star);
    auto const all = conversations_of(shape);
    std::vector<Findings> findings = findings_of(shape, all);
    // As if everybody called its successor only after its predecessor had called.
    for (Node rank = 0; rank < 3; ++rank) {
        std::size_t const out = part_with(all, rank, chord_out(0));
        std::size_t const in = part_with(all, rank, chord_in(0));
        findings[rank].to_say[out][0][in] = 1;
    }
    Circle const circle = close_circle(shape, all, pointers_to(findings));
    EXPECT_EQ(circle.broken.rfind("waits in a circle: ", 0), 0U) << circle.broken;
    EXPECT_NE(circle.broken.find("rank 1 says the call to rank 2"), std::string::npos) << circle.broken;
}

// With proofs a caller waits for an answer; and one at a time means that nobody is let in before one's own call is
// through.
TEST(Broken, PoliciesThatTogetherCloseNoRingAreACircle) {
    Shape shape = shape_of(4, Gather::star);
    shape.policies.accepting = Accepting::serial;
    auto const all = conversations_of(shape);
    std::vector<Findings> const findings = findings_of(shape, all);
    for (Node rank = 0; rank < 4; ++rank)
        EXPECT_EQ(findings[rank].broken, "") << rank;  // each of them alone keeps its word
    std::string const broken = close_circle(shape, all, pointers_to(findings)).broken;
    EXPECT_EQ(broken.rfind("waits in a circle: ", 0), 0U) << broken;
    EXPECT_NE(broken.find("rank 1 hears challenge of rank 2"), std::string::npos) << broken;
}

TEST(Broken, WhoIsReadyBeforeTheOthersCanBeIsTold) {
    Shape const shape = shape_of(4, Gather::star);
    auto const all = conversations_of(shape);
    std::vector<Findings> findings = findings_of(shape, all);
    EXPECT_EQ(close_circle(shape, all, pointers_to(findings)).broken, "");
    // As if the root let rank 0 go without waiting for rank 3's done.
    Findings& root = findings[shape.root_node(0)];
    for (std::vector<Needs>& lines : root.to_say) {
        for (Needs& needs : lines)
            needs[part_with(all, root.node, member(3))] =
                std::min<std::uint16_t>(needs[part_with(all, root.node, member(3))], 4);
    }
    EXPECT_EQ(close_circle(shape, all, pointers_to(findings)).broken,
              "rank 0 may be ready before rank 3 has said that it holds the table and both hands [S3]");
}

TEST(Broken, ASearchThatIsTooLargeSaysSo) {
    Shape const shape = shape_of(8, Gather::doubling);
    auto const all = conversations_of(shape);
    EXPECT_EQ(explore_node(shape, all, 0, {.limit_states = 100}).broken, "gave up after 100 states");
}

}  // namespace
}  // namespace ronde::prove
