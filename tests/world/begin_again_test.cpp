/// One world after the other in the same memory: each is what it would be in memory of its own.
#include "engine/draw.hpp"
#include "engine/seeded_oracle.hpp"
#include "generate/plans.hpp"
#include "plans.hpp"
#include "support/sanitized.hpp"
#include "world/look.hpp"
#include "world/programs.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ronde::sim {
namespace {

/// All kinds of worlds: sizes, profiles, networks, faults, orders.
WorldPlan made_up(std::uint64_t number) {
    SeededOracle choices(number);
    props::Shape shape;
    shape.least_ranks = 1;
    shape.most_ranks = 48;
    constexpr protocol::Profile profiles[] = {protocol::Profile::ronde, protocol::Profile::nccl,
                                              protocol::Profile::ronde, protocol::Profile::article};
    shape.profile = profiles[number % 4];
    shape.any_order = number % 5 == 0;
    return props::make_plan(choices, shape);
}

auto what_became_of(RankEnd const& end) {
    return std::tuple(end.rank, end.end, end.phase, end.error, end.at_ns, protocol::describe(end.verdict));
}

/// The first thing in which two outcomes differ; world_bytes aside.
std::string difference(Outcome const& a, Outcome const& b) {
    auto const same_end = [](RankEnd const& x, RankEnd const& y) { return what_became_of(x) == what_became_of(y); };
    auto const same_depth = [](QueueDepth const& x, QueueDepth const& y) {
        return x.at_ns == y.at_ns && x.depth == y.depth;
    };
    auto const storm = [](Storm const& s) {
        return std::tuple(s.connects, s.accepts, s.syn_drops, s.ack_drops, s.ghosts, s.syn_retransmits,
                          s.synack_retransmits, s.data_retransmits, s.packets_lost, s.refused, s.overflow_resets,
                          s.resets, s.strangers, s.answers_to_strangers, s.interrupted_calls, s.queue_high_water,
                          s.backlog, s.descriptors_high_water, s.ports_high_water, s.connects_after_retries);
    };
    if (a.digest != b.digest)
        return "digest";
    if (a.name != b.name || a.seed != b.seed || a.nranks != b.nranks || a.nroots != b.nroots)
        return "plan";
    if (protocol::digest_of(a.policies) != protocol::digest_of(b.policies))
        return "policies";
    if (a.ends != b.ends || !std::ranges::equal(a.not_ready, b.not_ready, same_end))
        return "ends";
    if (a.last_table_ns != b.last_table_ns || a.last_ready_ns != b.last_ready_ns || a.simulated_ns != b.simulated_ns ||
        a.slowest != b.slowest)
        return "times";
    if (a.phases != b.phases || a.slowest_in != b.slowest_in)
        return "phases";
    if (a.frames != b.frames || a.bytes != b.bytes || a.frames_by_kind != b.frames_by_kind ||
        a.skipped_frames != b.skipped_frames || a.waiting_ring_unplayed != b.waiting_ring_unplayed)
        return "frames";
    if (storm(a.storm) != storm(b.storm) || !std::ranges::equal(a.queue_depth, b.queue_depth, same_depth))
        return "storm";
    if (a.broken != b.broken)
        return "broken: '" + a.broken + "' and '" + b.broken + "'";
    return a.events == b.events && a.steps == b.steps ? "" : "events";
}

TEST(BeginAgain, EqualsAWorldOfItsOwn) {
    World again;
    Outcome outcome;
    std::uint64_t failed = 0;
    std::uint64_t const worlds = tests::worlds_to_play(400);
    for (std::uint64_t number = 0; number < worlds; ++number) {
        WorldPlan const plan = made_up(number);
        again.begin(plan);
        again.run(outcome);
        Outcome const once = run(plan);
        ASSERT_EQ(difference(outcome, once), "") << "world " << number << ": " << summary(once);
        failed += once.count(End::failed);
    }
    EXPECT_GT(failed, worlds / 4) << "worlds in which nothing goes wrong leave little behind";
}

TEST(BeginAgain, LeavesNothingOfAWorldThatWasNotPlayedToItsEnd) {
    World again;
    Outcome outcome;
    for (std::uint64_t number = 0; number < tests::worlds_to_play(300); ++number) {
        again.begin(made_up(1'000 + number));
        if (number % 3 == 0)
            again.keep_dependencies();
        // Somewhere in the middle of it: most of these worlds have more events.
        for (std::uint64_t left = 20 + draw(1, 2, number) % 400; left > 0 && again.advance(); --left) {
        }
        WorldPlan const plan = made_up(2'000 + number);
        again.begin(plan);
        again.run(outcome);
        ASSERT_EQ(difference(outcome, run(plan)), "") << "world " << number;
        EXPECT_TRUE(again.critical_path().pieces.empty());
    }
}

/// Two ranks: rank 1 writes to rank 0, which reads at once or never.
class Letters final : public Programs {
public:
    Letters(World& world, std::string letter, bool reads) : world_(world), letter_(std::move(letter)), reads_(reads) {}

    void begin(ProcessId process, RankId) override { world_.start(process); }
    void go_on(ProcessId process) override {
        if (process > 1 || !world_.was_ready(process) || asked_[process])
            return;
        asked_[process] = true;
        protocol::Operation operation;
        operation.kind = process == 1 ? protocol::OperationKind::send : protocol::OperationKind::receive;
        operation.peer = 1 - process;
        operation.slice_bytes = letter_.size();
        if (process == 1 || reads_)
            world_.operate(process, operation);
    }
    void end(ProcessId) override {}
    void read(ProcessId, std::uint32_t, std::uint32_t, std::vector<std::byte>& bytes) override {
        for (char const letter : letter_)
            bytes.push_back(static_cast<std::byte>(letter));
    }
    void write(ProcessId, std::uint32_t, std::uint32_t, std::span<const std::byte> bytes) override {
        for (std::byte const byte : bytes)
            was_read += static_cast<char>(byte);
    }
    void on_event(ProcessId, protocol::Event const&) override {}
    void on_action(ProcessId, protocol::Action const&) override {}
    void on_phase(ProcessId, protocol::Phase) override {}

    std::string was_read;

private:
    World& world_;
    std::string const letter_;
    bool const reads_;
    bool asked_[2] = {};
};

/// A world in which nobody has read the letter that came.
void leave_a_letter(World& world) {
    Letters letters(world, "old", false);
    world.begin(plan_of(2));
    world.host(letters);
    world.run();
    ASSERT_GT(world.look().holdings(0).connections, 0U);
    ASSERT_EQ(letters.was_read, "");
}

TEST(BeginAgain, ReadsNoLetterOfTheOldWorld) {
    World again;
    ASSERT_NO_FATAL_FAILURE(leave_a_letter(again));
    Letters letters(again, "new", true);
    again.begin(plan_of(2));
    again.host(letters);
    Outcome const outcome = again.run();
    EXPECT_EQ(letters.was_read, "new");

    World own(plan_of(2));
    Letters letters_of_its_own(own, "new", true);
    own.host(letters_of_its_own);
    EXPECT_EQ(difference(outcome, own.run()), "");
}

TEST(BeginAgain, HasNoConnectionOfTheOldWorld) {
    World again;
    ASSERT_NO_FATAL_FAILURE(leave_a_letter(again));
    std::uint32_t const connections[] = {again.look().holdings(0).connections, again.look().holdings(1).connections};
    ASSERT_NO_FATAL_FAILURE(leave_a_letter(again));
    // The letter's way stands in both worlds, between the same processes, and is one connection.
    EXPECT_EQ(again.look().holdings(0).connections, connections[0]);
    EXPECT_EQ(again.look().holdings(1).connections, connections[1]);
}

TEST(BeginAgain, TakesNoMoreMemoryTheHundredthTime) {
    World again;
    Outcome outcome;
    std::uint64_t bytes = 0;
    for (int round = 0; round < 100; ++round) {
        for (std::uint64_t const number : {7U, 8U, 9U}) {
            again.begin(made_up(number));
            for (int left = round; left > 0 && again.advance(); --left) {
            }
        }
        again.begin(plan_of(40));
        again.run(outcome);
        if (round == 0)
            bytes = outcome.world_bytes;
    }
    EXPECT_LE(outcome.world_bytes, bytes + bytes / 8);
}

TEST(BeginAgain, AsksTheOracleThatItIsGiven) {
    World again;
    for (std::uint64_t number = 0; number < 40; ++number) {
        WorldPlan const plan = made_up(3'000 + number);
        SeededOracle mine(number);
        SeededOracle same(number);
        again.begin(plan, &mine);
        Outcome const outcome = again.run();
        EXPECT_EQ(difference(outcome, World(plan, &same).run()), "") << "world " << number;
        again.begin(plan);
        EXPECT_EQ(again.run().digest, run(plan).digest) << "its own seed, when nobody is asked";
    }
}

TEST(BeginAgain, TellsTheWatchersOfTheOldWorldNothing) {
    struct Counter final : Observer {
        std::uint64_t steps = 0;
        void on_step(StepSeen const&) override { ++steps; }
    } counter;
    World world(plan_of(5));
    world.watch(counter);
    Outcome const watched = world.run();
    EXPECT_EQ(counter.steps, watched.steps);
    world.begin(plan_of(5));
    EXPECT_EQ(world.run().digest, watched.digest);
    EXPECT_EQ(counter.steps, watched.steps);
}

TEST(BeginAgain, ALargeWorldLeavesRoomForASmallOne) {
    World again(plan_of(3'000));
    Outcome outcome;
    again.run(outcome);
    EXPECT_TRUE(outcome.all_ready());
    for (std::uint32_t const nranks : {3U, 3'000U, 1U, 100U}) {
        again.begin(plan_of(nranks));
        again.run(outcome);
        EXPECT_EQ(difference(outcome, run(plan_of(nranks))), "") << nranks << " ranks";
    }
}

}  // namespace
}  // namespace ronde::sim
