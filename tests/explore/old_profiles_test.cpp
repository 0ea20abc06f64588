/// The profiles of old keep their weak spots on purpose; the explorer has to find them.
#include "explore/plans.hpp"
#include "explore/story.hpp"

namespace ronde::explore {
namespace {

using protocol::Profile;

TEST(OldProfiles, WhoeverDiesLeavesTheOthersWaitingForEver) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        Exploration const exploration = expect_broken(given(job_of(3, profile), {"crash:1"}), Property::l2);
        EXPECT_NE(exploration.found->broken.why.find("waits for ever"), std::string::npos);
        EXPECT_NE(exploration_text(exploration).find("FAULT it dies"), std::string::npos);
    }
}

TEST(OldProfiles, ASilentStrangerHoldsTheOnlyDoor) {
    for (Profile const profile : {Profile::article, Profile::nccl})
        expect_broken(given(job_of(2, profile), {"stranger:root0=nothing"}), Property::l2);
}

TEST(OldProfiles, WhoProvesItselfAndLeavesTakesTheRootWithIt) {
    Exploration const exploration =
        expect_broken(given(job_of(2, Profile::nccl), {"stranger:root0=claim"}), Property::l2);
    EXPECT_NE(exploration_text(exploration).find("a stranger calls and says claim"), std::string::npos);
}

TEST(OldProfiles, WithoutAHandshakeTheFirstWhoComesIsThePredecessor) {
    Exploration const exploration = explore(given(job_of(2, Profile::article), {"stranger:0=claim"}));
    EXPECT_EQ(exploration.answer, Answer::broken);
}

TEST(OldProfiles, WhoWritesBeforeItReadsHangsAsSoonAsNoBufferHoldsASlice) {
    for (std::uint32_t const nranks : {2U, 3U}) {
        ExploreSettings settings = job_of(nranks, Profile::article);
        settings.policies.turns = protocol::Turns::send_then_receive;
        expect_all_holds(settings);
        settings.narrow = true;
        expect_broken(settings, Property::l2);
        settings.policies.turns = protocol::Turns::lock_step;  // reads while it writes
        expect_all_holds(settings);
    }
}

TEST(OldProfiles, ARootThatHearsTwoNumbersOfRanksLeavesThemAlone) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        ExploreSettings settings = job_of(2, profile);
        settings.told = {1, 3};
        expect_broken(settings, Property::l2);
    }
}

TEST(OldProfiles, AStoryIsToldByTheMovesThatItTells) {
    ExploreSettings const settings = given(job_of(3, Profile::nccl), {"reset:0@chord0"});
    Exploration const found = expect_broken(settings, Property::l3);
    auto const end = retrace(settings, found.story);
    ASSERT_TRUE(end) << end.error();
    EXPECT_EQ(end->why, found.found->broken.why);

    std::vector<std::string> story = found.story;
    story.erase(story.begin() + 3);
    auto const gap = retrace(settings, story);
    ASSERT_FALSE(gap);
    EXPECT_NE(gap.error().find("possible moves is told so:   5. rank 0"), std::string::npos) << gap.error();

    auto const half = retrace(settings, {found.story.begin(), found.story.begin() + 10});
    ASSERT_TRUE(half) << half.error();
    EXPECT_FALSE(*half) << half->why;
}

TEST(OldProfiles, OnlyThePropertyThatIsAskedForIsLookedFor) {
    // A crash breaks L2 first; L3 needs a crash that everybody notices.
    ExploreSettings settings = given(job_of(3, Profile::nccl), {"crash:1"});
    std::size_t const first = expect_broken(settings, Property::l2).story.size();
    settings.only = Property::l3;
    Exploration const other = expect_broken(settings, Property::l3);
    EXPECT_GT(other.story.size(), first);
    EXPECT_NE(rerun_line(other).find(" --property L3"), std::string::npos);
    settings.only = Property::s1;
    EXPECT_NE(exploration_text(expect_all_holds(settings)).find("S1 holds in every order"), std::string::npos);
}

TEST(OldProfiles, TheLineThatRerunsFindsTheSame) {
    Exploration const first = explore(with_faults(job_of(2, Profile::nccl), 1, bit(FaultKind::crash)));
    ASSERT_EQ(first.answer, Answer::broken);
    std::string const line = rerun_line(first);
    ASSERT_NE(line.find(" --given "), std::string::npos) << line;
    ExploreSettings again = job_of(2, Profile::nccl);
    again.given.push_back(fault_from(line.substr(line.find(" --given ") + 9), again).value());
    Exploration const second = explore(again);
    ASSERT_EQ(second.answer, Answer::broken);
    EXPECT_EQ(second.found->broken.why, first.found->broken.why);
    EXPECT_EQ(second.story, first.story);
}

}  // namespace
}  // namespace ronde::explore
