/// What a rank needs before it says a line is what the protocol says.
#include "jobs.hpp"

#include <gtest/gtest.h>

namespace ronde::prove {
namespace {

using namespace protocol;

/// The needs of the first line that `is_it`.
template <class IsIt>
Needs needs_of(std::vector<Conversation> const& all, Findings const& findings, IsIt const& is_it) {
    auto const parts = parts_of(all, findings.node);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        for (std::size_t line = 0; line < parts[part].mine.size(); ++line) {
            if (is_it(parts[part], parts[part].mine[line]))
                return findings.to_say[part][line];
        }
    }
    ADD_FAILURE() << "nobody says that";
    return {};
}

TEST(Needs, DoneIsSaidWhenTheTableAndBothHandsAreThere) {
    Shape const shape = shape_of(5, Gather::star);
    auto const all = conversations_of(shape);
    Findings const rank = explore_node(shape, all, 2, {});
    ASSERT_EQ(rank.broken, "");
    Needs const needs =
        needs_of(all, rank, [](Part const&, Line const& line) { return line.frame.kind == FrameKind::done; });
    EXPECT_EQ(needs[part_with(all, 2, kRootLink)], 2U);     // challenge and table
    EXPECT_EQ(needs[part_with(all, 2, chord_in(0))], 3U);   // call, hello and proof of its predecessor
    EXPECT_EQ(needs[part_with(all, 2, chord_out(0))], 1U);  // its successor's challenge
}

TEST(Needs, AWindowIsSentWhenItIsWholeAndSomebodyIsThereForIt) {
    Shape const shape = shape_of(8, Gather::doubling);
    auto const all = conversations_of(shape);
    Findings const rank = explore_node(shape, all, 5, {.greet_at_once = true});
    ASSERT_EQ(rank.broken, "");
    for (std::uint32_t k = 0; k < 3; ++k) {
        Needs const needs = needs_of(all, rank, [k](Part const& part, Line const& line) {
            return part.link == chord_in(k) && line.frame.kind == FrameKind::slices && line.frame.d == 0;
        });
        EXPECT_EQ(needs[part_with(all, 5, chord_in(k))], 3U) << k;
        for (std::uint32_t earlier = 0; earlier < k; ++earlier)
            EXPECT_GE(needs[part_with(all, 5, chord_out(earlier))], 2U) << k << ' ' << earlier;  // challenge, window
        for (std::uint32_t later = std::max(k, 1U); later < 3; ++later)
            EXPECT_EQ(needs[part_with(all, 5, chord_out(later))], 0U) << k << ' ' << later;
    }
}

TEST(Needs, ARootAnswersAPairAsSoonAsItIsKnown) {
    Shape const shape = shape_of(4, Gather::doubling);
    auto const all = conversations_of(shape);
    Node const root = shape.root_node(0);
    Findings const findings = explore_node(shape, all, root, {});
    ASSERT_EQ(findings.broken, "");
    Needs const needs = needs_of(all, findings, [](Part const& part, Line const& line) {
        return part.other == 1 && line.frame.kind == FrameKind::successor;
    });
    for (RankId rank = 0; rank < 4; ++rank)
        EXPECT_EQ(needs[part_with(all, root, member(rank))], rank == 1 || rank == 2 ? 4U : 0U) << rank;
}

TEST(Needs, AllRanksOfAJobAreAlike) {
    Shape const shape = shape_of(7, Gather::doubling);
    auto const all = conversations_of(shape);
    Findings const first = explore_node(shape, all, 0, {});
    for (Node rank = 1; rank < 7; ++rank) {
        Findings const other = explore_node(shape, all, rank, {});
        EXPECT_EQ(other.states, first.states) << rank;
        EXPECT_EQ(other.to_say, first.to_say) << rank;
        EXPECT_EQ(other.to_hear, first.to_hear) << rank;
        EXPECT_EQ(other.to_be_ready, first.to_be_ready) << rank;
    }
}

TEST(Needs, GreetingsInOneBreathHideNoNeed) {
    Shape const shape = shape_of(6, Gather::doubling);
    auto const all = conversations_of(shape);
    Findings const all_orders = explore_node(shape, all, 3, {});
    Findings const in_a_breath = explore_node(shape, all, 3, {.greet_at_once = true});
    EXPECT_LT(in_a_breath.states, all_orders.states);
    EXPECT_EQ(in_a_breath.to_say, all_orders.to_say);
    EXPECT_EQ(in_a_breath.to_hear, all_orders.to_hear);
}

}  // namespace
}  // namespace ronde::prove
