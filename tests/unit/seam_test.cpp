#include "protocol/seam.hpp"

#include "protocol/check.hpp"

#include <gtest/gtest.h>

namespace ronde::protocol {
namespace {

TEST(Link, NamesAClassAndAnIndexBelow2To24) {
    Link const link = mail_in(kMaxRanks - 1);
    EXPECT_EQ(link.link_class(), LinkClass::mail_in);
    EXPECT_EQ(link.index(), kMaxRanks - 1);
    EXPECT_EQ(chord_out(3), Link(LinkClass::chord_out, 3));
    EXPECT_NE(chord_out(3), chord_in(3));
    EXPECT_NE(member(0x00ff'ffff), Link{});
}

TEST(Actions, AreListedInTheOrderInWhichTheyWereAskedFor) {
    Actions actions;
    EXPECT_EQ(actions.size(), 0U);
    EXPECT_EQ(actions.room(), kMaxActions);
    actions.push(ActionKind::listen).listener = Listener::callback;
    actions.push(ActionKind::connect).rank = 7;
    ASSERT_EQ(actions.size(), 2U);
    EXPECT_EQ(actions.room(), kMaxActions - 2);
    EXPECT_EQ(actions[0].kind, ActionKind::listen);
    EXPECT_EQ(actions[0].listener, Listener::callback);
    EXPECT_EQ(actions[1].kind, ActionKind::connect);
    EXPECT_EQ(actions[1].rank, 7U);
    EXPECT_EQ(actions.end() - actions.begin(), 2);
}

TEST(Actions, NothingOfTheStepBeforeShinesThrough) {
    Actions actions;
    for (std::uint32_t i = 0; i < kMaxActions; ++i) {
        Action& action = actions.push(ActionKind::send);
        action.rank = 7;
        action.notify = true;
        action.frame.kind = FrameKind::bye;
    }
    actions.ask_for_more();
    EXPECT_TRUE(actions.more());
    EXPECT_EQ(actions.room(), 0U);

    actions.clear();
    EXPECT_FALSE(actions.more());
    EXPECT_EQ(actions.size(), 0U);
    Action const& action = actions.push(ActionKind::close);
    EXPECT_EQ(action.rank, kNoRank);
    EXPECT_FALSE(action.notify);
    EXPECT_EQ(action.frame, Frame{});
}

TEST(ActionsDeathTest, OneActionTooManyStopsTheProcessInEveryBuild) {
    Actions actions;
    for (std::uint32_t i = 0; i < kMaxActions; ++i)
        actions.push(ActionKind::send);
    EXPECT_DEATH(actions.push(ActionKind::send),
                 "^ronde: broken invariant at .*seam.cpp:[0-9]+: a step asks for at most kMaxActions actions\n$");
}

TEST(CheckDeathTest, SaysWhereAndWhatInOneLine) {
    RONDE_CHECK(1 + 1 == 2, "arithmetic works");
    EXPECT_DEATH(RONDE_CHECK(1 + 1 == 3, "one and one are three"),
                 "^ronde: broken invariant at .*seam_test.cpp:[0-9]+: one and one are three\n$");
}

}  // namespace
}  // namespace ronde::protocol
