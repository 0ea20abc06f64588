/// The events that a player walks through, held against the ring as it is drawn at a time.
#include "page/playback.hpp"

#include "ring/ring_moment.hpp"
#include "viz_page/stories.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ronde::viz {
namespace {

void apply(std::vector<std::uint32_t>& states, PlayEvent const& event) {
    for (StateChange const& change : event.changes)
        states.at(change.process) = change.state;
}

/// The phase of a healthy life in which its steps have left it by then.
protocol::Phase phase_by_steps(Chronicle const& told, RankId rank, TimeNs at_ns) {
    auto phase = protocol::Phase::created;
    for (StepStory const& step : told.steps) {
        bool const counts = step.process == rank && step.at_ns <= at_ns;
        if (counts && step.phase_after <= static_cast<std::uint8_t>(protocol::Phase::ready))
            phase = static_cast<protocol::Phase>(step.phase_after);
    }
    return phase;
}

/// After all events of one time, each rank must look as in `ronde draw ring --at` that time; but for those that had to
/// go back, whose phase is that of their last step.
void expect_like_the_ring(Chronicle const& told, Playback const& playback) {
    std::vector<std::uint32_t> states = playback.first;
    TimeNs const judged_ns = first_failure_ns(told);
    for (std::size_t i = 0; i < playback.events.size(); ++i) {
        PlayEvent const& event = playback.events[i];
        apply(states, event);
        bool const last = i + 1 == playback.events.size();
        if (!last && playback.events[i + 1].at_ns == event.at_ns)
            continue;
        TimeNs const at_ns = last ? kNever : event.at_ns;
        for (RankId rank = 0; rank < told.nranks; ++rank) {
            RingRank expected = ring_rank_at(told, rank, at_ns, last || at_ns >= judged_ns);
            if (told.has_steps)
                expected.phase = phase_by_steps(told, rank, at_ns);
            ASSERT_EQ(states[rank], state_of(expected))
                << "rank " << rank << " after event " << i << " (" << event.text << ") at " << event.at_ns;
        }
    }
    EXPECT_EQ(states, states_after(playback, playback.events.size()));
}

struct Run {
    char const* name;
    Chronicle (*tell)();
};
class EveryRun : public testing::TestWithParam<Run> {};

TEST_P(EveryRun, LooksAtEachTimeAsTheRingDoes) {
    Chronicle const told = GetParam().tell();
    Playback const playback = playback_of(told);
    ASSERT_TRUE(playback.every_step);
    EXPECT_GE(playback.events.size(), told.steps.size());
    expect_like_the_ring(told, playback);
}

TEST_P(EveryRun, DoesSoInFewerEventsToo) {
    Chronicle const told = GetParam().tell();
    Playback const playback = playback_of(told, 10);
    ASSERT_FALSE(playback.every_step);
    EXPECT_LT(playback.events.size(), told.steps.size());
    expect_like_the_ring(told, playback);
}

TEST_P(EveryRun, DoesSoWithoutSteps) {
    Chronicle told = GetParam().tell();
    told.has_steps = false;
    told.steps.clear();
    told.messages.clear();
    told.calls.clear();
    Playback const playback = playback_of(told);
    EXPECT_FALSE(playback.every_step);
    EXPECT_GT(playback.events.size(), 1U);
    EXPECT_EQ(playback.events.back().at_ns, told.end_ns);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, EveryRun,
    testing::Values(Run{"article_4", [] { return pages::of_scenario("article-4"); }},
                    Run{"a_death", [] { return pages::of_a_death(); }},
                    Run{"root_dies", [] { return pages::of_scenario("root-dies"); }},
                    Run{"port_scan", [] { return pages::of_scenario("port-scan"); }},
                    Run{"two_roots", [] { return pages::of_text("name = \"two roots\"\nranks = 24\nroots = 2\n"); }}),
    [](testing::TestParamInfo<Run> const& one) { return std::string(one.param.name); });

/// Rank 0 of article-4 starts, listens, listens once more and checks in, all at time 0.
TEST(Playback, TakesStepsOfOneTimeOneByOne) {
    Chronicle const told = pages::of_scenario("article-4");
    Playback const playback = playback_of(told);
    std::vector<std::uint32_t> states = playback.first;
    std::vector<std::uint32_t> looks;
    for (std::size_t i = 0; i < 4; ++i) {
        looks.push_back(states[0] & kLookMask);
        ASSERT_LT(i, playback.events.size());
        EXPECT_EQ(playback.events[i].at_ns, 0);
        if (i < 3)
            apply(states, playback.events[i]);
    }
    auto const number = [](PhaseLook look) { return static_cast<std::uint32_t>(look); };
    EXPECT_EQ(looks, (std::vector<std::uint32_t>{number(PhaseLook::never_came), number(PhaseLook::listening),
                                                 number(PhaseLook::listening), number(PhaseLook::checking_in)}));
    EXPECT_EQ(states[1] & kLookMask, number(PhaseLook::never_came)) << "it is not its turn yet";
    EXPECT_EQ(playback.events[0].process, 0U);
    EXPECT_EQ(playback.events[0].text.substr(0, 5), "start");
}

/// Nobody can see that a rank never came until somebody says so.
TEST(Playback, MarksWhoIsBlamedFromTheFirstFailureOn) {
    Chronicle const told = pages::of_text("name = \"missing\"\nranks = 6\ndeadline = \"2s\"\n\n[[fault]]\n"
                                          "kind = \"never\"\nranks = \"4\"\n");
    ASSERT_TRUE(told.ranks[4].culprit);
    Playback const playback = playback_of(told);
    ASSERT_LT(playback.failure, playback.events.size());
    EXPECT_EQ(playback.events[playback.failure].at_ns, first_failure_ns(told));
    std::vector<std::uint32_t> states = playback.first;
    for (std::size_t i = 0; i <= playback.failure; ++i) {
        EXPECT_EQ(states[4] & kCulprit, 0U) << "before event " << i;
        apply(states, playback.events[i]);
    }
    EXPECT_NE(states[4] & kCulprit, 0U);
    Playback const good = playback_of(pages::of_scenario("article-4"));
    EXPECT_EQ(good.failure, good.events.size()) << "nothing failed";
}

TEST(Playback, ShowsTheDeathOfARootAtOnce) {
    Chronicle const told = pages::of_scenario("root-dies");
    Playback const playback = playback_of(told);
    auto const crash = std::find_if(playback.events.begin(), playback.events.end(),
                                    [](PlayEvent const& event) { return event.text == "fault crash"; });
    ASSERT_NE(crash, playback.events.end());
    EXPECT_EQ(crash->process, told.nranks);
    ASSERT_EQ(crash->changes.size(), 1U);
    EXPECT_EQ(crash->changes[0].process, told.nranks);
    EXPECT_NE(crash->changes[0].state & kRootLost, 0U);
}

/// 64 ranks lose their root while some wait for their successor: these are back at checking in, and say so.
TEST(Playback, SeesARankGoBack) {
    Chronicle const told = pages::of_scenario("root-dies");
    Playback const playback = playback_of(told);
    auto const number = [](PhaseLook look) { return static_cast<std::uint32_t>(look); };
    std::vector<std::uint32_t> states = playback.first;
    std::vector<std::uint32_t> looks;
    for (PlayEvent const& event : playback.events) {
        apply(states, event);
        if (looks.empty() || looks.back() != (states[8] & kLookMask))
            looks.push_back(states[8] & kLookMask);
    }
    EXPECT_EQ(looks, (std::vector<std::uint32_t>{number(PhaseLook::never_came), number(PhaseLook::listening),
                                                 number(PhaseLook::checking_in), number(PhaseLook::awaiting_successor),
                                                 number(PhaseLook::checking_in)}));
    EXPECT_NE(states[8] & kFailed, 0U);
    EXPECT_EQ(states[8] & kAtRoot, 0U);
}

/// Ranks 2 and 3 are killed while the others wait, and come back as new processes.
TEST(Playback, SeesARankDieAndComeBack) {
    Chronicle const told =
        pages::of_text("name = \"back\"\nranks = 8\nranks_per_host = 2\ndeadline = \"9s\"\n"
                       "[arrival]\nwave_hosts = 3\nwave_every = \"2s\"\n\n[[fault]]\nkind = \"restart\"\n"
                       "ranks = \"2-3\"\nat = \"500ms\"\nduration = \"500ms\"\n");
    Playback const playback = playback_of(told);
    std::vector<std::uint32_t> states = playback.first;
    std::vector<bool> dead;
    for (PlayEvent const& event : playback.events) {
        apply(states, event);
        bool const now = (states[2] & kLookMask) == static_cast<std::uint32_t>(PhaseLook::dead);
        if (dead.empty() || dead.back() != now)
            dead.push_back(now);
        if (now) {
            EXPECT_GE(event.at_ns, 500 * protocol::kMillisecondNs);
            EXPECT_LE(event.at_ns, 1'000 * protocol::kMillisecondNs);
        }
    }
    EXPECT_EQ(dead, (std::vector<bool>{false, true, false}));
}

TEST(Playback, AsJsonSaysTheSame) {
    Chronicle const told = pages::of_a_death();
    Playback const playback = playback_of(told);
    auto const json = nlohmann::json::parse(playback_json(told, playback));
    EXPECT_EQ(json["ranks"], told.nranks);
    EXPECT_EQ(json["first"], nlohmann::json(playback.first));
    ASSERT_EQ(json["events"].size(), playback.events.size());
    TimeNs now_ns = 0;
    for (std::size_t i = 0; i < playback.events.size(); ++i) {
        auto const& row = json["events"][i];
        PlayEvent const& event = playback.events[i];
        now_ns += row[0].get<TimeNs>();
        EXPECT_EQ(now_ns, event.at_ns);
        EXPECT_EQ(row[1], event.process == kNobody ? -1 : std::int64_t{event.process});
        EXPECT_EQ(json["texts"][row[3].get<std::size_t>()], event.text);
        EXPECT_EQ(row.size(), 4 + 2 * event.changes.size());
    }
}

TEST(Playback, AsJsonNeedsNoEscapesOfHtml) {
    Chronicle told = pages::of_a_hostile_name();
    told.steps[0].text += "\x01\"\\\n";
    std::string const json = playback_json(told, playback_of(told));
    EXPECT_EQ(json.find_first_of("<>&\n"), std::string::npos);
    auto const read = nlohmann::json::parse(json);
    EXPECT_NE(read["texts"][0].get<std::string>().find(std::string(pages::kHostile) + "\x01\"\\\n"), std::string::npos);
}

}  // namespace
}  // namespace ronde::viz
