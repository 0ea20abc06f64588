/// A plan that is written reads back as the same plan, whatever is in it.
#include "engine/seeded_oracle.hpp"
#include "scenario/scenario.hpp"
#include "scenario/schema.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

/// Every key of both as text, so that a difference names itself.
void expect_equal(WorldPlan const& a, WorldPlan const& b) {
    for (Section const& section : schema()) {
        std::size_t const count = section.repeated ? section.count(a) : 1;
        if (section.repeated) {
            ASSERT_EQ(count, section.count(b)) << section.name;
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (Key const& key : section.keys)
                ASSERT_EQ(key.text_of(a, i), key.text_of(b, i)) << full_name(section, key.name) << " of element " << i;
        }
    }
}

WorldPlan read_back(WorldPlan const& plan) {
    std::string const text = write_scenario(plan);
    auto const again = read_scenario(text, "again.toml");
    EXPECT_TRUE(again) << again.error() << "\n" << text;
    return again.value_or(WorldPlan());
}

TEST(Writing, LeavesOutWhatIsAsUsual) {
    WorldPlan plan;
    plan.name = "w";
    plan.nranks = 98'304;
    plan.policies = protocol::policies_of(protocol::Profile::nccl);
    plan.policies.gather = protocol::Gather::ring;
    plan.root_host.accept_service_ns = 15'000;
    plan.faults.push_back({});
    plan.faults.back().ranks = {{4'000, 8}};
    EXPECT_EQ(write_scenario(plan), "name = \"w\"\n"
                                    "ranks = 98304\n"
                                    "profile = \"nccl\"\n"
                                    "\n[policy]\n"
                                    "gather = \"ring\"\n"
                                    "\n[root_host]\n"
                                    "accept_service = \"15us\"\n"
                                    "\n[[fault]]\n"
                                    "kind = \"crash\"\n"
                                    "ranks = \"4000-4007\"\n");
    expect_equal(read_back(plan), plan);
}

TEST(Writing, KeepsNamesWithQuotesAndControlCharacters) {
    WorldPlan plan;
    plan.name = "a \"quoted\\name\"\tand 123";
    EXPECT_EQ(read_back(plan).name, plan.name);
    plan.name = "123";
    EXPECT_EQ(read_back(plan).name, plan.name);
}

TEST(Writing, KeepsSeedsThatTomlHasNoNumberFor) {
    WorldPlan plan;
    plan.seed = std::uint64_t{1} << 63;
    EXPECT_EQ(read_back(plan).seed, plan.seed);
}

/// Candidate texts for a key; those that it does not take are passed over.
constexpr std::string_view kTexts[] = {"0",
                                       "1",
                                       "2",
                                       "3",
                                       "7",
                                       "97",
                                       "1000",
                                       "65535",
                                       "1048576",
                                       "0.03%",
                                       "15us",
                                       "1.5ms",
                                       "2s",
                                       "never",
                                       "true",
                                       "false",
                                       "ronde",
                                       "nccl",
                                       "article",
                                       "ring",
                                       "ring2",
                                       "star",
                                       "lock_step",
                                       "keyed",
                                       "magic",
                                       "after_all",
                                       "serial",
                                       "concurrent",
                                       "chords",
                                       "backoff",
                                       "rank_ms",
                                       "silent",
                                       "everyone",
                                       "none",
                                       "off",
                                       "uniform 10us..50us",
                                       "lognormal 20us 300",
                                       "bimodal 20us 5s 2%",
                                       "empirical 1us 2us 9us",
                                       "exponential 1ms",
                                       "normal 1.26s 70ms",
                                       "10Gbit/s",
                                       "4KiB",
                                       "0-15, 17",
                                       "5",
                                       "rank 5 enters gathering",
                                       "http",
                                       "closes",
                                       "root",
                                       "callback",
                                       "8, 4, 2",
                                       "a \"name\""};

/// A plan with random values in random keys of every section.
WorldPlan random_plan(std::uint64_t seed) {
    SeededOracle oracle(seed);
    std::uint64_t draw = 0;
    auto const pick = [&](std::uint32_t n) { return oracle.pick(Choice::other, draw++, n); };
    WorldPlan plan;
    for (Section const& section : schema()) {
        std::size_t const count = section.repeated ? pick(4) : 1;
        for (std::size_t i = 0; i < count; ++i) {
            if (section.repeated)
                section.append(plan);
            if (section.name == "fault") {
                EXPECT_EQ(section.keys[1].take(plan, i, "3"), "") << "a fault strikes somebody";
            }
            for (Key const& key : section.keys) {
                // What a kind of fault has no use for is refused when read: see check_fault.
                if (section.name == "fault" && key.name != "at" && key.name != "when" && key.name != "host")
                    continue;
                for (std::uint32_t tries = pick(2) * 6; tries > 0; --tries)
                    static_cast<void>(key.take(plan, i, kTexts[pick(std::size(kTexts))]));
            }
        }
    }
    return plan;
}

TEST(Writing, RandomPlansReadBackAsTheyAre) {
    std::size_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        WorldPlan const plan = random_plan(seed);
        std::string const text = write_scenario(plan);
        longest = std::max(longest, text.size());
        auto const again = read_scenario(text, "again.toml");
        ASSERT_TRUE(again) << "seed " << seed << ": " << again.error() << "\n" << text;
        expect_equal(*again, plan);
        ASSERT_EQ(write_scenario(*again), text) << "seed " << seed;
        if (HasFatalFailure())
            FAIL() << "seed " << seed;
    }
    EXPECT_GT(longest, 500U) << "the plans are not all empty";
}

TEST(Writing, EveryKindOfFaultReadsBack) {
    for (FaultShape const& shape : fault_shapes()) {
        WorldPlan plan;
        Fault fault;
        fault.kind = shape.kind;
        fault.target = Target::root;
        fault.index = 0;
        if (!shape.duration.empty())
            fault.duration_ns = 5 * kMillisecondNs;
        if (!shape.amount.empty())
            fault.amount = 2;
        plan.faults.push_back(fault);
        expect_equal(read_back(plan), plan);
    }
}

TEST(Schema, KnowsEveryKindOfFaultOnce) {
    ASSERT_EQ(fault_shapes().size(), kFaultKinds);
    for (std::uint32_t kind = 0; kind < kFaultKinds; ++kind)
        EXPECT_EQ(fault_shapes()[kind].kind, static_cast<FaultKind>(kind));
}

TEST(Schema, EveryDefaultIsAValueThatItsKeyTakes) {
    for (Section const& section : schema()) {
        WorldPlan plain;
        if (section.repeated)
            section.append(plain);
        for (Key const& key : section.keys) {
            std::string const value = key.text_of(plain, 0);
            if (value.empty())
                continue;
            WorldPlan plan = plain;
            EXPECT_EQ(key.take(plan, 0, value), "") << full_name(section, key.name) << " = " << value;
            EXPECT_EQ(key.text_of(plan, 0), value) << full_name(section, key.name);
        }
    }
}

}  // namespace
}  // namespace ronde::sim
