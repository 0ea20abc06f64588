/// Worlds as they are remembered: a move changes a fingerprint and a packed world by what it changed, and that comes to
/// the same as looking at the whole world.
#include "explore/pack.hpp"

#include "explore/all_worlds.hpp"
#include "explore/plans.hpp"

#include <map>

namespace ronde::explore {
namespace {

using protocol::Profile;
using Words = std::vector<std::uint32_t>;

Words packed_of(Packer& packer, World const& world) {
    Words words(packer.most_words());
    words.resize(packer.pack(world, words.data()));
    return words;
}

/// Every move of every world, made in place and undone.
std::uint64_t expect_neighbours_are_worlds(ExploreSettings const& settings) {
    AllWorlds worlds(settings);
    Packer packer(worlds.room());
    FaultPlan const plan = plan_of(settings);
    std::map<std::uint64_t, Words> by_fingerprint;
    std::uint64_t moves_made = 0;
    worlds.look_at_each([&](World const& world, std::vector<Move> const& moves) {
        Words const from = packed_of(packer, world);
        std::uint64_t const fingerprint = fingerprint_of(worlds.job(), world);
        auto const [place, fresh] = by_fingerprint.emplace(fingerprint, from);
        ASSERT_TRUE(fresh) << "two worlds have one fingerprint";
        World here;
        packer.unpack(from.data(), here);
        ASSERT_EQ(bytes_of(here), bytes_of(world));
        for (Move const move : moves) {
            ++moves_made;
            Change change;
            ASSERT_FALSE(change_world(worlds.room(), plan.list, here, move, change));
            Differences differences;
            Neighbour const neighbour = packer.compare(from.data(), fingerprint, here, change, differences);
            packer.undo(from.data(), change, here);
            ASSERT_EQ(bytes_of(here), bytes_of(world)) << "what was undone";

            World const there = worlds.after(world, move);
            ASSERT_EQ(neighbour.fingerprint, fingerprint_of(worlds.job(), there));
            Words words(packer.most_words());
            words.resize(packer.pack(from.data(), neighbour, differences, words.data()));
            ASSERT_EQ(words, packed_of(packer, there));
        }
    });
    return moves_made;
}

TEST(Pack, NeighboursOfHealthyWorldsAreWhatTheirMovesMakeOfThem) {
    EXPECT_GT(expect_neighbours_are_worlds(job_of(3)), 1'000U);
    for (Profile const profile : {Profile::article, Profile::nccl})
        EXPECT_GT(expect_neighbours_are_worlds(job_of(3, profile)), 100U);
    ExploreSettings rings = job_of(3);
    rings.policies.gather = protocol::Gather::ring2;
    EXPECT_GT(expect_neighbours_are_worlds(rings), 1'000U);
    ExploreSettings narrow = job_of(2, Profile::article);
    narrow.policies.turns = protocol::Turns::lock_step;
    narrow.narrow = true;
    EXPECT_GT(expect_neighbours_are_worlds(narrow), 10U);
}

TEST(Pack, NeighboursAcrossAnyFaultAreWhatTheirMovesMakeOfThem) {
    ExploreSettings const job = job_of(2);
    for (Fault const& fault : possible_faults(job)) {
        SCOPED_TRACE(text_of(fault, job));
        ExploreSettings settings = job;
        settings.given = {fault};
        EXPECT_GT(expect_neighbours_are_worlds(settings), 100U);
    }
}

TEST(Pack, WhatMayHappenNextIsTheSameForAConnectionThatIsRemembered) {
    AllWorlds worlds(given(job_of(2), {"crash:1", "stranger:0=garbage"}));
    Packer packer(worlds.room());
    MoveFinder finder(worlds.room(), plan_of(worlds.job().settings), Reduction::parts);
    std::uint64_t steps = 0;
    worlds.look_at_each([&](World const& world, std::vector<Move> const&) {
        Words const words = packed_of(packer, world);
        World again;
        auto const prospects = packer.unpack(words.data(), again);
        Moves known;
        Moves looked_up;
        finder.find(again, prospects, known);
        finder.find(world, looked_up);
        EXPECT_EQ(known.steps, looked_up.steps);
        EXPECT_EQ(known.faults, looked_up.faults);
        EXPECT_EQ(known.possible, looked_up.possible);
        steps += known.steps.size();
    });
    EXPECT_GT(steps, 1'000U);
}

TEST(Pack, TablesGrowWithoutLosingAnything) {
    constexpr std::uint32_t kCount = 300'000;
    FingerprintIndex index;
    KeyIndex keys;
    Column<std::uint32_t> column;
    auto const is_it = [](std::uint32_t) { return true; };
    // Few buckets, many of them full: half of the fingerprints differ only in bits that choose no bucket.
    auto const fingerprint = [](std::uint64_t i) { return i % 2 == 0 ? i << 40U | (i & 0xffU) : scramble(i); };
    for (std::uint32_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(index.find_or_add(scramble(fingerprint(i)), i, is_it), i);
        ASSERT_EQ(keys.find_or_add(i / 2U, i % 2U, i), i);
        column.push_back(i);
    }
    for (std::uint32_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(index.find_or_add(scramble(fingerprint(i)), kCount, is_it), i);
        ASSERT_EQ(keys.find_or_add(i / 2U, i % 2U, kCount), i);
        ASSERT_EQ(column[i], i);
    }
    EXPECT_EQ(index.size(), kCount);
    EXPECT_EQ(column.size(), kCount);
}

TEST(Pack, BucketsThatAreFullGoOnInTheNextOnes) {
    FingerprintIndex index;
    auto const is_it = [](std::uint32_t) { return true; };
    for (std::uint32_t i = 0; i < 40; ++i)  // all want the last bucket, however large the table is
        ASSERT_EQ(index.find_or_add(std::uint64_t{i} << 32U | 0xffff'ffffU, i, is_it), i);
    for (std::uint32_t i = 0; i < 2'000; ++i)
        index.find_or_add(scramble(i), 40U + i, is_it);
    for (std::uint32_t i = 0; i < 40; ++i)
        ASSERT_EQ(index.find_or_add(std::uint64_t{i} << 32U | 0xffff'ffffU, 0, is_it), i);
}

TEST(Pack, AWordLogIsReadInTheOrderInWhichItWasWrittenWhateverItsPiecesAre) {
    WordLog::Pool pool;
    for (std::uint32_t round = 0; round < 3; ++round) {
        WordLog log(pool);
        constexpr std::uint32_t kRuns = 20'000;
        for (std::uint32_t run = 0; run < kRuns; ++run) {
            std::uint32_t const size = 1U + run % 7U;
            std::uint32_t* const words = log.room(10);
            std::fill_n(words, size, run + round);
            log.keep(size);
        }
        WordLog::Reader reader(log);
        std::uint32_t run = 0;
        for (; std::uint32_t const* const words = reader.next(); ++run) {
            std::uint32_t const size = 1U + run % 7U;
            ASSERT_EQ(words[0], run + round);
            ASSERT_EQ(words[size - 1U], run + round);
            reader.skip(size);
            if (run % 16U == 0)
                reader.release();
        }
        EXPECT_EQ(run, kRuns);
        reader.release();
    }
    EXPECT_FALSE(pool.empty());
}

}  // namespace
}  // namespace ronde::explore
