/// Which part of a run is shown as a sequence, where not all of it can be.
#include "page/guilty_part.hpp"

#include "ring/ring_moment.hpp"
#include "sequence/layout.hpp"
#include "viz_page/stories.hpp"
#include "viz_time/stories.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::viz {
namespace {

using testing::Contains;
using testing::HasSubstr;

void expect_readable(GuiltyPart const& part) {
    EXPECT_LE(part.scene.columns.size(), kMostGuiltyLifelines);
    EXPECT_LE(lay_out(part.scene, 0).axis.bottom(), 14'000) << "a picture of a page or two";
    EXPECT_FALSE(part.scene.messages.empty());
}

TEST(GuiltyPart, OfADeathShowsTheDeadAndThoseWhoSaySo) {
    Chronicle const told =
        pages::of_text("name = \"many\"\nranks = 100\n\n[[fault]]\nkind = \"crash\"\nranks = \"42\"\n"
                       "when = \"rank 42 enters connecting_ring\"\n");
    ASSERT_FALSE(told.ready);
    auto const part = guilty_part(told);
    ASSERT_TRUE(part);
    expect_readable(*part);
    EXPECT_THAT(part->scene.columns, Contains(42U)) << "who died";
    EXPECT_THAT(part->scene.columns, Contains(100U)) << "the root";
    TimeNs const death_ns = told.ranks[42].ended_ns;
    EXPECT_TRUE(part->scene.shows(death_ns));
    EXPECT_THAT(part->caption, HasSubstr("around the first death"));
    for (ProcessIndex const process : part->scene.columns) {
        if (process < told.nranks && process != 42) {
            EXPECT_EQ(told.ranks[process].error.about, 42U) << "rank " << process << " has nothing to say about it";
        }
    }
}

TEST(GuiltyPart, OfARootThatDiesBeginsThere) {
    Chronicle const told = pages::of_scenario("root-dies");
    auto const part = guilty_part(told);
    ASSERT_TRUE(part);
    expect_readable(*part);
    EXPECT_TRUE(part->scene.shows(2 * protocol::kMillisecondNs));
    EXPECT_THAT(part->scene.columns, Contains(told.nranks));
}

TEST(GuiltyPart, OfAGoodRunIsTheEndOfTheCriticalPath) {
    Chronicle const told = pages::of_ranks(200);
    ASSERT_TRUE(told.ready);
    auto const part = guilty_part(told);
    ASSERT_TRUE(part);
    expect_readable(*part);
    EXPECT_THAT(part->caption, HasSubstr("critical path"));
    TimeNs last_ns = 0;
    for (RankStory const& story : told.ranks)
        last_ns = std::max(last_ns, story.table_ns);
    EXPECT_EQ(part->scene.until_ns, last_ns);
    EXPECT_TRUE(std::any_of(told.steps.begin(), told.steps.end(), [&](StepStory const& step) {
        return step.critical && step.at_ns == last_ns && part->scene.shows_process(step.process);
    }));
}

TEST(GuiltyPart, OfAFewProcessesShowsThemAll) {
    Chronicle const told = pages::of_a_death();
    auto const part = guilty_part(told);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->scene.columns.size(), told.processes.size());
}

TEST(GuiltyPart, IsNothingWhereStepsWereNotKept) {
    Chronicle told = pages::of_a_death();
    told.has_steps = false;
    EXPECT_FALSE(guilty_part(told));
}

}  // namespace
}  // namespace ronde::viz
