/// Reading scenarios, and being told what is wrong with one: file, line, key, what was given, what was expected.
#include "scenario/scenario.hpp"

#include <gtest/gtest.h>

namespace ronde::sim {
namespace {

TEST(Reading, AnEmptyScenarioIsTheDefaultWorldUnderTheNameOfItsFile) {
    auto const plan = read_scenario("", "some/where/mine.toml");
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->name, "mine");
    WorldPlan const plain;
    EXPECT_EQ(plan->nranks, plain.nranks);
    EXPECT_EQ(plan->policies, plain.policies);
    EXPECT_EQ(plan->host, plain.host);
    EXPECT_TRUE(plan->faults.empty());
}

TEST(Reading, AWholeScenario) {
    auto const plan = read_scenario(R"(
name = "all of it"
ranks = "96Ki"
roots = 3
seed = 7
profile = "nccl"
deadline = "never"
ranks_per_host = [8, 4]

[policy]
gather = "ring"
handshake_patience = "1.5s"

[network]
same_rack = "lognormal 20us 300"
loss = "0.5%"
bandwidth = "10Gbit/s"

[host]
somaxconn = 512
abort_on_overflow = true

[[hosts]]
first = 3
count = 2
cores = 4

[root_host]
accept_service = "15us"

[[link]]
from = 1
to = 2
loss = "10%"

[[fault]]
kind = "crash"
ranks = "5, 9-10"
when = "rank 5 enters connecting_ring"
at = "2s"
death = "silent"

[[fault]]
kind = "stranger"
root = 2
stranger = "http"
listener = "root"
times = 3
every = "exponential 1ms"
)",
                                    "all.toml");
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->name, "all of it");
    EXPECT_EQ(plan->nranks, 98'304U);
    EXPECT_EQ(plan->nroots, 3U);
    EXPECT_EQ(plan->seed, 7U);
    EXPECT_EQ(plan->budget_ns, kNever);
    EXPECT_EQ(plan->ranks_per_host, (std::vector<std::uint32_t>{8, 4}));
    EXPECT_EQ(plan->policies.profile, protocol::Profile::nccl);
    EXPECT_EQ(plan->policies.gather, protocol::Gather::ring);
    EXPECT_EQ(plan->policies.stagger, protocol::Stagger::rate_per_root) << "the profile's own choice stays";
    EXPECT_EQ(plan->policies.handshake_patience_ms, 1'500U);
    EXPECT_EQ(plan->network.same_rack, Distribution::log_normal(20'000, 300));
    EXPECT_EQ(plan->network.loss_per_million, 5'000U);
    EXPECT_EQ(plan->network.bytes_per_second, 1'250'000'000U);
    ASSERT_EQ(plan->hosts.size(), 1U);
    EXPECT_EQ(plan->hosts[0].first, 3U);
    EXPECT_EQ(plan->hosts[0].host.cores, 4U);
    EXPECT_EQ(plan->hosts[0].host.somaxconn, 512U) << "what is left out is as in [host]";
    EXPECT_TRUE(plan->hosts[0].host.abort_on_overflow);
    EXPECT_EQ(plan->root_host.accept_service_ns, 15'000);
    EXPECT_EQ(plan->root_host.somaxconn, 4'096U);
    ASSERT_EQ(plan->links.size(), 1U);
    EXPECT_FALSE(plan->links[0].delay);
    EXPECT_EQ(plan->links[0].loss_per_million, 100'000U);
    ASSERT_EQ(plan->faults.size(), 2U);
    Fault const& crash = plan->faults[0];
    EXPECT_EQ(crash.kind, FaultKind::crash);
    EXPECT_EQ(crash.target, Target::ranks);
    EXPECT_EQ(crash.ranks, (std::vector<RankRange>{{5, 1}, {9, 2}}));
    EXPECT_EQ(crash.when.rank, 5U);
    EXPECT_EQ(crash.when.phase, protocol::Phase::connecting_ring);
    EXPECT_EQ(crash.when.at_ns, 2 * kSecondNs);
    EXPECT_EQ(crash.death, Death::silent);
    EXPECT_EQ(crash.duration_ns, kNever);
    Fault const& stranger = plan->faults[1];
    EXPECT_EQ(stranger.target, Target::root);
    EXPECT_EQ(stranger.index, 2U);
    EXPECT_EQ(stranger.stranger, StrangerKind::http);
    EXPECT_EQ(stranger.listener, protocol::Listener::root);
    EXPECT_EQ(stranger.times, 3U);
    EXPECT_EQ(stranger.every, Distribution::exponential(kMillisecondNs));
}

TEST(Reading, ThePolicySectionChangesTheProfileWhereverTheProfileStands) {
    auto const plan = read_scenario("profile = \"article\"\npolicy = { gather = \"ring2\" }\n", "f.toml");
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->policies.profile, protocol::Profile::article);
    EXPECT_EQ(plan->policies.gather, protocol::Gather::ring2);
}

struct Wrong {
    char const* name;
    char const* toml;
    char const* said;  ///< the whole line
};
class Errors : public testing::TestWithParam<Wrong> {};

TEST_P(Errors, AreOneLineThatNamesThePlace) {
    auto const plan = read_scenario(GetParam().toml, "storm.toml");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error(), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    OfScenarios, Errors,
    testing::Values(
        Wrong{"misspelt_key", "ranks = 4\n[network]\nsame_rak = \"20us\"\n",
              "storm.toml:3: [network] same_rak: no such key; did you mean same_rack?"},
        Wrong{"misspelt_section", "[netwrok]\nloss = \"1%\"\n",
              "storm.toml:1: netwrok: no such key; did you mean network?"},
        Wrong{"key_of_another_section", "[root]\nsomaxconn = 128\n",
              "storm.toml:2: [root] somaxconn: no such key; [root_host] somaxconn has one"},
        Wrong{"misspelt_word", "profile = \"nccc\"\n",
              "storm.toml:1: profile: 'nccc' is no profile; expected article, nccl or ronde; did you mean nccl?"},
        Wrong{"out_of_range", "\n\nranks = 0\n", "storm.toml:3: ranks: '0' is not a number of 1 to 1048576"},
        Wrong{"negative", "ranks = -4\n",
              "storm.toml:1: ranks: '-4' is not a number of 1 to 1048576; 98k is 98000, 96Ki is 98304"},
        Wrong{"fraction", "[network]\nloss = 0.02\n",
              "storm.toml:2: [network] loss: a fraction needs quotes and a unit, such as \"1.5ms\" or \"0.5%\""},
        Wrong{
            "no_unit", "deadline = 30\n",
            "storm.toml:1: deadline: '30' is no duration of 1ns to 86400s; expected one such as 20us, 1.5ms or 2s, or "
            "never"},
        Wrong{"table_for_a_value", "seed = { a = 1 }\n",
              "storm.toml:1: seed: expected a number, true, false, a text in quotes, or a list"},
        Wrong{"value_for_a_section", "network = 4\n", "storm.toml:1: network: expected a section [network]"},
        Wrong{"single_brackets", "[fault]\nkind = \"crash\"\n",
              "storm.toml:1: fault: expected sections [[fault]], in double brackets"},
        Wrong{"missing_key", "[[link]]\nfrom = 1\n", "storm.toml:1: [[link]]: to is missing"},
        Wrong{"nobody_struck", "ranks = 8\n\n[[fault]]\nkind = \"crash\"\nat = \"1s\"\n",
              "storm.toml:3: [[fault]]: kind crash needs exactly one of ranks, root and host: whom it strikes"},
        Wrong{"two_struck", "[[fault]]\nkind = \"crash\"\nranks = \"1\"\nroot = 0\n",
              "storm.toml:1: [[fault]]: kind crash needs exactly one of ranks, root and host: whom it strikes"},
        Wrong{"meaningless_duration", "[[fault]]\nkind = \"crash\"\nranks = \"1\"\nduration = \"1s\"\n",
              "storm.toml:1: [[fault]]: duration means nothing to kind crash; leave it out"},
        Wrong{"meaningless_times", "[[fault]]\nkind = \"never\"\nranks = \"1\"\ntimes = 3\n",
              "storm.toml:1: [[fault]]: times means nothing to kind never; it belongs to stranger"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(Errors, OfTomlItselfNameTheLineToo) {
    auto const plan = read_scenario("ranks = 4\nseed = = 3\n", "storm.toml");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().find("storm.toml:2: "), 0U) << plan.error();
    EXPECT_EQ(plan.error().find('\n'), std::string::npos) << plan.error();
    auto const twice = read_scenario("ranks = 4\n\nranks = 5\n", "storm.toml");
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().find("storm.toml:3: "), 0U) << twice.error();
}

TEST(Overrides, ChangeTopSectionAndElementKeys) {
    auto plan = read_scenario("[[fault]]\nkind = \"crash\"\nranks = \"1\"\n", "f.toml");
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(set_key(*plan, "ranks=4k"), "");
    EXPECT_EQ(set_key(*plan, "network.same_rack=50us"), "");
    EXPECT_EQ(set_key(*plan, "root_host.somaxconn=128"), "");
    EXPECT_EQ(set_key(*plan, "fault.0.at=2s"), "");
    EXPECT_EQ(set_key(*plan, "ranks_per_host=8, 2"), "");
    EXPECT_EQ(plan->nranks, 4'000U);
    EXPECT_EQ(plan->network.same_rack, Distribution::constant(50'000));
    EXPECT_EQ(plan->root_host.somaxconn, 128U);
    EXPECT_EQ(plan->faults[0].when.at_ns, 2 * kSecondNs);
    EXPECT_EQ(plan->ranks_per_host, (std::vector<std::uint32_t>{8, 2}));
}

TEST(Overrides, ThatMakeNoSenseChangeNothing) {
    WorldPlan plan;
    EXPECT_EQ(set_key(plan, "ranks"), "'ranks': expected KEY=VALUE, such as network.same_rack=50us");
    EXPECT_EQ(set_key(plan, "rank=4"), "rank: no such key; did you mean ranks?");
    EXPECT_EQ(set_key(plan, "netwrk.loss=1%"), "netwrk: no such section; did you mean network?");
    EXPECT_EQ(set_key(plan, "network.los=1%"), "[network] los: no such key; did you mean loss?");
    EXPECT_EQ(set_key(plan, "ranks=none"),
              "ranks: 'none' is not a number of 1 to 1048576; 98k is 98000, 96Ki is 98304");
    EXPECT_EQ(set_key(plan, "fault.0.at=1s"),
              "fault.0.at: expected fault.N.KEY with N below 0, the number of [[fault]] there are");
    EXPECT_EQ(write_scenario(plan), write_scenario(WorldPlan()));
}

}  // namespace
}  // namespace ronde::sim
