/// What the reductions by parts and by links rest on: a move that touches only a part of its process commutes with
/// everything that can come before it. Looked at in every world of small jobs, one move ahead. What holds one move
/// ahead of every world holds however much comes first.
#include "explore/all_worlds.hpp"
#include "explore/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::explore {
namespace {

using protocol::Gather;
using protocol::Profile;

std::string text_of(AllWorlds const& worlds, World const& world, Move move) {
    std::string const who = worlds.job().name_of(move.node);
    if (move.kind == Move::Kind::start || move.kind == Move::Kind::timer || move.kind == Move::Kind::fault)
        return fmt::format("move {} of {}", static_cast<int>(move.kind), who);
    Connection const& connection = world.connections[move.connection];
    return fmt::format("move {} of {} on the call of {} to {}", static_cast<int>(move.kind), who,
                       worlds.job().name_of(connection.caller), worlds.job().name_of(connection.callee));
}

/// After `other` the local move must still be there, and still be local, and both orders must lead to the same world,
/// byte for byte, without breaking a rule.
std::string flaw_of(AllWorlds& worlds, PartFinder const& finder, World const& world, Move local, Move other) {
    World const after_local = worlds.after(world, local);
    World const after_other = worlds.after(world, other);
    std::vector<Move> const then = worlds.moves_in(after_local);
    bool stays = false;
    for (Move const again : worlds.moves_in(after_other)) {
        if (!worlds.is_same(world, local, after_other, again) || !finder.is_local(after_other, again))
            continue;
        stays = true;
        Bytes const end = bytes_of(worlds.after(after_other, again));
        bool const commutes = std::any_of(then.begin(), then.end(), [&](Move move) {
            return worlds.is_same(world, other, after_local, move) && bytes_of(worlds.after(after_local, move)) == end;
        });
        if (commutes)
            return {};
    }
    return stays ? "does not commute with" : "is not local any more after";
}

struct Compared {
    std::uint64_t worlds = 0;
    std::uint64_t pairs = 0;
};

/// For both: what is local for parts, and what is local for links, which is more.
Compared expect_parts_commute(ExploreSettings const& settings) {
    AllWorlds worlds(settings);
    Compared compared;
    std::set<std::string> flaws;
    worlds.look_at_each([&](World const& world, std::vector<Move> const& moves) {
        ++compared.worlds;
        for (Move const local : moves) {
            for (PartFinder const* const finder : {&worlds.parts(), &worlds.links()}) {
                if (!finder->is_local(world, local))
                    continue;
                for (Move const other : moves) {
                    if (other == local)
                        continue;
                    ++compared.pairs;
                    std::string const flaw = flaw_of(worlds, *finder, world, local, other);
                    if (!flaw.empty())
                        flaws.insert(fmt::format("\n  {} {} {}", text_of(worlds, world, local), flaw,
                                                 text_of(worlds, world, other)));
                }
            }
        }
    });
    std::string all;
    for (std::string const& flaw : flaws)
        all += flaw;
    EXPECT_EQ(all, "");
    EXPECT_EQ(worlds.broken(), 0U) << "moves that break a rule";
    return compared;
}

TEST(Parts, CommuteInEveryHealthyWorldOfEveryGather) {
    for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2}) {
        for (std::uint32_t const nranks : {2U, 3U}) {
            ExploreSettings settings = job_of(nranks);
            settings.policies.gather = gather;
            EXPECT_GT(expect_parts_commute(settings).pairs, nranks == 2 ? 100U : 3'000U);
        }
    }
    EXPECT_GT(expect_parts_commute(job_of(4)).pairs, 50'000U);
}

TEST(Parts, CommuteInEveryHealthyWorldOfTheOldProfiles) {
    for (Profile const profile : {Profile::article, Profile::nccl}) {
        EXPECT_GT(expect_parts_commute(job_of(2, profile)).pairs, 10U);
        EXPECT_GT(expect_parts_commute(job_of(3, profile)).pairs, 100U);
        EXPECT_GT(expect_parts_commute(job_of(4, profile)).pairs, 1'000U);
    }
}

TEST(Parts, CommuteInEveryHealthyWorldOfTwoRoots) {
    ExploreSettings settings = job_of(3);
    settings.nroots = 2;
    EXPECT_GT(expect_parts_commute(settings).pairs, 100'000U);
}

TEST(Parts, CommuteWithAnyOneFaultAmongTwoAndThreeRanks) {
    for (std::uint32_t const nranks : {2U, 3U}) {
        ExploreSettings const job = job_of(nranks);
        for (Fault const& fault : possible_faults(job)) {
            if (nranks == 3 && fault.kind == FaultKind::timeout)
                continue;  // nothing is local before it, and there are very many worlds behind it
            SCOPED_TRACE(text_of(fault, job));
            ExploreSettings settings = job;
            settings.given = {fault};
            EXPECT_GT(expect_parts_commute(settings).pairs, 50U);
        }
    }
}

TEST(Parts, CommuteWithTwoFaultsAtOnePlace) {
    for (std::initializer_list<std::string_view> const faults :
         {std::initializer_list<std::string_view>{"stranger:0=claim", "stranger:0=nothing"},
          {"stranger:0=claim", "stranger:0=claim"},
          {"stranger:root0=garbage", "stranger:root0=garbage"},
          {"stranger:root0=claim", "stranger:root0=nothing"},
          {"drop:1", "stranger:0=claim"},
          {"drop:1", "drop:1"},
          {"crash:0", "stranger:root0=claim"},
          {"crash-reset:0", "drop:1"},
          {"reset:0@root", "stranger:root0=nothing"},
          {"reset:0@root", "drop:0"}}) {
        SCOPED_TRACE(fmt::format("{}", fmt::join(faults, ", ")));
        EXPECT_GT(expect_parts_commute(given(job_of(2), faults)).pairs, 50U);
    }
}

TEST(Parts, CommuteWhenSomebodyDiesInTheOldProfiles) {
    for (std::string_view const fault : {"crash:0", "crash-reset:1", "crash:root0"})
        EXPECT_GT(expect_parts_commute(given(job_of(3, Profile::nccl), {fault})).worlds, 1'000U);
}

TEST(Parts, AJobWithAFlawIsNotCalm) {
    // Who fails closes everything, so nothing at a rank is local there.
    for (auto const flaw : {0, 1, 2}) {
        ExploreSettings settings = job_of(2);
        if (flaw == 0)
            settings.twin = 0;
        else if (flaw == 1)
            settings.same_device = {0, 1};
        else
            settings.told = {1, 3};
        EXPECT_GT(expect_parts_commute(settings).pairs, 10U);
    }
}

}  // namespace
}  // namespace ronde::explore
