/// Every observer is able to fail: it is shown a world that is not as it should be, on paper.
#include "observe/check_ins.hpp"
#include "observe/endings.hpp"
#include "observe/tables.hpp"
#include "observe/watch.hpp"
#include "paper_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::props {
namespace {

using protocol::Code;
using protocol::EventKind;
using protocol::kSecondNs;
using protocol::Phase;
using sim::End;
using testing::HasSubstr;

constexpr ProcessId kRoot = 3;  // of a scene with three ranks

sim::Outcome all_ready(std::uint32_t nranks) {
    sim::Outcome outcome;
    outcome.nranks = nranks;
    outcome.ends[0] = nranks;
    return outcome;
}

sim::RankEnd failed_end(RankId rank, Code code) {
    sim::RankEnd end;
    end.rank = rank;
    end.end = End::failed;
    end.error.code = code;
    end.verdict.error = end.error;
    return end;
}

sim::Fault fault_on(sim::FaultKind kind, RankId rank) {
    sim::Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    return fault;
}

template <class P>
Trial<P>& check_everyone_in(Trial<P>& trial) {
    for (RankId rank = 0; rank < 3; ++rank)
        trial.see(*PaperStep::welcome(kRoot, rank, rank));
    return trial;
}

// --- S1 -------------------------------------------------------------------------------------------------------------

TEST(S1, IsSatisfiedByAWholeTable) {
    PaperScene scene(3);
    Trial<TableExact> trial(scene);
    EXPECT_EQ(check_everyone_in(trial).see(*PaperStep::ready(1)).sentence(), "");
}

TEST(S1, SeesAnEntryThatIsMissing) {
    PaperScene scene(3);
    scene.known_[1] = 2;
    Trial<TableExact> trial(scene);
    EXPECT_EQ(check_everyone_in(trial).see(*PaperStep::ready(1)).sentence(), "rank 1 is ready with 2 of 3 entries");
}

TEST(S1, SeesAnEntryThatIsSomebodyElses) {
    PaperScene scene(3);
    scene.tables_[1][2] = 0;
    Trial<TableExact> trial(scene);
    EXPECT_EQ(check_everyone_in(trial).see(*PaperStep::ready(1)).sentence(),
              "rank 1 is ready, and at 2 its table has rank 0 instead of who checked in, rank 2");
}

// --- S2 -------------------------------------------------------------------------------------------------------------

TEST(S2, SeesTwoTablesThatDiffer) {
    PaperScene scene(3);
    scene.tables_[2][1] = kNoProcess;
    Trial<TablesEqual> trial(scene);
    trial.see(*PaperStep::ready(0)).see(*PaperStep::ready(1));
    EXPECT_EQ(trial.sentence(), "");
    EXPECT_EQ(trial.see(*PaperStep::ready(2)).sentence(),
              "ranks 0 and 2 are ready, and differ in entry 1: rank 1 and nobody");
}

// --- S3 -------------------------------------------------------------------------------------------------------------

void join(PaperScene& scene, ProcessId from, ProcessId to) {
    scene.ends_[{from, protocol::chord_out(0).value}] = {to, protocol::chord_in(0)};
    scene.ends_[{to, protocol::chord_in(0).value}] = {from, protocol::chord_out(0)};
}

TEST(S3, IsSatisfiedByARing) {
    PaperScene scene(3);
    for (RankId rank = 0; rank < 3; ++rank)
        join(scene, rank, (rank + 1) % 3);
    Trial<OneRing> trial(scene);
    for (RankId rank = 0; rank < 3; ++rank)
        trial.see(*PaperStep::ready(rank));
    EXPECT_EQ(trial.end(all_ready(3)).sentence(), "");
}

TEST(S3, SeesAHandThatHoldsAnother) {
    PaperScene scene(3);
    join(scene, 0, 2);
    Trial<OneRing> trial(scene);
    EXPECT_EQ(trial.see(*PaperStep::ready(0)).sentence(), "rank 0 is ready and holds rank 2 where rank 1 should be");
}

TEST(S3, SeesAStrangerInTheRing) {
    PaperScene scene(3);
    join(scene, scene.add_stranger(), 1);
    Trial<OneRing> trial(scene);
    EXPECT_EQ(trial.see(*PaperStep::ready(1)).sentence(),
              "rank 1 is ready and holds a stranger where rank 0 should be");
}

TEST(S3, SeesAHandThatIsEmptyAtTheEnd) {
    PaperScene scene(3);
    join(scene, 0, 1);
    join(scene, 1, 2);
    Trial<OneRing> trial(scene);
    for (RankId rank = 0; rank < 3; ++rank)
        trial.see(*PaperStep::ready(rank));
    EXPECT_EQ(trial.end(all_ready(3)).sentence(), "everyone is ready, and rank 2 does not hold its successor");
}

// --- S4 -------------------------------------------------------------------------------------------------------------

TEST(S4, SeesACountThatIsNotTheNumberOfRanks) {
    PaperScene scene(3);
    Trial<CountedOnce> trial(scene);
    // The root on paper counts nobody, and expects nobody.
    EXPECT_THAT(trial.see(*PaperStep::welcome(kRoot, 1, 1)).sentence(), HasSubstr("root 0"));
}

TEST(S4, SeesADuplicateThatTakesAPlace) {
    PaperScene scene(3);
    sim::ProcessFacts second;
    second.rank = 1;
    scene.facts_.push_back(second);
    Findings findings;
    CountedOnce property;
    ASSERT_TRUE(property.begin(scene, premise_of(scene.plan())));
    property.on_step(PaperStep::welcome(kRoot, 1, 1)->step(), scene, findings);
    property.on_step(PaperStep::welcome(kRoot, 4, 1)->step(), scene, findings);
    EXPECT_TRUE(std::any_of(findings.violations().begin(), findings.violations().end(), [](Violation const& violation) {
        return violation.sentence == "a second process has taken the place of rank 1 at root 0";
    }));
}

// --- S5 -------------------------------------------------------------------------------------------------------------

TEST(S5, SeesAStrangerWhoMakesARankLearn) {
    PaperScene scene(3);
    scene.plan_.faults = {fault_on(sim::FaultKind::stranger, 1)};
    ProcessId const stranger = scene.add_stranger();
    scene.ends_[{1, protocol::pending(0).value}] = {stranger, {}};
    Trial<StrangersChangeNothing> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::listening, Phase::listening);
    step->event = protocol::Event::accepted(0, protocol::Listener::ring, protocol::pending(0));
    EXPECT_EQ(trial.see(*step).sentence(), "");
    step->actions.push_back({});
    step->actions.back().kind = protocol::ActionKind::learn;
    EXPECT_EQ(trial.see(*step).sentence(), "an outsider has made rank 1 learn");
}

TEST(S5, SeesAStateThatAStrangerHasChanged) {
    PaperScene scene(3);
    scene.plan_.faults = {fault_on(sim::FaultKind::stranger, 1)};
    scene.ends_[{1, protocol::pending(0).value}] = {scene.add_stranger(), {}};
    Trial<StrangersChangeNothing> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::created, Phase::listening);
    protocol::Actions actions;
    step->rank.step(protocol::Event::start(0), actions);  // another state than before, whoever caused it
    step->event = protocol::Event::accepted(0, protocol::Listener::ring, protocol::pending(0));
    EXPECT_EQ(trial.see(*step).sentence(), "rank 1 is not the same after accepted of an outsider");
}

// --- S6 -------------------------------------------------------------------------------------------------------------

TEST(S6, SeesAStepThatAsksForTooMuch) {
    PaperScene scene(3);
    Trial<BoundsHold> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::gathering, Phase::gathering);
    step->most_actions = protocol::kMaxActions + 1U;
    EXPECT_THAT(trial.see(*step).sentence(), HasSubstr("33 actions in one of them"));
}

TEST(S6, SeesAStrangerWhoIsReadTooOften) {
    PaperScene scene(3);
    Trial<BoundsHold> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::gathering, Phase::gathering);
    step->event = protocol::Event::accepted(0, protocol::Listener::ring, protocol::pending(2));
    trial.see(*step);
    step->event = protocol::Event::arrived(0, protocol::pending(2), {}, {});
    trial.see(*step).see(*step);
    EXPECT_EQ(trial.sentence(), "");
    EXPECT_EQ(trial.see(*step).sentence(), "3 frames were read from one who has proven nothing, at most 2 may be");
}

TEST(S6, SeesARootThatTakesTooMuchMemory) {
    PaperScene scene(3);
    scene.holdings_[kRoot].records = 4;
    Trial<BoundsHold> trial(scene);
    EXPECT_EQ(trial.end(all_ready(3)).sentence(), "root 0 has taken memory for 4 check-ins, 3 were to come");
}

// --- S7 -------------------------------------------------------------------------------------------------------------

TEST(S7, SeesADescriptorThatIsLeft) {
    PaperScene scene(3);
    scene.facts_[1].over = true;
    scene.holdings_[1].descriptors = 1;
    for (ProcessId const process : {0U, 2U, kRoot})
        scene.facts_[process].over = true;
    Trial<EverythingReleased> trial(scene);
    EXPECT_EQ(trial.end(all_ready(3)).sentence(), "rank 1 holds 1 descriptors for 0 connections and 0 listeners");
}

TEST(S7, SeesAConnectionAndATimerThatAreLeft) {
    PaperScene scene(3);
    for (sim::ProcessFacts& facts : scene.facts_)
        facts.over = true;
    scene.holdings_[1].descriptors = scene.holdings_[1].connections = 1;
    scene.holdings_[1].deadline_ns = 5;
    Trial<EverythingReleased> trial(scene);
    EXPECT_EQ(trial.end(all_ready(3)).sentence(),
              "rank 1 is over and holds 1 connections instead of 0, 0 listeners, and a timer");
}

TEST(S7, SeesAPortThatIsLeft) {
    PaperScene scene(3);
    for (sim::ProcessFacts& facts : scene.facts_)
        facts.over = true;
    scene.ports_[0] = 2;
    Trial<EverythingReleased> trial(scene);
    EXPECT_EQ(trial.end(all_ready(3)).sentence(), "host 0 has 2 ports in use for 0 connections");
}

// --- S8 -------------------------------------------------------------------------------------------------------------

protocol::Entry on_device(std::uint64_t device) {
    protocol::Entry entry;
    entry.host_id = 7;
    entry.device_id = device;
    return entry;
}

TEST(S8, SeesARankThatIsReadyBesideTwoOnOneDevice) {
    PaperScene scene(3);
    scene.entries_ = {{0, on_device(1)}, {1, on_device(2)}, {2, on_device(1)}};
    Trial<DevicesDistinct> trial(scene);
    EXPECT_EQ(trial.see(*PaperStep::ready(1)).sentence(), "rank 1 is ready although ranks 0 and 2 claim one device");
}

TEST(S8, SeesAnEndThatDoesNotNameThem) {
    PaperScene scene(3);
    scene.entries_ = {{0, on_device(1)}, {1, on_device(2)}, {2, on_device(1)}};
    scene.plan_.faults = {fault_on(sim::FaultKind::same_device, 2)};
    Trial<DevicesDistinct> trial(scene);
    sim::Outcome outcome;
    outcome.nranks = 3;
    outcome.not_ready = {failed_end(0, Code::deadline)};
    EXPECT_EQ(trial.end(outcome).sentence(),
              "two ranks share a device, and rank 0 ends with deadline instead of their names");
}

// --- S9 -------------------------------------------------------------------------------------------------------------

TEST(S9, SeesAnEntryThatNobodyCheckedIn) {
    PaperScene scene(3);
    scene.tables_[0][1] = scene.add_stranger();
    Trial<OnlyThisSession> trial(scene);
    EXPECT_EQ(check_everyone_in(trial).see(*PaperStep::ready(0)).sentence(),
              "rank 0 is ready with an entry of a stranger at 1, who never checked in");
}

TEST(S9, SeesACheckInOfAnotherJob) {
    PaperScene scene(3);
    scene.facts_[2].outsider = true;
    Trial<OnlyThisSession> trial(scene);
    EXPECT_EQ(trial.see(*PaperStep::welcome(kRoot, 2, 2)).sentence(),
              "a root has taken the check-in of rank 2 as rank 2, with the id of another job");
}

// --- L1 -------------------------------------------------------------------------------------------------------------

TEST(L1, SeesARankThatIsNotReadyAfterAllHasPassed) {
    PaperScene scene(3);
    scene.plan_.budget_ns = 60 * kSecondNs;
    scene.plan_.faults = {fault_on(sim::FaultKind::pause, 1)};
    scene.plan_.faults.front().duration_ns = kSecondNs;
    Trial<ReadyOnceHealed> trial(scene);
    trial.property().on_fault(0, scene.plan_.faults.front());
    sim::Outcome outcome;
    outcome.nranks = 3;
    outcome.not_ready = {failed_end(2, Code::deadline)};
    EXPECT_THAT(trial.end(outcome).sentence(), HasSubstr("faults were over after 1000 ms, and rank 2 is failed"));
}

TEST(L1, SeesAReadyThatComesTooLate) {
    PaperScene scene(3);
    scene.plan_.budget_ns = 60 * kSecondNs;
    Trial<ReadyOnceHealed> trial(scene);
    sim::Outcome outcome = all_ready(3);
    outcome.last_ready_ns = 50 * kSecondNs;
    EXPECT_THAT(trial.end(outcome).sentence(), HasSubstr("the last rank was ready after 50000 ms"));
}

// --- L2 -------------------------------------------------------------------------------------------------------------

TEST(L2, SeesARankThatEndsLate) {
    PaperScene scene(3);
    scene.plan_.budget_ns = kSecondNs;
    Trial<EndsByDeadline> trial(scene);
    auto const begins = PaperStep::of_rank(1, Phase::created, Phase::listening, 5);
    begins->event = protocol::Event::start(5);
    auto const ends = PaperStep::of_rank(1, Phase::gathering, Phase::failed, 2 * kSecondNs + 5);
    ends->event = protocol::Event::timer(2 * kSecondNs + 5);
    EXPECT_EQ(trial.see(*begins).see(*ends).sentence(), "rank 1 has ended 1000000 us after its deadline");
}

TEST(L2, SeesARankThatWaitsForEver) {
    PaperScene scene(3);
    scene.states_[0].phase = Phase::gathering;
    Trial<EndsByDeadline> trial(scene);
    auto const begins = PaperStep::of_rank(0, Phase::created, Phase::listening, 0);
    begins->event = protocol::Event::start(0);
    EXPECT_EQ(trial.see(*begins).end({}).sentence(), "rank 0 waits for ever, gathering");
}

// --- L3 -------------------------------------------------------------------------------------------------------------

TEST(L3, SeesAListThatForgetsSomebody) {
    PaperScene scene(3);
    scene.plan_.faults = {fault_on(sim::FaultKind::never, 1), fault_on(sim::FaultKind::never, 2)};
    Trial<NamesTheMissing> trial(scene);
    sim::Outcome outcome;
    outcome.nranks = 3;
    outcome.not_ready = {failed_end(0, Code::ranks_missing)};
    outcome.not_ready.front().error.phase = Phase::checking_in;
    protocol::Verdict& verdict = outcome.not_ready.front().verdict;
    verdict.error = outcome.not_ready.front().error;
    verdict.range_count = 1;
    verdict.ranges[0] = {1, 1};
    EXPECT_THAT(trial.end(outcome).sentence(), HasSubstr("2 ranks never came, and rank 0 ends with"));
    verdict.ranges[0] = {1, 2};
    Trial<NamesTheMissing> exact(scene);
    EXPECT_EQ(exact.end(outcome).sentence(), "");
}

TEST(L3, SeesBlameForOneToWhomNothingHappened) {
    PaperScene scene(3);
    Trial<NamesTheMissing> trial(scene);
    auto const step = PaperStep::of_rank(0, Phase::gathering, Phase::failed);
    // A machine that ends by itself: the successor, it says, is gone.
    protocol::Actions actions;
    step->config.nranks = 3;
    step->config.policies = scene.policies_;
    step->rank = protocol::Rank(step->config);
    step->rank.step(protocol::Event::start(0), actions);
    step->rank.step(protocol::Event::listening(0, protocol::Listener::ring), actions.clear());
    step->rank.step(protocol::Event::connected(0, protocol::kRootLink), actions.clear());
    protocol::Frame challenge;
    challenge.kind = protocol::FrameKind::challenge;
    step->rank.step(protocol::Event::arrived(0, protocol::kRootLink, challenge, {}), actions.clear());
    protocol::Frame table;
    table.kind = protocol::FrameKind::slices;
    table.b = 3;
    table.c = protocol::kEntryBytes;
    step->rank.step(protocol::Event::arrived(0, protocol::kRootLink, table, {}), actions.clear());
    ASSERT_EQ(step->rank.phase(), Phase::connecting_ring);
    step->rank.step(protocol::Event::connect_failed(0, protocol::chord_out(0), protocol::Failure::bad_address),
                    actions.clear());
    ASSERT_EQ(step->rank.error().about, 1U);
    EXPECT_THAT(trial.see(*step).sentence(), HasSubstr("nothing happened to rank 1, and rank 0 ends with"));
}

// --- L4 -------------------------------------------------------------------------------------------------------------

TEST(L4, SeesAMachineThatGoesBack) {
    PaperScene scene(3);
    Trial<MeasureDecreases> trial(scene);
    auto const forward = PaperStep::of_rank(1, Phase::created, Phase::listening);
    protocol::Actions actions;
    forward->rank.step(protocol::Event::start(0), actions);
    EXPECT_EQ(trial.see(*forward).sentence(), "");
    auto const back = PaperStep::of_rank(1, Phase::listening, Phase::created);
    EXPECT_THAT(trial.see(*back).sentence(), HasSubstr("rank 1 has gone back"));
}

TEST(L4, SeesAMachineThatMarksTime) {
    PaperScene scene(3);
    Trial<MeasureDecreases> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::created, Phase::created);
    for (std::uint32_t i = 0; i < MeasureDecreases::most_idle_steps(3, false); ++i)
        trial.see(*step);
    EXPECT_EQ(trial.sentence(), "");
    EXPECT_THAT(trial.see(*step).sentence(), HasSubstr("steps that bring it no nearer"));
}

// --- D4 -------------------------------------------------------------------------------------------------------------

TEST(D4, SeesAMachineThatIsNoFunctionOfItsEvents) {
    PaperScene scene(3);
    Trial<FunctionOfItsEvents> trial(scene);
    auto const step = PaperStep::of_rank(1, Phase::created, Phase::created);
    step->event = protocol::Event::start(0);  // and yet the machine has not moved
    EXPECT_EQ(trial.see(*step).sentence(), "rank 1 was fed start again and is in another state");
}

}  // namespace
}  // namespace ronde::props
