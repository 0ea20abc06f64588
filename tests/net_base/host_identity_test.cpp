// Ranks share a machine exactly when their host ids are equal.

#include "net/host_identity.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ronde::net {
namespace {

TEST(HostIdentity, TheWholeNameCountsAndSoDoesTheBoot) {
    std::uint64_t const site_a = host_id_of({"node1.siteA", "boot-a", ""});
    std::uint64_t const site_b = host_id_of({"node1.siteB", "boot-b", ""});
    EXPECT_NE(site_a, site_b);
    EXPECT_NE(site_a, host_id_of({"node1.siteB", "boot-a", ""})) << "containers of one machine have names of their own";
    EXPECT_NE(site_a, host_id_of({"node1.siteA", "boot-b", ""})) << "two machines of one name";
    EXPECT_EQ(site_a, host_id_of({"node1.siteA", "boot-a", ""}));
}

TEST(HostIdentity, SixteenRanksOfTwoSitesAreTwoHosts) {
    std::set<std::uint64_t> hosts;
    for (int rank = 0; rank < 16; ++rank) {
        hosts.insert(rank < 8 ? host_id_of({"node1.siteA", "boot-a", ""}) : host_id_of({"node1.siteB", "boot-b", ""}));
    }
    EXPECT_EQ(hosts.size(), 2U);
}

TEST(HostIdentity, NameAndBootDoNotRunIntoEachOther) {
    EXPECT_NE(host_id_of({"node1", "2", ""}), host_id_of({"node", "12", ""}));
    EXPECT_NE(host_id_of({"node", "", ""}), host_id_of({"", "node", ""}));
}

TEST(HostIdentity, AnOverrideReplacesBoth) {
    EXPECT_EQ(host_id_of({"a", "1", "group7"}), host_id_of({"b", "2", "group7"}));
    EXPECT_NE(host_id_of({"a", "1", "group7"}), host_id_of({"a", "1", "group8"}));
    EXPECT_NE(host_id_of({"", "", "node"}), host_id_of({"node", "", ""}));
}

TEST(HostIdentity, IsTheSameNumberOnEveryMachine) {
    EXPECT_EQ(host_id_of({"node1.siteA", "00000000-0000-0000-0000-000000000001", ""}), 0x3fa2ded3c86c3102ULL);
}

TEST(HostIdentity, ThisHostKnowsItself) {
    HostIdentity const here = this_host();
    EXPECT_FALSE(here.host_name.empty());
    EXPECT_EQ(here.boot_id.size(), 36U);
    EXPECT_EQ(host_id_of(here), host_id_of(this_host()));
    EXPECT_NE(host_id_of(here), 0U);
}

}  // namespace
}  // namespace ronde::net
