/// Whatever it is made from, a chronicle tells one story: nothing arrives before it is sent, and phases go on in order.
#include "chronicle/sources.hpp"
#include "report/trace.hpp"
#include "ring/heat_ring.hpp"
#include "ring/ring_film.hpp"
#include "ring/ring_moment.hpp"
#include "scenario/scenario.hpp"
#include "viz/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ronde::viz {
namespace {

using protocol::Phase;

sim::WorldPlan plan_of(std::uint32_t ranks, protocol::Profile profile = protocol::Profile::ronde) {
    sim::WorldPlan plan;
    plan.nranks = ranks;
    plan.ranks_per_host = {2};
    plan.policies = protocol::policies_of(profile);
    return plan;
}

sim::WorldPlan with_crash(sim::WorldPlan plan, RankId rank, Phase phase) {
    sim::Fault fault;
    fault.kind = sim::FaultKind::crash;
    fault.ranks = {{rank, 1}};
    fault.when.rank = rank;
    fault.when.phase = phase;
    plan.faults.push_back(fault);
    return plan;
}

void expect_sound(Chronicle const& chronicle) {
    ASSERT_EQ(chronicle.ranks.size(), chronicle.nranks);
    ASSERT_GE(chronicle.processes.size(), std::size_t{chronicle.nranks} + chronicle.nroots);
    TimeNs before_ns = 0;
    for (StepStory const& step : chronicle.steps) {
        EXPECT_LE(before_ns, step.at_ns) << step.text;
        before_ns = step.at_ns;
    }
    for (MessageStory const& message : chronicle.messages) {
        ASSERT_LT(message.send_step, chronicle.steps.size());
        EXPECT_LT(message.from, chronicle.processes.size());
        if (message.received_ns == kNever)
            continue;
        EXPECT_LE(message.sent_ns, message.received_ns);
        StepStory const& receipt = chronicle.steps[message.receive_step];
        EXPECT_EQ(receipt.process, message.to) << receipt.text;
        EXPECT_EQ(receipt.from, message.from) << receipt.text;
        EXPECT_EQ(receipt.at_ns, message.received_ns) << receipt.text;
        EXPECT_NE(receipt.text.find(name_of(message.kind)), std::string::npos) << receipt.text;
    }
    for (CallStory const& call : chronicle.calls) {
        EXPECT_LT(call.to, chronicle.processes.size());
        EXPECT_TRUE(call.stood_ns == kNever || call.failed_ns == kNever);
        EXPECT_LE(call.called_ns, std::min(call.stood_ns, call.failed_ns));
    }
}

TEST(ChronicleOfAWorld, SeesEveryMessageArriveWhenAllGoesWell) {
    for (auto const profile : {protocol::Profile::article, protocol::Profile::nccl, protocol::Profile::ronde}) {
        Chronicle const chronicle = chronicle_of_plan(plan_of(6, profile));
        expect_sound(chronicle);
        EXPECT_TRUE(chronicle.ready);
        EXPECT_EQ(chronicle.verdict, "ready");
        ASSERT_FALSE(chronicle.messages.empty());
        for (MessageStory const& message : chronicle.messages)
            EXPECT_NE(message.received_ns, kNever)
                << name_of(profile) << ": " << name_of(message.kind) << " from " << message.from;
        for (CallStory const& call : chronicle.calls)
            EXPECT_NE(call.accepted_ns, kNever) << name_of(profile) << ": " << call.from << " to " << call.to;
    }
}

TEST(ChronicleOfAWorld, WithSeveralRootsKnowsWhoseAnswerIsWhose) {
    sim::WorldPlan plan = plan_of(24);
    plan.nroots = 3;
    Chronicle const chronicle = chronicle_of_plan(plan);
    expect_sound(chronicle);
    auto const lost = std::count_if(chronicle.messages.begin(), chronicle.messages.end(),
                                    [](MessageStory const& message) { return message.received_ns == kNever; });
    EXPECT_EQ(lost, 0);
}

TEST(ChronicleOfAWorld, HasPhasesInTheOrderOfAHealthyLife) {
    Chronicle const chronicle = chronicle_of_plan(plan_of(5));
    for (RankStory const& story : chronicle.ranks) {
        TimeNs before_ns = 0;
        for (std::uint32_t phase = 0; phase <= static_cast<std::uint32_t>(Phase::ready); ++phase) {
            if (story.entered_ns[phase] == kNever)
                continue;
            EXPECT_LE(before_ns, story.entered_ns[phase]);
            before_ns = story.entered_ns[phase];
        }
        EXPECT_EQ(story.end, RankEnd::ready);
        EXPECT_NE(story.table_ns, kNever);
        EXPECT_LE(story.table_ns, story.entered_ns[static_cast<std::size_t>(Phase::ready)]);
    }
}

TEST(ChronicleOfAWorld, MarksAChainThatReachesTheLastTable) {
    Chronicle const chronicle = chronicle_of_plan(plan_of(8));
    TimeNs last_ns = 0;
    for (RankStory const& story : chronicle.ranks)
        last_ns = std::max(last_ns, story.table_ns);
    bool reaches = false;
    for (StepStory const& step : chronicle.steps) {
        EXPECT_TRUE(!step.critical || step.at_ns <= last_ns) << step.text;
        reaches = reaches || (step.critical && step.at_ns == last_ns);
    }
    EXPECT_TRUE(reaches);
    EXPECT_TRUE(std::any_of(chronicle.messages.begin(), chronicle.messages.end(),
                            [](MessageStory const& message) { return message.critical; }));
}

TEST(ChronicleOfAWorld, BlamesTheRankThatDied) {
    Chronicle const chronicle = chronicle_of_plan(with_crash(plan_of(6), 2, Phase::connecting_ring));
    expect_sound(chronicle);
    EXPECT_FALSE(chronicle.ready);
    EXPECT_EQ(chronicle.ranks[2].end, RankEnd::dead);
    ASSERT_EQ(chronicle.faults.size(), 1U);
    EXPECT_EQ(chronicle.faults[0].process, 2U);
    EXPECT_EQ(chronicle.faults[0].text, "crash");
    EXPECT_EQ(chronicle.ranks[2].ended_ns, chronicle.faults[0].at_ns);
    for (RankId rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(chronicle.ranks[rank].culprit, rank == 2) << rank;
        EXPECT_EQ(chronicle.ranks[rank].message.empty(), false) << rank;
    }
}

TEST(ChronicleOfAWorld, CountsWhatTheListenerWentThrough) {
    sim::WorldPlan plan = plan_of(40);
    plan.root_host.somaxconn = 4;
    plan.root_host.accept_service_ns = protocol::kMillisecondNs;
    Chronicle const chronicle = chronicle_of_plan(plan);
    EXPECT_EQ(chronicle.backlog, 4U);
    ASSERT_FALSE(chronicle.listener.empty());
    EXPECT_EQ(chronicle.listener.back().checked_in, 40U);
    EXPECT_EQ(chronicle.listener.back().queue_depth, 0U);
    std::uint32_t deepest = 0;
    for (std::size_t i = 1; i < chronicle.listener.size(); ++i) {
        EXPECT_LE(chronicle.listener[i - 1].accepts, chronicle.listener[i].accepts);
        deepest = std::max(deepest, chronicle.listener[i].queue_depth);
    }
    EXPECT_EQ(deepest, 5U) << "a queue holds one more than its backlog";
}

/// A ring that is computed as a whole shows the same phases as one that is played.
TEST(ChronicleOfAWorld, OfALargeRingIsThatOfThePlayedOne) {
    sim::WorldPlan plan = plan_of(1'100, protocol::Profile::nccl);
    Chronicle const computed = chronicle_of_plan(plan);
    EXPECT_FALSE(computed.has_steps);
    plan.fast_forward = false;
    Chronicle const played = chronicle_of_plan(plan);
    for (RankId rank = 0; rank < plan.nranks; ++rank)
        ASSERT_EQ(computed.ranks[rank].entered_ns, played.ranks[rank].entered_ns) << rank;
}

/// The chronicle of a trace that says `plan`, and has the steps of `played`.
Made traced(sim::WorldPlan const& plan, sim::WorldPlan const& played) {
    std::string pattern = (std::filesystem::path(testing::TempDir()) / "ronde-trace-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return tl::unexpected("cannot make " + pattern);
    std::string const path = pattern + "/run.trace";
    {
        sim::AtomicFile file(path);
        sim::TraceWriter writer(file, plan);
        sim::World world(played);
        world.watch(writer);
        static_cast<void>(world.run());
        writer.finish();
        EXPECT_TRUE(file.commit()) << file.error();
    }
    Made made = chronicle_of_trace(path);
    std::filesystem::remove_all(pattern);
    return made;
}

TEST(ChronicleOfATrace, IsThatOfItsScenario) {
    sim::WorldPlan const plan = with_crash(plan_of(5), 1, Phase::connecting_ring);
    auto const made = traced(plan, plan);
    ASSERT_TRUE(made) << made.error();
    EXPECT_FALSE(made->ready);
    Chronicle const direct = chronicle_of_plan(plan);
    ASSERT_EQ(made->steps.size(), direct.steps.size());
    for (std::size_t i = 0; i < direct.steps.size(); ++i)
        ASSERT_EQ(made->steps[i].text, direct.steps[i].text);
    EXPECT_EQ(ring_dot(ring_at(*made, kNever)), ring_dot(ring_at(direct, kNever)));
}

/// A trace of another ronde, say: what it recorded is not what would be drawn.
TEST(ChronicleOfATrace, OfARunThatIsNotRepeatedIsNone) {
    auto const made = traced(plan_of(5), with_crash(plan_of(5), 1, Phase::connecting_ring));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().find("differs in step "), std::string::npos) << made.error();
    EXPECT_NE(made.error().find("ronde that wrote it"), std::string::npos) << made.error();
    EXPECT_EQ(made.error().find('\n'), std::string::npos) << made.error();
}

TEST(ChronicleOfAnExploration, TellsTheCounterexampleAsARun) {
    explore::ExploreSettings settings;
    settings.nranks = 3;
    settings.policies = protocol::policies_of(protocol::Profile::article);
    auto const fault = explore::fault_from("drop:1", settings);
    ASSERT_TRUE(fault) << fault.error();
    settings.given = {*fault};
    explore::Exploration const exploration = explore::explore(settings);
    ASSERT_TRUE(exploration.found);
    auto const chronicle = chronicle_of_exploration(exploration);
    ASSERT_TRUE(chronicle) << chronicle.error();
    expect_sound(*chronicle);
    EXPECT_FALSE(chronicle->ready);
    // A move a millisecond, and one more to see what the last of them changed.
    EXPECT_EQ(chronicle->end_ns, static_cast<TimeNs>(exploration.found->path.size() + 1) * protocol::kMillisecondNs);
    EXPECT_EQ(chronicle->faults.size(), 1U);
}

TEST(ChronicleOfAnExploration, NeedsSomethingThatWasFound) {
    explore::ExploreSettings settings;
    settings.nranks = 2;
    auto const chronicle = chronicle_of_exploration(explore::explore(settings));
    ASSERT_FALSE(chronicle);
    EXPECT_NE(chronicle.error().find("no counterexample"), std::string::npos) << chronicle.error();
}

TEST(SourcesOfChronicles, SayWhatTheyExpected) {
    using Source = Made (*)(std::string const&);
    for (Source const source :
         {&chronicle_of_trace, &chronicle_of_tape, &chronicle_of_recordings, &chronicle_of_scenario}) {
        Made const made = source("no-such-input");
        ASSERT_FALSE(made);
        EXPECT_NE(made.error().find("no-such-input"), std::string::npos);
        EXPECT_EQ(made.error().find('\n'), std::string::npos) << made.error();
    }
}

// --- moments --------------------------------------------------------------------------------------------------------

TEST(Moments, GoFromNobodyToAHeldRing) {
    Chronicle const chronicle = chronicle_of_plan(plan_of(6));
    RingPicture const before = ring_at(chronicle, -1);
    EXPECT_TRUE(std::all_of(before.ranks.begin(), before.ranks.end(), [](RingRank const& one) { return one.absent; }));
    RingPicture const after = ring_at(chronicle, kNever);
    EXPECT_TRUE(after.ready);
    std::uint32_t held_before = 0;
    for (TimeNs const moment : film_moments(chronicle, 30)) {
        RingPicture const picture = ring_at(chronicle, moment);
        std::uint32_t held = 0;
        for (RankId rank = 0; rank < 6; ++rank)
            held += hand_is_held(picture, rank) ? 1U : 0U;
        EXPECT_GE(held, held_before) << "hands that are held stay held";
        held_before = held;
    }
    EXPECT_EQ(held_before, 6U);
}

TEST(Moments, BlameNobodyBeforeAnythingIsKnown) {
    Chronicle const chronicle = chronicle_of_plan(with_crash(plan_of(6), 2, Phase::connecting_ring));
    RingPicture const before = ring_at(chronicle, chronicle.faults[0].at_ns - 1);
    EXPECT_FALSE(before.ranks[2].dead);
    EXPECT_FALSE(before.ranks[2].culprit);
    RingPicture const after = ring_at(chronicle, chronicle.faults[0].at_ns);
    EXPECT_TRUE(after.ranks[2].dead);
    EXPECT_TRUE(after.ranks[2].culprit);
}

// The table for so many goes out in several pieces of one step, and the last rank was let in by the first of them.
TEST(ChronicleOfAWorld, SeesEveryTableOfALongAnswerArrive) {
    Chronicle const chronicle = chronicle_of_plan(plan_of(64));
    std::size_t tables = 0;
    for (MessageStory const& message : chronicle.messages) {
        if (message.kind != protocol::FrameKind::slices)
            continue;
        ++tables;
        EXPECT_NE(message.received_ns, kNever) << "to process " << message.to;
        EXPECT_LT(message.sent_ns, message.received_ns) << "to process " << message.to;
        EXPECT_EQ(message.count, 64U) << "to process " << message.to;
    }
    EXPECT_EQ(tables, 64U);
}

TEST(Film, IsTheSameBytesEverywhere) { expect_golden("film4.svg", ring_film(chronicle_of_plan(plan_of(4)))); }

TEST(Film, EndsWithThePictureOfTheEndForWhoeverWantsNoMotion) {
    Chronicle const chronicle = chronicle_of_plan(plan_of(4));
    std::string const film = ring_film(chronicle);
    EXPECT_EQ(count(film, "@media (prefers-reduced-motion:no-preference)"), 1U);
    EXPECT_GT(count(film, "@keyframes"), 3U);
    EXPECT_EQ(count(ring_frame(chronicle, kNever), "@keyframes"), 0U);
}

TEST(HeatRing, IsTheSameBytesEverywhere) {
    sim::WorldPlan plan = plan_of(1'024);
    plan.ranks_per_host = {8};
    plan.root_host.accept_service_ns = 15 * protocol::kMicrosecondNs;
    sim::Fault never;
    never.kind = sim::FaultKind::never;
    never.ranks = {{700, 3}};
    plan.faults = {never};
    plan.budget_ns = 2 * protocol::kSecondNs;
    Chronicle const chronicle = chronicle_of_plan(plan);
    std::string const heat = heat_ring(chronicle, kNever);
    EXPECT_EQ(count(heat, ">rank 700<"), 2U) << "its mark says so, and its name";
    EXPECT_EQ(count(heat, "never came: 3<"), 1U);
    expect_golden("heat1024.svg", heat);
}

TEST(HeatRing, HasAtMostSoManyCellsARow) {
    for (std::uint32_t const ranks : {1U, 3U, 359U, 361U, 5'000U}) {
        Chronicle chronicle;
        chronicle.nranks = ranks;
        chronicle.end_ns = 100;
        chronicle.ranks.resize(ranks);
        chronicle.processes.resize(ranks + 1U);
        for (RankId rank = 0; rank < ranks; ++rank) {
            chronicle.processes[rank].host = rank / 2;
            chronicle.ranks[rank].entered_ns.fill(kNever);
            chronicle.ranks[rank].entered_ns[0] = 0;
            chronicle.ranks[rank].entered_ns[static_cast<std::size_t>(Phase::ready)] = 1 + rank % 90;
        }
        std::string const heat = heat_ring(chronicle, kNever);
        EXPECT_LE(count(heat, "A150 150 "), 2U * kMostHeatCells) << ranks;
        EXPECT_GE(count(heat, "A150 150 "), 1U) << ranks;
    }
}

}  // namespace
}  // namespace ronde::viz
