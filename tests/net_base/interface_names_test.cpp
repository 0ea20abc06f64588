// NCCL_SOCKET_IFNAME's grammar, and what is said about texts that do not follow it.

#include "net/interface_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::net {
namespace {

NamePattern pattern(std::string_view text, InterfaceRule rule = InterfaceRule::ronde) {
    auto parsed = parse_name_pattern(text, "RONDE_SOCKET_IFNAME", rule);
    EXPECT_TRUE(parsed) << parsed.error();
    return parsed.value_or(NamePattern{});
}

std::string fault(std::string_view text, InterfaceRule rule = InterfaceRule::ronde) {
    auto const parsed = parse_name_pattern(text, "NCCL_SOCKET_IFNAME", rule);
    return parsed ? "accepted" : parsed.error();
}

TEST(InterfaceNames, ItemsArePrefixesUnlessAnEqualsSignMakesThemExact) {
    EXPECT_TRUE(pattern("eth,ib").wants("eth0"));
    EXPECT_TRUE(pattern("eth,ib").wants("ib3"));
    EXPECT_FALSE(pattern("eth,ib").wants("lo"));
    EXPECT_TRUE(pattern("=eth0,ib0").wants("ib0"));
    EXPECT_FALSE(pattern("=eth0").wants("eth01"));
}

TEST(InterfaceNames, ACaretExcludesPrefixesOrExactNames) {
    EXPECT_FALSE(pattern("^docker,lo").wants("docker0"));
    EXPECT_TRUE(pattern("^docker,lo").wants("eth0"));
    EXPECT_FALSE(pattern("^=docker0").wants("docker0"));
    EXPECT_TRUE(pattern("^=docker0").wants("docker01"));
}

TEST(InterfaceNames, APortIsAcceptedAndIgnored) {
    EXPECT_THAT(pattern("=mlx5_0:1,eth0:2").items, testing::ElementsAre("mlx5_0", "eth0"));
    EXPECT_EQ(
        fault("eth0:one"),
        "NCCL_SOCKET_IFNAME='eth0:one': item 1 ('eth0:one') has something other than a port number after its colon");
}

TEST(InterfaceNames, TheLabelOfASecondAddressGoesByItsInterface) {
    EXPECT_TRUE(pattern("=eth0").wants("eth0:1"));
    EXPECT_FALSE(pattern("^=eth0").wants("eth0:1"));
}

TEST(InterfaceNames, SixteenItemsAndFifteenCharactersFitOneMoreOfEitherDoesNot) {
    EXPECT_EQ(pattern("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p").items.size(), 16U);
    EXPECT_THAT(fault("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"),
                testing::HasSubstr("item 17 ('q') is one too many, at most 16 are read"));
    EXPECT_TRUE(pattern("=abcdefghijklmno").wants("abcdefghijklmno"));
    EXPECT_EQ(fault("=abcdefghijklmnop"), "NCCL_SOCKET_IFNAME='=abcdefghijklmnop': item 1 ('abcdefghijklmnop') is "
                                          "longer than the 15 characters that an interface "
                                          "name may have");
}

TEST(InterfaceNames, BadFormsAreNamedWithVariableAndItem) {
    EXPECT_THAT(fault("^"), testing::StartsWith("NCCL_SOCKET_IFNAME='^': no interface name after '^'"));
    EXPECT_THAT(fault("="), testing::StartsWith("NCCL_SOCKET_IFNAME='=': no interface name after '='"));
    EXPECT_THAT(fault("^="), testing::StartsWith("NCCL_SOCKET_IFNAME='^=': no interface name after '^='"));
    EXPECT_EQ(fault("eth0,,ib0"), "NCCL_SOCKET_IFNAME='eth0,,ib0': item 2 ('') is empty");
    EXPECT_EQ(fault("eth0,"), "NCCL_SOCKET_IFNAME='eth0,': item 2 ('') is empty");
    EXPECT_EQ(fault(","), "NCCL_SOCKET_IFNAME=',': item 1 ('') is empty");
    EXPECT_EQ(fault("eth0, ib0"), "NCCL_SOCKET_IFNAME='eth0, ib0': item 2 (' ib0') contains a space");
    EXPECT_EQ(
        fault("^lo,^docker"),
        "NCCL_SOCKET_IFNAME='^lo,^docker': item 2 ('^docker') contains ^ or =, which only stand before the first item");
    EXPECT_THAT(fault("=^lo"), testing::HasSubstr("item 1 ('^lo') contains ^ or ="));
    EXPECT_THAT(fault("eth0/24"), testing::HasSubstr("contains a slash"));
}

TEST(InterfaceNames, NoWishIsNoPatternAndNcclIgnoresASingleCharacter) {
    EXPECT_TRUE(pattern("").empty());
    EXPECT_TRUE(pattern("^", InterfaceRule::compat).empty());
    EXPECT_TRUE(pattern("e", InterfaceRule::compat).empty());
    EXPECT_TRUE(pattern("e").wants("eth0"));
}

}  // namespace
}  // namespace ronde::net
