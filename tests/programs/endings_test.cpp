/// How programs end: by themselves, by throwing, without a word, and not at all.
#include "worlds.hpp"

#include <memory>

namespace ronde::sim {
namespace {

using protocol::Code;

TEST(Endings, AnExceptionEndsOneRankAndIsKept) {
    auto const outcome = play(world_of(4), [](Communicator& ring) {
        if (ring.rank() == 1)
            throw std::out_of_range("no such layer");
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        EXPECT_EQ(met.error().code(), Code::rank_lost) << met.error().message();
        EXPECT_EQ(met.error().verdict.error.about, 1U);
    });
    ASSERT_EQ(outcome.programs.others.size(), 1U) << outcome.text();
    ProgramEnd const& end = outcome.programs.others[0];
    EXPECT_EQ(end.message(), "rank 1 threw: no such layer");
    EXPECT_THROW(std::rethrow_exception(end.exception), std::out_of_range);
    EXPECT_NE(outcome.world.last_table_ns, kNever) << "the ring had stood";
}

TEST(Endings, WhateverIsThrownIsTold) {
    auto const outcome = play(world_of(2), [](Communicator&) { throw 7; });
    EXPECT_EQ(end_of(outcome, 0).message(), "rank 0 threw: something that is no std::exception");
}

TEST(Endings, WhoReturnsWithoutCloseIsLostToTheOthers) {
    auto const outcome = play(world_of(3), [](Communicator& ring) {
        if (ring.rank() == 2)
            return;
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        EXPECT_EQ(met.error().code(), Code::rank_lost) << met.error().message();
        EXPECT_EQ(met.error().verdict.error.about, 2U);
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Endings, WhoClosesWhileOthersNeedItIsNamedAsOneWhoClosed) {
    play(world_of(3), [](Communicator& ring) {
        if (ring.rank() == 2)
            return need(ring.close());
        auto const met = ring.barrier();
        ASSERT_FALSE(met);
        EXPECT_EQ(met.error().code(), Code::peer_closed) << met.error().message();
        EXPECT_EQ(ring.barrier().error().code(), Code::peer_closed) << "it stays so";
    });
}

TEST(Endings, AVerbAfterCloseIsTheCallersMistake) {
    play(world_of(2), [](Communicator& ring) {
        need(ring.barrier());
        need(ring.close());
        EXPECT_EQ(ring.barrier().error().message(), "the communicator was closed");
        EXPECT_TRUE(ring.close());
    });
}

TEST(Endings, ProgramsThatWaitForEachOtherAreNamedWithTheirVerbs) {
    TimeNs const budget_ns = 30 * kSecondNs;
    auto const outcome = play(world_of(3), [](Communicator& ring) {
        std::vector<std::byte> word(8);
        need(ring.recv((ring.rank() + 1) % 3, 40 + ring.rank(), word));
    });
    EXPECT_EQ(outcome.programs.text(), "rank 0 hangs in recv from rank 1, tag 40\n"
                                       "rank 1 hangs in recv from rank 2, tag 41\n"
                                       "rank 2 hangs in recv from rank 0, tag 42\n");
    EXPECT_LT(outcome.world.simulated_ns, budget_ns) << "nobody had to wait for a deadline to know";
}

TEST(Endings, EveryVerbHasItsName) {
    std::vector<std::byte> buffer(4'000);
    std::pair<char const*, Program> const verbs[] = {
        {"all_gather", [&](Communicator& ring) { need(ring.all_gather(buffer, 1'000)); }},
        {"barrier", [](Communicator& ring) { need(ring.barrier()); }},
        {"broadcast from rank 3", [&](Communicator& ring) { need(ring.broadcast(buffer, 3)); }},
        {"send to rank 2, tag 8", [&](Communicator& ring) { need(ring.send(2, 8, buffer)); }},
        {"recv from rank 1, tag 9", [&](Communicator& ring) { need(ring.recv(1, 9, buffer)); }},
    };
    for (auto const& [name, verb] : verbs) {
        WorldPlan plan = world_of(4);
        plan.network.window_bytes = 1'000;  // a message that nobody reads does not fit
        auto const outcome = play(plan, [&, &verb = verb](Communicator& ring) {
            if (ring.rank() == 0)
                return verb(ring);
            sleep_for(std::chrono::nanoseconds::max());
        });
        EXPECT_EQ(end_of(outcome, 0).message(), std::string("rank 0 hangs in ") + name);
        EXPECT_EQ(end_of(outcome, 3).message(), "rank 3 hangs in sleep_for");
    }
}

TEST(Endings, WhoWaitsForARingThatNeverStandsIsNamedWithItsPhase) {
    WorldPlan plan = world_of(3);
    plan.policies = protocol::policies_of(protocol::Profile::nccl);  // which has no deadline
    plan.faults.push_back(fault_on(FaultKind::never, 1));
    auto const outcome = play(plan, [](Communicator&) {});
    EXPECT_EQ(end_of(outcome, 2).ending, Ending::hanging);
    EXPECT_NE(end_of(outcome, 2).message().find("rank 2 hangs in connect ("), std::string::npos)
        << end_of(outcome, 2).message();
}

TEST(Endings, WhatHangsIsUnwoundBeforeTheRunReturns) {
    auto const owned = std::make_shared<int>(1);
    auto const outcome = play(world_of(2), [&](Communicator& ring) {
        std::shared_ptr<int> const mine = owned;
        std::vector<std::byte> word(1);
        (void)ring.recv(1 - ring.rank(), 0, word);
    });
    EXPECT_EQ(outcome.programs.others.size(), 2U);
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(Endings, ACommunicatorMayMoveIntoTheProgramAndEndBeforeIt) {
    auto const outcome = play(world_of(2), [](Communicator& ring) {
        {
            Communicator mine = std::move(ring);
            need(mine.barrier());
            need(mine.close());
        }
        sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Endings, ACommunicatorServesItsOwnRanksProgramOnly) {
    Communicator* of_rank_0 = nullptr;
    auto const outcome = play(world_of(2), [&](Communicator& ring) {
        if (ring.rank() == 0) {
            of_rank_0 = &ring;
            return sleep_for(std::chrono::milliseconds(2));
        }
        sleep_for(std::chrono::milliseconds(1));
        auto const met = of_rank_0->barrier();
        ASSERT_FALSE(met);
        EXPECT_EQ(met.error().code(), Code::bad_argument);
    });
    EXPECT_TRUE(outcome.all_returned()) << outcome.text();
}

TEST(Endings, ManyEndsAreSummedUp) {
    auto const outcome = play(world_of(20), [](Communicator&) { throw std::runtime_error("no"); });
    std::string const text = outcome.programs.text(2);
    EXPECT_EQ(text, "rank 0 threw: no\nrank 1 threw: no\nand 18 more\n");
    EXPECT_EQ(play(world_of(3), [](Communicator& ring) { need(ring.close()); }).programs.text(),
              "all 3 programs returned\n");
}

TEST(Endings, AContradictionIsSaidAndNothingIsRun) {
    WorldPlan plan = world_of(2);
    plan.nroots = 3;
    int called = 0;
    auto const outcome = run_programs(plan, [&](Communicator&) { ++called; });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error(), contradiction_in(plan));
    EXPECT_EQ(called, 0);
}

}  // namespace
}  // namespace ronde::sim
