/// The public interface, one thread per rank.
#include <ronde/communicator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace ronde {
namespace {

using protocol::Code;

struct World {
    explicit World(std::uint32_t count, std::uint32_t roots = 1) : nranks(count), host(create(roots)) {}

    static RootHost create(std::uint32_t roots) {
        IdOptions options;
        options.loopback = true;
        options.roots = roots;
        auto created = UniqueId::create(options);
        EXPECT_TRUE(created) << created.error();
        return std::move(*created);
    }

    /// Runs `program` once for each rank but the absent ones, in threads, and waits for all.
    template <class Program>
    void run(Program const& program, std::vector<RankId> const& absent = {}) {
        std::vector<std::thread> threads;
        for (RankId rank = 0; rank < nranks; ++rank) {
            if (std::find(absent.begin(), absent.end(), rank) != absent.end())
                continue;
            threads.emplace_back([&, rank] { program(rank); });
        }
        for (std::thread& thread : threads)
            thread.join();
    }

    CommunicatorOptions options_for(RankId rank) {
        CommunicatorOptions options;
        options.device_id = rank;
        options.root = rank == 0 ? &host : nullptr;
        return options;
    }

    std::uint32_t const nranks;
    RootHost host;
};

TEST(Communicator, RunsEveryVerbAndClosesInOrder) {
    World world(5, 2);
    world.run([&](RankId rank) {
        auto communicator = Communicator::connect(world.host.id(), rank, world.nranks, world.options_for(rank));
        ASSERT_TRUE(communicator) << communicator.error().message();
        EXPECT_EQ(communicator->rank(), rank);
        ASSERT_EQ(communicator->table().size(), 5U);
        for (RankId other = 0; other < 5; ++other)
            EXPECT_EQ(communicator->table()[other].rank, other);

        std::vector<std::byte> whole(5);
        whole[rank] = static_cast<std::byte>(rank + 1);
        ASSERT_TRUE(communicator->all_gather(whole, 1));
        for (RankId other = 0; other < 5; ++other)
            EXPECT_EQ(whole[other], static_cast<std::byte>(other + 1));
        ASSERT_TRUE(communicator->barrier());

        std::vector<std::byte> word(100, static_cast<std::byte>(rank));
        ASSERT_TRUE(communicator->broadcast(word, 3));
        EXPECT_EQ(word, std::vector<std::byte>(100, std::byte{3}));

        RankId const next = (rank + 1) % 5;
        RankId const previous = (rank + 4) % 5;
        std::vector<std::byte> const out(1000, static_cast<std::byte>(rank));
        std::vector<std::byte> in(1000);
        ASSERT_TRUE(communicator->send(next, 7, out));
        ASSERT_TRUE(communicator->recv(previous, 7, in));
        EXPECT_EQ(in, std::vector<std::byte>(1000, static_cast<std::byte>(previous)));

        CommunicatorStatistics const statistics = communicator->statistics();
        EXPECT_GT(statistics.frames_sent, 0U);
        EXPECT_GE(statistics.table_ns, statistics.started_ns);
        ASSERT_TRUE(communicator->barrier());
        auto const closed = communicator->close();
        EXPECT_TRUE(closed) << closed.error().message();
        EXPECT_EQ(communicator->barrier().error().code(), Code::bad_argument);
    });
}

TEST(Communicator, MayCloseAsSoonAsItIsReadyWhileOthersAreNotYet) {
    for (char const* const profile : {"ronde", "nccl", "article"}) {
        for (int round = 0; round < 20; ++round) {
            World world(6);
            world.run([&](RankId rank) {
                CommunicatorOptions options = world.options_for(rank);
                options.profile = profile;
                auto communicator = Communicator::connect(world.host.id(), rank, world.nranks, options);
                ASSERT_TRUE(communicator) << profile << ": " << communicator.error().message();
                auto const closed = communicator->close();
                EXPECT_TRUE(closed) << profile << ": " << closed.error().message();
            });
        }
    }
}

TEST(Communicator, RefusesWhatCannotBeMeantWithoutHarm) {
    World world(2);
    world.run([&](RankId rank) {
        auto communicator = Communicator::connect(world.host.id(), rank, 2, world.options_for(rank));
        ASSERT_TRUE(communicator) << communicator.error().message();
        std::vector<std::byte> buffer(3);
        EXPECT_EQ(communicator->all_gather(buffer, 2).error().code(), Code::bad_argument);
        EXPECT_EQ(communicator->broadcast(buffer, 2).error().code(), Code::bad_argument);
        EXPECT_EQ(communicator->send(rank, 0, buffer).error().code(), Code::bad_argument);
        EXPECT_EQ(communicator->recv(9, 0, buffer).error().message(), "recv: the peer is rank 9 of 2");
        EXPECT_TRUE(communicator->barrier()) << "it goes on";
        EXPECT_TRUE(communicator->close());
    });
    EXPECT_EQ(Communicator::connect(world.host.id(), 2, 2).error().code(), Code::bad_argument);
    EXPECT_EQ(Communicator::connect(world.host.id(), 0, 0).error().code(), Code::bad_argument);
    CommunicatorOptions options;
    options.profile = "waltz";
    EXPECT_EQ(Communicator::connect(world.host.id(), 0, 2, options).error().message(),
              "'waltz' is no profile; there are ronde, nccl and article");
}

TEST(Communicator, NamesTheRankThatNeverCame) {
    World world(4);
    world.run(
        [&](RankId rank) {
            CommunicatorOptions options = world.options_for(rank);
            options.deadline = std::chrono::milliseconds(400);
            auto const communicator = Communicator::connect(world.host.id(), rank, 4, options);
            ASSERT_FALSE(communicator);
            EXPECT_EQ(communicator.error().code(), Code::ranks_missing) << communicator.error().message();
            EXPECT_EQ(communicator.error().verdict.error.about, 2U);
            EXPECT_FALSE(communicator.error().remedy().empty());
        },
        {2});
}

TEST(Communicator, SaysWhatItWaitsForWhereTheRootIs) {
    World world(3);
    std::atomic<std::uint32_t> most_checked_in{0};
    std::atomic<int> told_elsewhere{0};
    world.run([&](RankId rank) {
        CommunicatorOptions options = world.options_for(rank);
        options.on_progress = [&, rank](Progress const& progress) {
            if (rank != 0)
                ++told_elsewhere;
            if (progress.hosts_root)
                most_checked_in = std::max(most_checked_in.load(), progress.checked_in);
        };
        auto communicator = Communicator::connect(world.host.id(), rank, 3, options);
        ASSERT_TRUE(communicator) << communicator.error().message();
        EXPECT_TRUE(communicator->close());
    });
    EXPECT_EQ(most_checked_in, 3U);
    EXPECT_GT(told_elsewhere, 0);
}

TEST(Communicator, IsAbortedByASwitchWhileItWaitsForOthers) {
    World world(3);
    AbortSwitch abort_switch;
    std::atomic<int> waiting{0};
    std::thread presser([&] {
        while (waiting < 2)
            std::this_thread::yield();
        abort_switch.press();
    });
    world.run(
        [&](RankId rank) {
            CommunicatorOptions options = world.options_for(rank);
            options.on_progress = [&](Progress const& progress) {
                if (progress.phase == Phase::awaiting_successor && !progress.hosts_root)
                    ++waiting;
                if (progress.hosts_root && progress.checked_in == 2)
                    ++waiting;
            };
            if (rank == 0)
                options.abort_switch = &abort_switch;
            auto const communicator = Communicator::connect(world.host.id(), rank, 3, options);
            ASSERT_FALSE(communicator);
            EXPECT_EQ(communicator.error().code(), Code::aborted) << communicator.error().message();
            EXPECT_EQ(communicator.error().verdict.error.about, 0U);
        },
        {2});
    presser.join();
    EXPECT_TRUE(abort_switch.pressed());
}

TEST(Communicator, IsAbortedBetweenVerbsByAnotherThreadAndTheOthersHearItInTheirs) {
    World world(2);
    world.run([&](RankId rank) {
        auto communicator = Communicator::connect(world.host.id(), rank, 2, world.options_for(rank));
        ASSERT_TRUE(communicator) << communicator.error().message();
        std::vector<std::byte> word(1);
        if (rank == 1) {
            ASSERT_TRUE(communicator->send(0, 0, word));
        } else {
            ASSERT_TRUE(communicator->recv(1, 0, word));         // so it has left connect()
            std::thread([&] { communicator->abort(); }).join();  // nobody is in a verb of rank 0
        }
        auto const outcome = communicator->barrier();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code(), Code::aborted) << outcome.error().message();
        EXPECT_EQ(outcome.error().verdict.error.about, 0U);
    });
}

TEST(Communicator, IsAbortedInTheMiddleOfAVerb) {
    World world(3);
    world.run([&](RankId rank) {
        auto communicator = Communicator::connect(world.host.id(), rank, 3, world.options_for(rank));
        ASSERT_TRUE(communicator) << communicator.error().message();
        std::vector<std::byte> buffer(10);
        for (RankId const from : {0U, 2U}) {  // whoever is heard has left connect() and is in what follows
            if (rank == 1) {
                ASSERT_TRUE(communicator->recv(from, 0, buffer));
            } else if (rank == from) {
                ASSERT_TRUE(communicator->send(1, 0, buffer));
            }
        }
        std::optional<std::thread> other;
        if (rank == 1)
            other.emplace([&] { communicator->abort(); });
        auto const outcome = communicator->recv((rank + 1) % 3, 1, buffer);  // which nobody sends
        if (other)
            other->join();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code(), Code::aborted) << outcome.error().message();
    });
}

TEST(Communicator, EndsAVerbAtItsDeadline) {
    World world(2);
    std::atomic<bool> over{false};
    world.run([&](RankId rank) {
        CommunicatorOptions options = world.options_for(rank);
        options.operation_deadline = std::chrono::milliseconds(200);
        auto communicator = Communicator::connect(world.host.id(), rank, 2, options);
        ASSERT_TRUE(communicator) << communicator.error().message();
        if (rank == 1) {
            while (!over)
                std::this_thread::yield();
            return;
        }
        auto const outcome = communicator->barrier();
        over = true;
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code(), Code::deadline) << outcome.error().message();
    });
}

TEST(Communicator, CarriesLargeSlicesBothWays) {
    World world(4);
    world.run([&](RankId rank) {
        auto communicator = Communicator::connect(world.host.id(), rank, 4, world.options_for(rank));
        ASSERT_TRUE(communicator) << communicator.error().message();
        std::size_t const slice_bytes = std::size_t{16} << 20U;
        std::vector<std::byte> whole(4 * slice_bytes);
        std::fill_n(whole.begin() + static_cast<std::ptrdiff_t>(rank * slice_bytes), slice_bytes,
                    static_cast<std::byte>(rank + 1));
        ASSERT_TRUE(communicator->all_gather(whole, slice_bytes));
        for (RankId other = 0; other < 4; ++other) {
            auto const slice = std::span(whole).subspan(other * slice_bytes, slice_bytes);
            EXPECT_TRUE(std::all_of(slice.begin(), slice.end(),
                                    [&](std::byte byte) { return byte == static_cast<std::byte>(other + 1); }));
        }
        EXPECT_TRUE(communicator->barrier());
        EXPECT_TRUE(communicator->close());
    });
}

}  // namespace
}  // namespace ronde
