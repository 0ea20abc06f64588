/// The scenarios that come with the program: all readable, all explained, none with a contradiction.
#include "scenario/scenario.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ronde::sim {
namespace {

TEST(Shipped, AreReadableExplainedAndPossible) {
    std::set<std::string_view> names;
    for (Shipped const& shipped : shipped_scenarios()) {
        SCOPED_TRACE(shipped.name);
        EXPECT_TRUE(names.empty() || *names.rbegin() < shipped.name) << "not sorted";
        names.insert(shipped.name);
        EXPECT_EQ(shipped.toml.find("# "), 0U) << "the first line says what it is";
        EXPECT_LE(shipped.title().size(), 100U);
        EXPECT_NE(shipped.toml.find("\n# Expect: "), std::string_view::npos) << "says what to expect";
        auto const plan = load_scenario(std::string(shipped.name));
        ASSERT_TRUE(plan) << plan.error();
        EXPECT_EQ(plan->name, shipped.name);
        EXPECT_EQ(contradiction_in(*plan), "");
    }
    for (char const* const name :
         {"article-4", "storm-4k", "storm-32k", "storm-98k", "stragglers", "uneven-hosts", "lossy-management-network",
          "port-scan", "missing-ranks", "root-dies", "restart-wave", "nccl-98k-1", "nccl-98k-16", "nccl-98k-768"})
        EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Shipped, TheLargeOnesHave98304Ranks) {
    EXPECT_EQ(load_scenario("storm-98k")->nranks, 98'304U);
    auto const nccl = load_scenario("nccl-98k-768");
    ASSERT_TRUE(nccl);
    EXPECT_EQ(nccl->nroots, 768U);
    EXPECT_EQ(nccl->policies, protocol::policies_of(protocol::Profile::nccl));
}

TEST(Shipped, AMisspeltNameIsCorrected) {
    auto const plan = load_scenario("strom-4k");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().find("'strom-4k' is no scenario; did you mean storm-4k?"), 0U) << plan.error();
}

TEST(Shipped, AFileThatIsNotThereIsNamed) {
    auto const plan = load_scenario("./no/such.toml");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error(), "./no/such.toml: cannot read: No such file or directory");
}

}  // namespace
}  // namespace ronde::sim
