/// A rank that waits sleeps: the loop is not woken until something happens or is due.
#include "standing_ring.hpp"

namespace ronde::net::test {
namespace {

constexpr TimeNs kMs = protocol::kMillisecondNs;
/// The end of the wait itself; and one more, when the kernel wakes the loop a little before that.
constexpr std::uint64_t kWakeUps = 2;

/// How often the loop of `job` wakes up while nothing happens for a while.
std::uint64_t wake_ups_of_a_wait(SmallJob& job) {
    job.run_until([] { return false; }, 100 * kMs);  // what was on its way arrives
    std::uint64_t const before = job.loop.batches();
    job.run_until([] { return false; }, 300 * kMs);
    return job.loop.batches() - before;
}

TEST(Waiting, ForRanksThatDoNotComeCostsNothing) {
    for (std::uint32_t const nroots : {1U, 2U}) {
        JobPlan plan;
        plan.nranks = 8;
        plan.nroots = nroots;
        plan.absent = {5};
        SmallJob job(plan);
        job.start();
        EXPECT_LE(wake_ups_of_a_wait(job), kWakeUps) << nroots << " roots";
        EXPECT_FALSE(job.all_ready());
        EXPECT_FALSE(job.all_finished());
    }
}

TEST(Waiting, BetweenVerbsCostsNothing) {
    JobPlan plan;
    plan.nranks = 4;
    StandingRing ring(plan);
    EXPECT_LE(wake_ups_of_a_wait(ring.job), kWakeUps);
}

TEST(Waiting, ForABarrierThatOneDoesNotCallAndForAMessageThatNobodySendsCostsNothing) {
    JobPlan plan;
    plan.nranks = 4;
    StandingRing ring(plan);
    std::vector<std::byte> message(64);
    ring[0].operate(make(protocol::OperationKind::receive, message.size(), 1, 7), std::span(message));
    for (protocol::RankId rank = 2; rank < plan.nranks; ++rank)
        ring[rank].operate(make(protocol::OperationKind::barrier), std::span<std::byte>());
    EXPECT_LE(wake_ups_of_a_wait(ring.job), kWakeUps);
    EXPECT_FALSE(ring[0].idle());
    EXPECT_FALSE(ring[2].idle());
}

}  // namespace
}  // namespace ronde::net::test
