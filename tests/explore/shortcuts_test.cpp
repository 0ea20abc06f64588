/// Fingerprints, persistent sets and the two orders of search must not change what is found.
#include "explore/plans.hpp"

namespace ronde::explore {
namespace {

using protocol::Gather;
using protocol::Profile;

/// The same ends, with and without the reductions.
void expect_same_outcomes(ExploreSettings settings) {
    settings.reduction = Reduction::none;
    Exploration const full = expect_all_holds(settings);
    EXPECT_EQ(full.counts.reduced, 0U);
    for (Reduction const reduction : {Reduction::processes, Reduction::parts, Reduction::links}) {
        settings.reduction = reduction;
        Exploration const reduced = expect_all_holds(settings);
        EXPECT_EQ(reduced.outcomes, full.outcomes) << name_of(reduction);
        EXPECT_GT(reduced.counts.reduced, 0U) << name_of(reduction);
    }
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsWithoutFaults) {
    for (std::uint32_t const nranks : {2U, 3U, 4U})
        expect_same_outcomes(job_of(nranks));
    for (Profile const profile : {Profile::article, Profile::nccl})
        expect_same_outcomes(job_of(3, profile));
    for (Gather const gather : {Gather::doubling, Gather::ring, Gather::ring2}) {
        ExploreSettings other = job_of(3);
        other.policies.gather = gather;
        expect_same_outcomes(other);
    }
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsWithAnyOneFault) {
    expect_same_outcomes(with_faults(job_of(2), 1, kAllKinds));
    expect_same_outcomes(with_faults(job_of(3), 1, kAllKinds & ~bit(FaultKind::timeout)));
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsWithTwoFaults) {
    expect_same_outcomes(with_faults(job_of(2), 2, kAllKinds & ~bit(FaultKind::timeout)));
}

/// Every world in which nothing happens any more is an end of the reduced search, too.
TEST(Shortcuts, ReducedSearchesComeToEveryRestOfAnyTwoFaults) {
    ExploreSettings settings = job_of(2);
    std::vector<Fault> const faults = possible_faults(settings);
    for (std::size_t i = 0; i < faults.size(); ++i) {
        for (std::size_t k = i; k < faults.size(); ++k) {
            settings.given = {faults[i], faults[k]};
            SCOPED_TRACE(text_of(faults[i], settings) + "," + text_of(faults[k], settings));
            settings.reduction = Reduction::none;
            Exploration const full = expect_all_holds(settings);
            for (Reduction const reduction : {Reduction::processes, Reduction::parts}) {
                settings.reduction = reduction;
                Exploration const reduced = expect_all_holds(settings);
                EXPECT_EQ(reduced.counts.rests, full.counts.rests) << name_of(reduction);
                EXPECT_EQ(reduced.outcomes, full.outcomes) << name_of(reduction);
            }
        }
    }
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsWithASecondProcess) {
    ExploreSettings settings = job_of(2);
    settings.twin = 0;
    expect_same_outcomes(settings);
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsInJobsWithAFlaw) {
    ExploreSettings told = job_of(3);
    told.told = {1, 2};
    expect_same_outcomes(told);
    ExploreSettings late = job_of(3);
    late.policies.gather = Gather::doubling;
    late.twin = 1;
    late.twin_late = true;
    expect_same_outcomes(late);
}

TEST(Shortcuts, ReducedAndFullSearchComeToTheSameEndsWithBuffersThatHoldNothing) {
    // Two ranks that write before they read hang; with three, of which one reads first, this would be worth a search.
    for (std::string_view const fault : {"crash:0", "reset:0@chord0", "drop:1"}) {
        ExploreSettings settings = given(job_of(2), {fault});
        settings.policies.gather = Gather::ring;
        settings.policies.turns = protocol::Turns::send_then_receive;
        settings.narrow = true;
        settings.reduction = Reduction::processes;
        Exploration const reduced = explore(settings);
        settings.reduction = Reduction::none;
        Exploration const full = explore(settings);
        EXPECT_EQ(reduced.answer, full.answer) << fault;
        EXPECT_EQ(reduced.found ? reduced.found->broken.why : "", full.found ? full.found->broken.why : "") << fault;
        EXPECT_EQ(reduced.story, full.story) << fault;
    }
}

TEST(Shortcuts, EachReductionSavesStates) {
    ExploreSettings settings = job_of(4);
    settings.reduction = Reduction::none;
    Exploration const full = expect_all_holds(settings);
    settings.reduction = Reduction::processes;
    Exploration const processes = expect_all_holds(settings);
    settings.reduction = Reduction::parts;
    Exploration const parts = expect_all_holds(settings);
    EXPECT_LT(processes.counts.states, full.counts.states);
    EXPECT_LT(processes.counts.transitions, full.counts.transitions);
    settings.reduction = Reduction::links;
    Exploration const links = expect_all_holds(settings);
    EXPECT_LT(parts.counts.states, processes.counts.states / 2);
    EXPECT_LT(links.counts.states, parts.counts.states / 10);
}

TEST(Shortcuts, SmallJobsDoWithoutParts) {
    EXPECT_EQ(explore(job_of(4)).settings.reduction, Reduction::processes);
    EXPECT_EQ(explore(job_of(5)).settings.reduction, Reduction::parts);
}

TEST(Shortcuts, FingerprintsMistakeNothingHere) {
    ExploreSettings settings = with_faults(job_of(3), 1, bit(FaultKind::crash));
    Exploration const fingerprints = expect_all_holds(settings);
    settings.exact = true;
    Exploration const exact = expect_all_holds(settings);
    EXPECT_EQ(fingerprints.counts.states, exact.counts.states);
    EXPECT_EQ(fingerprints.counts.transitions, exact.counts.transitions);
    EXPECT_EQ(fingerprints.outcomes, exact.outcomes);
    EXPECT_GT(fingerprints.counts.mistaken_2_65, 0);
    EXPECT_EQ(exact.counts.mistaken_2_65, 0);
}

TEST(Shortcuts, BothOrdersVisitTheSameStates) {
    ExploreSettings settings = with_faults(job_of(2), 1, kAllKinds);
    settings.sleep = Sleep::never;
    Exploration const broad = expect_all_holds(settings);
    settings.order = Order::depth_first;
    Exploration const deep = expect_all_holds(settings);
    EXPECT_EQ(broad.counts.states, deep.counts.states);
    EXPECT_EQ(broad.counts.transitions, deep.counts.transitions);
    EXPECT_EQ(broad.outcomes, deep.outcomes);
}

/// Whether no process returns to a state, and whether the worlds go in circles.
std::pair<bool, Search::Circles> returns_of(ExploreSettings const& settings) {
    Job const job(settings);
    MachineRoom room(job);
    FaultPlan const plan{settings.given, static_cast<std::uint32_t>(settings.given.size()), true};
    ExploreSettings reduced = settings;
    reduced.reduction = Reduction::processes;
    Search search(room, plan, reduced, [](SearchCounts const&) { return true; });
    std::atomic<std::uint64_t> const depth = reduced.limit_depth;
    EXPECT_EQ(search.breadth_first(depth), Answer::holds);
    return {room.never_returns(), search.circles()};
}

TEST(Shortcuts, WhereNoProcessReturnsToAStateThereIsNoCircleOfWorlds) {
    EXPECT_EQ(returns_of(job_of(3)), std::pair(true, Search::Circles::none));
    EXPECT_EQ(returns_of(job_of(3, Profile::nccl)), std::pair(true, Search::Circles::none));
    EXPECT_EQ(returns_of(given(job_of(3), {"stranger:0=claim"})), std::pair(true, Search::Circles::none));
    // A rank that is left by its successor calls again, and is where it was; the worlds are not.
    EXPECT_EQ(returns_of(given(job_of(3), {"crash:1"})), std::pair(false, Search::Circles::none));
}

TEST(Shortcuts, TheSameSearchTwiceCountsTheSame) {
    ExploreSettings const settings = with_faults(job_of(3), 1, bit(FaultKind::reset));
    Exploration const first = explore(settings);
    Exploration const second = explore(settings);
    EXPECT_EQ(first.counts.states, second.counts.states);
    EXPECT_EQ(first.counts.transitions, second.counts.transitions);
    EXPECT_EQ(first.counts.machine_steps, second.counts.machine_steps);
    EXPECT_EQ(first.outcomes, second.outcomes);
}

TEST(Shortcuts, ALimitIsAnAnswerOfItsOwn) {
    ExploreSettings settings = job_of(4);
    settings.limit_states = 100;
    Exploration const exploration = explore(settings);
    EXPECT_EQ(exploration.answer, Answer::gave_up);
    EXPECT_EQ(exploration.gave_up_why, "more than 100 states");
}

}  // namespace
}  // namespace ronde::explore
