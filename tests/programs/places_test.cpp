/// One program, three places: threads with a loop each, fibers over one loop, fibers in a pretended world.
#include "tour.hpp"
#include "worlds.hpp"

#include <thread>
#include <vector>

namespace ronde {
namespace {

using Job = std::vector<Souvenirs>;  ///< by rank

Job on_threads(std::uint32_t nranks) {
    IdOptions wanted;
    wanted.loopback = true;
    auto host = UniqueId::create(wanted);
    EXPECT_TRUE(host) << host.error();
    Job job(nranks);
    std::vector<std::thread> threads;
    for (RankId rank = 0; rank < nranks; ++rank) {
        threads.emplace_back([&, rank] {
            CommunicatorOptions options;
            options.root = rank == 0 ? &*host : nullptr;
            auto ring = Communicator::connect(host->id(), rank, nranks, options);
            ASSERT_TRUE(ring) << ring.error().message();
            job[rank] = take_the_tour(*ring);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    return job;
}

Job as_fibers(std::uint32_t nranks) {
    Job job(nranks);
    InProcessOptions options;
    options.nranks = nranks;
    auto const ends = run_in_process([&](Communicator& ring) { job[ring.rank()] = take_the_tour(ring); }, options);
    EXPECT_TRUE(ends) << ends.error();
    EXPECT_TRUE(ends->all_returned()) << ends->text();
    EXPECT_EQ(ends->returned, nranks);
    return job;
}

Job in_a_world(std::uint32_t nranks) {
    Job job(nranks);
    auto const outcome =
        sim::play(sim::world_of(nranks), [&](Communicator& ring) { job[ring.rank()] = take_the_tour(ring); });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
    EXPECT_TRUE(outcome.world.all_ready());
    return job;
}

class AJobOf : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AJobOf, RanksHasTheSameResultsInEveryPlace) {
    std::uint32_t const nranks = GetParam();
    Job const threads = on_threads(nranks);
    EXPECT_EQ(threads, as_fibers(nranks));
    EXPECT_EQ(threads, in_a_world(nranks));

    // And they are what the program says that they are.
    for (RankId rank = 0; rank < nranks; ++rank) {
        Souvenirs const& mine = threads[rank];
        ASSERT_EQ(mine.ranks.size(), nranks);
        for (RankId other = 0; other < nranks; ++other) {
            EXPECT_EQ(mine.ranks[other], other);
            EXPECT_EQ(mine.gathered[other * 24U + 2U], static_cast<std::byte>(other + 2U * nranks));
        }
        EXPECT_EQ(mine.word, std::vector<std::byte>(1000, static_cast<std::byte>(nranks)));
        EXPECT_EQ(mine.from_predecessor.front(), static_cast<std::byte>((rank + nranks - 1U) % nranks + 50U));
        EXPECT_EQ(mine.from_predecessor.back(), static_cast<std::byte>((rank + nranks - 1U) % nranks + 100U));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AJobOf, testing::Values(2U, 3U, 7U, 16U));

TEST(AWorld, OfOneRankIsAJobToo) {
    auto const outcome = sim::play(sim::world_of(1), [](Communicator& ring) {
        std::vector<std::byte> whole(8, std::byte{5});
        sim::need(ring.all_gather(whole, 8));
        sim::need(ring.broadcast(whole, 0));
        sim::need(ring.barrier());
        EXPECT_EQ(ring.table().size(), 1U);
        EXPECT_EQ(ring.table()[0].rank, 0U);
        sim::need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(AWorld, RunsTheToursOfEveryProfile) {
    for (protocol::Profile const profile :
         {protocol::Profile::article, protocol::Profile::nccl, protocol::Profile::ronde}) {
        sim::WorldPlan plan = sim::world_of(9);
        plan.policies = protocol::policies_of(profile);
        plan.nroots = profile == protocol::Profile::article ? 1 : 2;
        auto const outcome = sim::play(plan, [&](Communicator& ring) {
            Souvenirs const souvenirs = take_the_tour(ring);
            EXPECT_EQ(souvenirs.gathered[8 * 24], std::byte{8});
        });
        EXPECT_TRUE(outcome.all_returned()) << outcome.text();
    }
}

}  // namespace
}  // namespace ronde
