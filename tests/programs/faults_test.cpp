/// What goes wrong in the world comes out of the verb that the program was in.
#include "worlds.hpp"

#include <map>

namespace ronde::sim {
namespace {

using protocol::Code;

/// Barriers until one fails, or `rounds` of them; the error, if one.
std::optional<Failed> meet_until_it_fails(Communicator& ring, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        sleep_for(std::chrono::milliseconds(10));
        if (auto met = ring.barrier(); !met)
            return met.error();
    }
    return std::nullopt;
}

TEST(Faults, ADeadRankIsNamedByTheVerbOfEveryOther) {
    WorldPlan plan = world_of(8);
    plan.faults.push_back(fault_on(FaultKind::crash, 3, 105 * kMillisecondNs));
    std::map<RankId, Failed> failures;
    auto const outcome = play(plan, [&](Communicator& ring) {
        if (auto const failure = meet_until_it_fails(ring, 100))
            failures.emplace(ring.rank(), *failure);
    });
    EXPECT_EQ(failures.size(), 7U);
    for (auto const& [rank, failure] : failures) {
        EXPECT_EQ(failure.code(), Code::rank_lost) << failure.message();
        EXPECT_EQ(failure.verdict.error.about, 3U) << failure.message();
    }
    EXPECT_EQ(end_of(outcome, 3).ending, Ending::killed);
    EXPECT_EQ(end_of(outcome, 3).message(), "rank 3 was killed in sleep_for");
    EXPECT_EQ(outcome.programs.returned, 7U);
}

TEST(Faults, WhoNeverComesIsNamedAndTheProgramIsNotCalled) {
    WorldPlan plan = world_of(6);
    plan.faults.push_back(fault_on(FaultKind::never, 4));
    int called = 0;
    auto const outcome = play(plan, [&](Communicator&) { ++called; });
    EXPECT_EQ(called, 0);
    EXPECT_EQ(end_of(outcome, 4).ending, Ending::not_started);
    ProgramEnd const end = end_of(outcome, 0);
    EXPECT_EQ(end.ending, Ending::not_connected);
    EXPECT_EQ(end.failure.code(), Code::ranks_missing) << end.message();
    EXPECT_EQ(end.failure.verdict.error.about, 4U);
    EXPECT_EQ(outcome.programs.others.size(), 6U);
}

TEST(Faults, AKilledProgramIsUnwoundAndItsVerbsWaitNoMore) {
    WorldPlan plan = world_of(4);
    plan.faults.push_back(fault_on(FaultKind::crash, 2, 50 * kMillisecondNs));
    struct Tidy {
        Communicator& ring;
        std::vector<std::string>& said;
        ~Tidy() {
            said.emplace_back(ring.barrier() ? "met" : "did not meet");
            said.emplace_back(ring.close() ? "closed" : "did not close");
        }
    };
    std::vector<std::string> said;
    auto const outcome = play(plan, [&](Communicator& ring) {
        std::vector<std::byte> buffer(100);
        if (ring.rank() == 2) {
            Tidy const tidy{ring, said};
            (void)ring.recv(0, 1, buffer);  // which nobody sends
        } else {
            (void)ring.recv(2, 1, buffer);
        }
    });
    EXPECT_EQ(said, (std::vector<std::string>{"did not meet", "did not close"}));
    EXPECT_EQ(end_of(outcome, 2).message(), "rank 2 was killed in recv from rank 0, tag 1");
}

TEST(Faults, ARankThatDiesWhileItLoadsComesBackAndBeginsAnew) {
    WorldPlan plan = world_of(4);
    Fault restart = fault_on(FaultKind::restart, 1, 20 * kMillisecondNs);
    restart.duration_ns = 100 * kMillisecondNs;
    plan.faults.push_back(restart);
    std::map<RankId, int> begun;
    ProgramOptions options;
    options.before_connect = [&](RankId rank) {
        ++begun[rank];
        sleep_for(std::chrono::milliseconds(50));
    };
    auto const outcome = play(
        plan,
        [](Communicator& ring) {
            need(ring.barrier());
            need(ring.close());
        },
        options);
    EXPECT_EQ(begun[1], 2);
    EXPECT_EQ(begun[0], 1);
    EXPECT_EQ(outcome.programs.returned, 4U) << outcome.text();
    EXPECT_EQ(outcome.programs.text(), "rank 1 was killed in sleep_for\n");
    EXPECT_GE(outcome.world.last_table_ns, 170 * kMillisecondNs);
}

TEST(Faults, AVerbWithADeadlineEndsAtIt) {
    WorldPlan plan = world_of(3);
    ProgramOptions options;
    options.operation_deadline = std::chrono::seconds(2);
    TimeNs waited_ns = 0;
    auto const outcome = play(
        plan,
        [&](Communicator& ring) {
            if (ring.rank() != 0)
                return sleep_for(std::chrono::seconds(60));
            TimeNs const begin_ns = now_ns();
            auto const met = ring.barrier();
            waited_ns = now_ns() - begin_ns;
            ASSERT_FALSE(met);
            EXPECT_EQ(met.error().code(), Code::deadline) << met.error().message();
        },
        options);
    EXPECT_EQ(waited_ns, 2 * kSecondNs);
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Faults, AnAbortOfOneProgramIsHeardInTheVerbsOfAll) {
    std::map<RankId, Failed> failures;
    auto const outcome = play(world_of(5), [&](Communicator& ring) {
        if (ring.rank() == 4) {
            sleep_for(std::chrono::milliseconds(1));
            ring.abort();
        }
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        failures.emplace(ring.rank(), met.error());
    });
    EXPECT_EQ(failures.size(), 5U);
    for (auto const& [rank, failure] : failures) {
        EXPECT_EQ(failure.code(), Code::aborted) << failure.message();
        EXPECT_EQ(failure.verdict.error.about, 4U) << failure.message();
    }
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Faults, ASwitchEndsEveryCommunicatorItIsAttachedTo) {
    AbortSwitch abort_switch;
    ProgramOptions options;
    options.abort_switch = &abort_switch;
    int aborted = 0;
    auto const outcome = play(
        world_of(6),
        [&](Communicator& ring) {
            if (ring.rank() == 0) {
                sleep_for(std::chrono::milliseconds(3));
                abort_switch.press();
            }
            std::vector<std::byte> word(1);
            auto const heard = ring.recv((ring.rank() + 1) % 6, 0, word);
            aborted += !heard && heard.error().code() == Code::aborted ? 1 : 0;
        },
        options);
    EXPECT_EQ(aborted, 6);
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

}  // namespace
}  // namespace ronde::sim
