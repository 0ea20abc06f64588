/// The bytes that programs give to their verbs arrive where they belong, whatever the way they take.
#include "worlds.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

using protocol::Code;

std::byte mark_of(RankId rank, std::size_t at) { return static_cast<std::byte>(rank * 7U + at * 13U + 1U); }

/// Gathers slices of `slice_bytes` and looks at each byte of all.
void gather_and_look(Communicator& ring, std::size_t slice_bytes) {
    std::vector<std::byte> whole(slice_bytes * ring.nranks());
    for (std::size_t i = 0; i < slice_bytes; ++i)
        whole[ring.rank() * slice_bytes + i] = mark_of(ring.rank(), i);
    need(ring.all_gather(whole, slice_bytes));
    for (RankId rank = 0; rank < ring.nranks(); ++rank) {
        for (std::size_t i = 0; i < slice_bytes; ++i) {
            if (whole[rank * slice_bytes + i] != mark_of(rank, i))
                throw std::runtime_error("slice of rank " + std::to_string(rank) + ", byte " + std::to_string(i));
        }
    }
}

TEST(Payload, OfAGatherArrivesByEveryAlgorithm) {
    for (protocol::Gather const gather :
         {protocol::Gather::doubling, protocol::Gather::ring, protocol::Gather::ring2}) {
        for (std::uint32_t const nranks : {2U, 3U, 8U, 13U}) {
            WorldPlan plan = world_of(nranks);
            plan.policies.gather = gather;
            auto const outcome = play(plan, [](Communicator& ring) {
                gather_and_look(ring, 1);
                gather_and_look(ring, 0);
                gather_and_look(ring, 333);
                need(ring.barrier());
                need(ring.close());
            });
            EXPECT_TRUE(outcome.all_returned()) << outcome.text();
        }
    }
}

TEST(Payload, IsTheOneThatWasInTheBufferWhenTheVerbWasCalled) {
    auto const outcome = play(world_of(2), [](Communicator& ring) {
        std::vector<std::byte> word(64);
        if (ring.rank() == 0) {
            for (unsigned round = 0; round < 20; ++round) {
                std::fill(word.begin(), word.end(), static_cast<std::byte>(round));
                need(ring.send(1, 5, word));  // returns before it has arrived
                std::fill(word.begin(), word.end(), std::byte{0xff});
            }
        } else {
            sleep_for(std::chrono::milliseconds(50));  // so that most of them wait in the mailbox
            for (unsigned round = 0; round < 20; ++round) {
                need(ring.recv(0, 5, word));
                EXPECT_EQ(word, std::vector<std::byte>(64, static_cast<std::byte>(round))) << "in order";
            }
        }
        need(ring.barrier());
        need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Payload, OfABroadcastIsTheSourcesWhoeverThatIs) {
    auto const outcome = play(world_of(11), [](Communicator& ring) {
        for (RankId source = 0; source < ring.nranks(); ++source) {
            std::vector<std::byte> word(200, static_cast<std::byte>(ring.rank()));
            need(ring.broadcast(word, source));
            EXPECT_EQ(word, std::vector<std::byte>(200, static_cast<std::byte>(source)));
        }
        need(ring.barrier());
        need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Payload, LargerThanTheWindowIsHandedOverInTheEnd) {
    WorldPlan plan = world_of(2);
    plan.network.window_bytes = 10'000;
    auto const outcome = play(plan, [](Communicator& ring) {
        std::vector<std::byte> mine(1'000'000, static_cast<std::byte>(ring.rank() + 1U));
        std::vector<std::byte> theirs(mine.size());
        need(ring.send(1 - ring.rank(), 0, mine));
        need(ring.recv(1 - ring.rank(), 0, theirs));
        EXPECT_EQ(theirs, std::vector<std::byte>(mine.size(), static_cast<std::byte>(2U - ring.rank())));
        need(ring.barrier());
        need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Payload, OfTheWrongSizeEndsTheReceiverWithBothSizes) {
    for (bool const first : {false, true}) {  // asked for before it came, or after
        play(world_of(2), [&](Communicator& ring) {
            std::vector<std::byte> word(ring.rank() == 0 ? 8 : 9);
            if (ring.rank() == (first ? 0U : 1U))
                sleep_for(std::chrono::milliseconds(10));
            if (ring.rank() == 0) {
                need(ring.send(1, 0, word));
                sleep_for(std::chrono::milliseconds(100));
                return;
            }
            auto const heard = ring.recv(0, 0, word);
            ASSERT_FALSE(heard);
            EXPECT_EQ(heard.error().code(), Code::bad_argument) << heard.error().message();
            EXPECT_EQ(heard.error().verdict.error.expected, 8U) << heard.error().message();
            EXPECT_EQ(heard.error().verdict.error.got, 9U);
        });
    }
}

TEST(Payload, SurvivesALossyAndSlowNetwork) {
    WorldPlan plan = world_of(12);
    plan.ranks_per_host = {2};
    plan.network.loss_per_million = 20'000;
    plan.network.same_rack = Distribution::log_normal(50 * kMicrosecondNs, 500);
    plan.network.bytes_per_second = 10'000'000;
    auto const outcome = play(plan, [](Communicator& ring) {
        for (int round = 0; round < 3; ++round)
            gather_and_look(ring, 100);
        need(ring.barrier());
        need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
    EXPECT_GT(outcome.world.storm.packets_lost, 0U);
}

TEST(Payload, TheTableIsThatOfTheWorldsProcesses) {
    WorldPlan plan = world_of(6);
    plan.ranks_per_host = {2};
    auto const outcome = play(plan, [](Communicator& ring) {
        std::span<const Entry> const table = ring.table();
        ASSERT_EQ(table.size(), 6U);
        for (RankId rank = 0; rank < 6; ++rank) {
            EXPECT_EQ(table[rank].rank, rank);
            EXPECT_EQ(table[rank].host_id == table[0].host_id, rank < 2U) << "two ranks share a host";
        }
        need(ring.close());
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

}  // namespace
}  // namespace ronde::sim
