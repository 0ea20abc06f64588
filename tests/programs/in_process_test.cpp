/// Many ranks as fibers of one thread, over real sockets.
#include <ronde/program.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ronde {
namespace {

using protocol::Code;

void need(Outcome const& outcome) {
    if (!outcome)
        throw std::runtime_error(outcome.error().message());
}

ProgramEnds run(std::uint32_t nranks, Program const& program, InProcessOptions options = {}) {
    options.nranks = nranks;
    auto ends = run_in_process(program, options);
    if (!ends)
        throw std::runtime_error(ends.error());
    return std::move(*ends);
}

TEST(InProcess, HoldsAHundredRanksInOneLoop) {
    InProcessOptions options;
    options.roots = 2;
    std::uint64_t sum = 0;
    auto const ends = run(
        100,
        [&](Communicator& ring) {
            std::vector<std::uint32_t> numbers(ring.nranks());
            numbers[ring.rank()] = ring.rank();
            need(ring.all_gather(std::as_writable_bytes(std::span(numbers)), sizeof numbers[0]));
            for (std::uint32_t const number : numbers)
                sum += number;
            need(ring.barrier());
            need(ring.close());
        },
        options);
    EXPECT_TRUE(ends.all_returned()) << ends.text();
    EXPECT_EQ(ends.returned, 100U);
    EXPECT_EQ(sum, 100U * (99U * 100U / 2U));
}

TEST(InProcess, AnExceptionEndsOneRankAndTheOthersHearOfIt) {
    int lost = 0;
    auto const ends = run(4, [&](Communicator& ring) {
        need(ring.barrier());
        if (ring.rank() == 1)
            throw std::out_of_range("no such layer");
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        lost += met.error().code() == Code::rank_lost && met.error().verdict.error.about == 1U ? 1 : 0;
    });
    ASSERT_EQ(ends.others.size(), 1U) << ends.text();
    EXPECT_EQ(ends.others[0].message(), "rank 1 threw: no such layer");
    EXPECT_THROW(std::rethrow_exception(ends.others[0].exception), std::out_of_range);
    EXPECT_EQ(lost, 3);
}

TEST(InProcess, WhoWaitsForEverIsUnwoundAtTheLimitAndNamed) {
    auto const owned = std::make_shared<int>(1);
    InProcessOptions options;
    options.limit = std::chrono::milliseconds(300);
    options.communicator.mailbox_bytes = std::uint64_t{1} << 20U;  // else rank 2 takes the message while it sleeps
    auto const ends = run(
        3,
        [&](Communicator& ring) {
            std::shared_ptr<int> const mine = owned;
            if (ring.rank() == 2) {
                sleep_for(std::chrono::hours(1));
                return;
            }
            // A large message that nobody reads is half way in the kernel when this stack is unwound.
            std::vector<std::byte> message(std::size_t{16} << 20U);
            if (ring.rank() == 1)
                need(ring.send(2, 5, message));
            else
                need(ring.recv(1, 7, message));
        },
        options);
    EXPECT_EQ(ends.text(), "rank 0 hangs in recv from rank 1, tag 7\n"
                           "rank 1 hangs in send to rank 2, tag 5\n"
                           "rank 2 hangs in sleep_for\n");
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(InProcess, AnAbortOfOneFiberIsHeardByAll) {
    int aborted = 0;
    auto const ends = run(5, [&](Communicator& ring) {
        need(ring.barrier());
        if (ring.rank() == 3)
            ring.abort();
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        aborted += met.error().code() == Code::aborted && met.error().verdict.error.about == 3U ? 1 : 0;
    });
    EXPECT_TRUE(ends.all_returned()) << ends.text();
    EXPECT_EQ(aborted, 5);
}

TEST(InProcess, ASwitchOfAnotherThreadEndsAllOfThem) {
    AbortSwitch abort_switch;
    InProcessOptions options;
    options.communicator.abort_switch = &abort_switch;
    std::thread presser;
    int aborted = 0;
    auto const ends = run(
        4,
        [&](Communicator& ring) {
            if (ring.rank() == 0)
                presser = std::thread([&] { abort_switch.press(); });
            std::vector<std::byte> word(1);
            auto const heard = ring.recv((ring.rank() + 1) % 4, 0, word);  // which nobody sends
            aborted += !heard && heard.error().code() == Code::aborted ? 1 : 0;
        },
        options);
    presser.join();
    // Whoever had not connected yet is not called; all that were are ended.
    EXPECT_EQ(aborted + static_cast<int>(ends.others.size()), 4) << ends.text();
}

TEST(InProcess, SleepersLetTheOthersRun) {
    std::vector<RankId> order;
    InProcessOptions options;
    options.before_connect = [&](RankId rank) {
        if (rank == 0)
            sleep_for(std::chrono::milliseconds(20));
        order.push_back(rank);
    };
    auto const ends = run(
        3, [](Communicator& ring) { need(ring.close()); }, options);
    EXPECT_TRUE(ends.all_returned()) << ends.text();
    EXPECT_EQ(order, (std::vector<RankId>{1, 2, 0}));
}

TEST(InProcess, SaysWhatItCannotRun) {
    InProcessOptions options;
    options.nranks = 2;
    options.communicator.profile = "waltz";
    auto const ends = run_in_process([](Communicator&) {}, options);
    ASSERT_FALSE(ends);
    EXPECT_EQ(ends.error(), "'waltz' is no profile; there are ronde, nccl and article");
}

}  // namespace
}  // namespace ronde
