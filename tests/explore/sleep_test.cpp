/// What sleep sets rest on: a move sleeps only behind moves that it commutes with, and keeps its name meanwhile. Looked
/// at in every world of small jobs, for every pair of moves. And what comes of it: the same ends, and the same worlds
/// where nothing but sleep leaves moves out.
#include "explore/sleep.hpp"

#include "explore/all_worlds.hpp"
#include "explore/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::explore {
namespace {

using protocol::Gather;
using protocol::Profile;

/// The moves of a world, each with its name.
class Named {
public:
    Named(AllWorlds& worlds, MoveNames& names, World const& world) : world_(world), moves_(worlds.moves_in(world)) {
        for (Connection const& connection : world.all()) {
            prospects_.push_back(prospect_of(worlds.room(), connection));
            prospects_.back().names = names.names_at(connection);
        }
        for (Prospect const& prospect : prospects_)
            pointers_.push_back(&prospect);
        shared_ = names.shared(world, pointers_, moves_, {});
        for (Move const move : moves_) {
            names_.push_back(names.name_of(world, pointers_, move) & ~shared_);
            woken_.push_back(names.woken_by(world, move));
        }
    }
    [[nodiscard]] World const& world() const { return world_; }
    [[nodiscard]] std::vector<Move> const& moves() const { return moves_; }
    [[nodiscard]] SleepSet name(std::size_t move) const { return names_[move]; }
    [[nodiscard]] SleepSet woken_by(std::size_t move) const { return woken_[move]; }
    [[nodiscard]] SleepSet shared() const { return shared_; }

private:
    World const& world_;
    std::vector<Move> moves_;
    std::vector<Prospect> prospects_;
    std::vector<Prospect const*> pointers_;
    std::vector<SleepSet> names_;
    std::vector<SleepSet> woken_;
    SleepSet shared_ = 0;
};

/// `sleeper` was made before `move`, and sleeps behind it: there it must still be possible, under the same name, and
/// lead to where both lead in the other order.
std::string flaw_of(AllWorlds& worlds, MoveNames& names, Named const& here, std::size_t sleeper, std::size_t move) {
    World const there = worlds.after(here.world(), here.moves()[move]);
    Named const then(worlds, names, there);
    if ((then.shared() & here.name(sleeper)) != 0)
        return {};  // nobody sleeps under it there
    World const other = worlds.after(here.world(), here.moves()[sleeper]);
    std::vector<Move> const others = worlds.moves_in(other);
    for (std::size_t again = 0; again < then.moves().size(); ++again) {
        if (then.name(again) != here.name(sleeper))
            continue;
        if (!worlds.is_same(here.world(), here.moves()[sleeper], there, then.moves()[again]))
            return "is another move behind";
        Bytes const end = bytes_of(worlds.after(there, then.moves()[again]));
        bool const commutes = std::any_of(others.begin(), others.end(), [&](Move second) {
            return worlds.is_same(here.world(), here.moves()[move], other, second) &&
                   bytes_of(worlds.after(other, second)) == end;
        });
        return commutes ? "" : "does not commute with";
    }
    return "is not possible any more behind";
}

/// How many pairs there are of which the first sleeps behind the second.
std::uint64_t expect_sleepers_commute(ExploreSettings const& settings) {
    AllWorlds worlds(settings);
    FaultPlan const plan = plan_of(settings);
    MoveNames names(worlds.room(), plan);
    std::uint64_t pairs = 0;
    std::set<std::string> flaws;
    worlds.look_at_each([&](World const& world, std::vector<Move> const&) {
        Named const here(worlds, names, world);
        for (std::size_t sleeper = 0; sleeper < here.moves().size(); ++sleeper) {
            for (std::size_t move = 0; move < here.moves().size(); ++move) {
                if (move == sleeper || (here.name(sleeper) & ~here.woken_by(move)) == 0)
                    continue;
                ++pairs;
                std::string const flaw = flaw_of(worlds, names, here, sleeper, move);
                Move const a = here.moves()[sleeper];
                Move const b = here.moves()[move];
                if (!flaw.empty())
                    flaws.insert(fmt::format("\n  move {} of {} {} move {} of {}", static_cast<int>(a.kind),
                                             worlds.job().name_of(a.node), flaw, static_cast<int>(b.kind),
                                             worlds.job().name_of(b.node)));
            }
        }
    });
    std::string all;
    for (std::string const& flaw : flaws)
        all += flaw;
    EXPECT_EQ(all, "");
    return pairs;
}

ExploreSettings gathering(std::uint32_t nranks, Gather gather) {
    ExploreSettings settings = job_of(nranks);
    settings.policies.gather = gather;
    return settings;
}

TEST(Sleep, SleepersCommuteInEveryHealthyWorld) {
    for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2})
        EXPECT_GT(expect_sleepers_commute(gathering(3, gather)), 1'000U);
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        EXPECT_GT(expect_sleepers_commute(job_of(3, profile)), 100U);
        EXPECT_GT(expect_sleepers_commute(job_of(4, profile)), 1'000U);
    }
}

TEST(Sleep, SleepersCommuteWithAnyOneFault) {
    for (Profile const profile : {Profile::ronde, Profile::nccl, Profile::article}) {
        ExploreSettings const job = job_of(2, profile);
        for (Fault const& fault : possible_faults(job)) {
            if (profile != Profile::ronde && fault.kind == FaultKind::timeout)
                continue;  // very many worlds
            SCOPED_TRACE(text_of(fault, job));
            ExploreSettings settings = job;
            settings.given = {fault};
            EXPECT_GT(expect_sleepers_commute(settings), 10U);
        }
    }
    for (std::string_view const fault : {"crash-reset:1", "reset:0@chord0", "stranger:0=claim"}) {
        SCOPED_TRACE(fault);
        EXPECT_GT(expect_sleepers_commute(given(job_of(3, Profile::nccl), {fault})), 1'000U);
    }
    EXPECT_GT(expect_sleepers_commute(given(job_of(3), {"crash:root0"})), 10'000U);
}

TEST(Sleep, SleepersCommuteWithTwoFaults) {
    for (std::initializer_list<std::string_view> const faults :
         {std::initializer_list<std::string_view>{"crash:0", "crash:1"},
          {"crash:0", "crash-reset:root0"},
          {"crash:root0", "stranger:0=claim"},
          {"haste:0", "haste:1"},
          {"crash:0", "haste:1"},
          {"stranger:root0=claim", "stranger:root0=garbage"},
          {"stranger:0=claim", "stranger:0=claim"},
          {"drop:0", "crash:1"},
          {"drop:1", "drop:1"},
          {"reset:0@chord0", "reset:1@root"}}) {
        SCOPED_TRACE(fmt::format("{}", fmt::join(faults, ", ")));
        EXPECT_GT(expect_sleepers_commute(given(job_of(2), faults)), 100U);
    }
}

TEST(Sleep, SleepersCommuteInJobsWithAFlaw) {
    ExploreSettings late = job_of(3);
    late.twin = 1;
    late.twin_late = true;
    ExploreSettings twin = job_of(2);
    twin.twin = 0;
    ExploreSettings told = job_of(2);
    told.told = {1, 3};
    ExploreSettings device = job_of(3);
    device.same_device = {0, 2};
    ExploreSettings roots = job_of(2);
    roots.nroots = 2;
    for (ExploreSettings const& settings : {late, twin, told, device, roots})
        EXPECT_GT(expect_sleepers_commute(settings), 50U);
    for (protocol::Turns const turns : {protocol::Turns::send_then_receive, protocol::Turns::lock_step}) {
        ExploreSettings narrow = job_of(3, Profile::article);
        narrow.policies.turns = turns;
        narrow.narrow = true;
        EXPECT_GT(expect_sleepers_commute(narrow), 100U);
    }
}

// --- what comes of it -------------------------------------------------------------------------------------------

struct Compared {
    Exploration awake;
    Exploration asleep;
};

/// The same ends, as many of them, and the same answer.
Compared compare(ExploreSettings settings) {
    Compared compared;
    settings.sleep = Sleep::never;
    compared.awake = explore(settings);
    settings.sleep = Sleep::always;
    compared.asleep = explore(settings);
    EXPECT_EQ(compared.asleep.answer, compared.awake.answer);
    EXPECT_EQ(compared.asleep.outcomes, compared.awake.outcomes);
    if (compared.awake.answer == Answer::holds) {
        EXPECT_EQ(compared.asleep.counts.rests, compared.awake.counts.rests);
        EXPECT_EQ(compared.asleep.counts.depth, compared.awake.counts.depth);
        EXPECT_LE(compared.asleep.counts.transitions, compared.awake.counts.transitions);
    }
    return compared;
}

/// Each world is visited on one of its shortest ways, so nothing is lost where only sleep leaves moves out.
Compared expect_no_world_is_lost(ExploreSettings settings) {
    settings.reduction = Reduction::none;
    Compared const full = compare(settings);
    EXPECT_EQ(full.asleep.counts.states, full.awake.counts.states);
    EXPECT_LT(full.asleep.counts.transitions, full.awake.counts.transitions);
    return full;
}

/// Where moves were left out before, a world may be one that lies between two orders neither of which is needed. But
/// every world at rest is there.
void expect_nothing_is_lost(ExploreSettings settings) {
    Compared const full = expect_no_world_is_lost(settings);
    for (Reduction const reduction : {Reduction::processes, Reduction::parts, Reduction::links}) {
        SCOPED_TRACE(name_of(reduction));
        settings.reduction = reduction;
        Compared const reduced = compare(settings);
        EXPECT_LE(reduced.asleep.counts.states, reduced.awake.counts.states);
        EXPECT_EQ(reduced.asleep.outcomes, full.awake.outcomes);
        if (reduction != Reduction::links) {
            EXPECT_EQ(reduced.asleep.counts.rests, full.awake.counts.rests);
        }
    }
}

TEST(Sleep, LosesNothingWithoutFaults) {
    for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2})
        expect_nothing_is_lost(gathering(3, gather));
    expect_nothing_is_lost(job_of(4));
    for (Profile const profile : {Profile::article, Profile::nccl})
        expect_nothing_is_lost(job_of(4, profile));
}

TEST(Sleep, LosesNothingWithAnyOneFault) {
    for (std::uint32_t const nranks : {2U, 3U}) {
        ExploreSettings const job = job_of(nranks);
        for (Fault const& fault : possible_faults(job)) {
            SCOPED_TRACE(text_of(fault, job));
            ExploreSettings settings = job;
            settings.given = {fault};
            expect_nothing_is_lost(settings);
        }
    }
    for (Gather const gather : {Gather::doubling, Gather::ring, Gather::ring2}) {
        for (std::string_view const fault : {"crash:1", "reset:0@chord0", "reset:1@root"})
            expect_nothing_is_lost(given(gathering(3, gather), {fault}));
    }
}

TEST(Sleep, LosesNothingWithTwoFaults) {
    for (std::initializer_list<std::string_view> const faults :
         {std::initializer_list<std::string_view>{"crash:0", "haste:1"},
          {"crash:0", "reset:0@root"},
          {"crash:0", "timeout:1"},
          {"reset:0@root", "stranger:root0=claim"},
          {"drop:0", "drop:0"},
          {"crash-reset:0", "reset:1@root"},
          {"haste:root0", "haste:root0"}})
        expect_nothing_is_lost(given(job_of(2), faults));
}

TEST(Sleep, IsNotForTheSearchThatOthersAreComparedWith) {
    auto const transitions = [](Reduction reduction, Sleep sleep) {
        ExploreSettings settings = given(job_of(2), {"crash:0"});
        settings.reduction = reduction;
        settings.sleep = sleep;
        return explore(settings).counts.transitions;
    };
    for (Reduction const reduction : {Reduction::none, Reduction::processes}) {
        Sleep const as = reduction == Reduction::none ? Sleep::never : Sleep::always;
        EXPECT_EQ(transitions(reduction, Sleep::with_reduction), transitions(reduction, as));
        EXPECT_LT(transitions(reduction, Sleep::always), transitions(reduction, Sleep::never));
    }
}

TEST(Sleep, LosesNothingInJobsWithAFlaw) {
    ExploreSettings twin = job_of(2);
    twin.twin = 0;
    expect_nothing_is_lost(twin);
    ExploreSettings late = gathering(3, Gather::doubling);
    late.twin = 1;
    late.twin_late = true;
    expect_nothing_is_lost(late);
    ExploreSettings told = job_of(3);
    told.told = {1, 2};
    expect_nothing_is_lost(told);
    ExploreSettings roots = job_of(3);
    roots.nroots = 2;
    roots.reduction = Reduction::processes;
    EXPECT_LE(compare(roots).asleep.counts.states, compare(roots).awake.counts.states);
}

TEST(Sleep, FindsTheSameThatIsBroken) {
    for (std::string_view const fault : {"crash:1", "stranger:root0=nothing", "reset:0@chord0"}) {
        SCOPED_TRACE(fault);
        Compared const compared = compare(given(job_of(3, Profile::nccl), {fault}));
        ASSERT_TRUE(compared.awake.found && compared.asleep.found);
        EXPECT_EQ(compared.asleep.found->broken.property, compared.awake.found->broken.property);
        EXPECT_EQ(compared.asleep.story.size(), compared.awake.story.size());
    }
}

}  // namespace
}  // namespace ronde::explore
