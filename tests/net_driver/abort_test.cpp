/// Abort from another thread, in every phase: this rank ends at once, the others hear who gave up.
#include "small_job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ronde::net::test {
namespace {

using protocol::Code;
using protocol::Operation;
using protocol::OperationKind;
using protocol::Phase;
using protocol::RankId;

/// Another thread that aborts a driver when it is told to.
class Aborter {
public:
    explicit Aborter(std::function<void()> abort)
        : thread_([this, abort = std::move(abort)] {
              std::unique_lock lock(mutex_);
              condition_.wait(lock, [this] { return told_; });
              if (go_)
                  abort();
          }) {}
    Aborter(Aborter const&) = delete;
    Aborter& operator=(Aborter const&) = delete;
    Aborter(Aborter&&) = delete;
    Aborter& operator=(Aborter&&) = delete;
    ~Aborter() {
        tell(false);
        thread_.join();
    }
    void abort_now() { tell(true); }

private:
    void tell(bool go) {
        std::lock_guard const lock(mutex_);
        if (told_)
            return;
        told_ = true;
        go_ = go;
        condition_.notify_one();
    }
    std::mutex mutex_;
    std::condition_variable condition_;
    bool told_ = false;
    bool go_ = false;
    std::thread thread_;
};

class AbortIn : public testing::TestWithParam<Phase> {};

TEST_P(AbortIn, APhaseEndsThisRankAndNamesItToTheOthers) {
    constexpr RankId kAborting = 1;
    JobPlan plan;
    plan.nranks = 5;
    plan.policies.gather = protocol::Gather::doubling;
    std::function<void()> reached;
    plan.on_phase = [&](RankId rank, Phase phase) {
        if (rank == kAborting && phase == GetParam())
            reached();
    };
    // Whoever gives up before the root knows it is simply missing for the others.
    bool const unknown = GetParam() <= Phase::checking_in;
    if (unknown)
        plan.budget_ns = protocol::kSecondNs;
    bool const waits = GetParam() == Phase::checking_in || GetParam() == Phase::awaiting_successor;
    if (waits)
        plan.absent = {4};
    SmallJob job(plan);
    for (auto const& root : job.roots)
        root->start();
    for (RankId rank = 0; rank < plan.nranks; ++rank) {
        if (!waits || rank != 4)
            job.ranks[rank] = job.make_rank(rank);
    }
    Aborter aborter([&] { job.ranks[kAborting]->abort(); });
    reached = [&] { aborter.abort_now(); };
    for (auto const& rank : job.ranks) {
        if (rank)
            rank->start();
    }
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); })) << job.complaints();
    for (auto const& rank : job.ranks) {
        if (!rank)
            continue;
        bool const may_be_missing = unknown && rank != job.ranks[kAborting];
        EXPECT_TRUE(rank->verdict().error.code == Code::aborted ||
                    (may_be_missing && rank->verdict().error.code == Code::ranks_missing))
            << job.complaints();
        EXPECT_EQ(rank->verdict().error.about, kAborting) << job.complaints();
        EXPECT_TRUE(rank->idle());
        EXPECT_EQ(rank->open_descriptors(), 0U);
    }
}

std::string name_of_phase(testing::TestParamInfo<Phase> const& info) {
    std::string name(protocol::name_of(info.param));
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return letter == ' ' || letter == '-'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Phases, AbortIn,
                         testing::Values(Phase::listening, Phase::checking_in, Phase::awaiting_successor,
                                         Phase::connecting_ring, Phase::gathering, Phase::committing, Phase::ready),
                         name_of_phase);

TEST(Abort, EndsALargeGatherThatNobodyReadsFrom) {
    JobPlan plan;
    plan.nranks = 3;
    SmallJob job(plan);
    job.boot();
    ASSERT_TRUE(job.all_ready()) << job.complaints();
    Operation gather;
    gather.kind = OperationKind::all_gather;
    gather.slice_bytes = std::size_t{8} << 20U;
    std::vector<std::byte> buffer(3 * gather.slice_bytes);
    job.ranks[0]->operate(gather, std::span<std::byte>(buffer));  // the others never join
    job.run_until([] { return false; }, 20 * protocol::kMillisecondNs);
    Aborter aborter([&] { job.ranks[0]->abort(); });
    aborter.abort_now();
    ASSERT_TRUE(job.run_until([&] { return job.ranks[0]->finished(); }));
    EXPECT_EQ(job.ranks[0]->verdict().error.code, Code::aborted);
    EXPECT_TRUE(job.ranks[0]->idle()) << "the buffer belongs to the program again";
    ASSERT_TRUE(job.run_until([&] { return job.all_finished(); })) << job.complaints();
}

TEST(Abort, OfARootTellsAllWhoCheckedIn) {
    JobPlan plan;
    plan.nranks = 3;
    plan.absent = {2};
    SmallJob job(plan);
    job.start();
    ASSERT_TRUE(job.run_until([&] { return job.roots[0]->machine().checked_in() == 2; }));
    std::thread other([&] { job.roots[0]->abort(); });
    ASSERT_TRUE(job.run_until([&] { return job.all_finished() && job.roots_settled(); })) << job.complaints();
    other.join();
    for (RankId const rank : {0U, 1U})
        EXPECT_EQ(job.ranks[rank]->verdict().error.code, Code::aborted);
}

TEST(Abort, AfterTheEndIsHarmless) {
    JobPlan plan;
    plan.nranks = 2;
    SmallJob job(plan);
    job.boot();
    job.close();
    for (auto const& rank : job.ranks)
        rank->abort();
    job.loop.run_once(0);
    for (auto const& rank : job.ranks)
        EXPECT_EQ(rank->machine().phase(), Phase::closed);
}

}  // namespace
}  // namespace ronde::net::test
