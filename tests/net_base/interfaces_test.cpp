// Which address is told to the others. The hosts are those of public reports; "compat" is NCCL's rule.

#include "net/interfaces.hpp"

#include "interface_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ronde::net {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

InterfaceRequest named(std::string names) {
    InterfaceRequest request;
    request.names = std::move(names);
    return request;
}

InterfaceRequest of_family(std::string family) {
    InterfaceRequest request;
    request.family = std::move(family);
    return request;
}

InterfaceRequest compat(InterfaceRequest request = {}) {
    request.rule = InterfaceRule::compat;
    return request;
}

/// "eth0 10.0.0.5", or the message of the refusal.
std::string choice(std::string const& host, InterfaceRequest const& request = {}) {
    auto const result = choose_interface(test::interfaces(host), request);
    if (!result)
        return result.error().message;
    return result->chosen.name + ' ' + address_text(result->chosen.address);
}

std::string warning(std::string const& host, InterfaceRequest const& request = {}) {
    return choose_interface(test::interfaces(host), request).value().warning;
}

constexpr char const* kTunnelFirst = "lo 127.0.0.1/8; ip6tnl0 fe80::1/64; veth0 2001:db8::a/64";

TEST(Interfaces, ATunnelsLinkLocalAddressComesAfterARoutableOne) {
    EXPECT_EQ(choice(kTunnelFirst), "veth0 2001:db8::a");
    EXPECT_EQ(choice(kTunnelFirst, compat()), "ip6tnl0 fe80::1");
    EXPECT_THAT(warning(kTunnelFirst, compat()), HasSubstr("ip6tnl0 fe80::1 is link-local"));
}

constexpr char const* kSameOnEveryHost = "lo 127.0.0.1/8; ecs-eth0 169.254.172.2/22; eth0 10.0.0.5/24";

TEST(Interfaces, AnAddressThatEveryHostHasComesAfterOneOfItsOwn) {
    EXPECT_EQ(choice(kSameOnEveryHost), "eth0 10.0.0.5");
    EXPECT_EQ(choice(kSameOnEveryHost, compat()), "ecs-eth0 169.254.172.2");
    EXPECT_THAT(warning(kSameOnEveryHost), IsEmpty());
}

TEST(Interfaces, OfTwoLinkLocalAddressesTheIpv4OneComesLast) {
    std::string const host = "lo 127.0.0.1/8; eth0 169.254.9.9/16; eth1 fe80::7/64";
    EXPECT_EQ(choice(host), "eth1 fe80::7");
    EXPECT_THAT(warning(host), HasSubstr("RONDE_SOCKET_IFNAME"));
    EXPECT_EQ(choice("lo 127.0.0.1/8; eth0 169.254.9.9/16"), "eth0 169.254.9.9");
}

TEST(Interfaces, AContainersVethDoesNotDistractFromTheRealPort) {
    std::string const host = "lo 127.0.0.1/8; ens5 10.0.0.7/20; vethX fe80::2/64";
    EXPECT_EQ(choice(host), "ens5 10.0.0.7");
    EXPECT_EQ(choice(host, compat()), "ens5 10.0.0.7");
}

constexpr char const* kRoutedToTheHost =
    "lo 127.0.0.1/8; lo 192.0.2.17/32; lo ::1/128; lan0 fe80::1/64; lan1 fe80::2/64";

TEST(Interfaces, ARoutableAddressOnTheLoopbackInterfaceCounts) {
    EXPECT_EQ(choice(kRoutedToTheHost, named("lo")), "lo 192.0.2.17");
    EXPECT_EQ(choice(kRoutedToTheHost), "lo 192.0.2.17");
    EXPECT_EQ(choice(kRoutedToTheHost, compat(named("lo"))), "lo 127.0.0.1");
    EXPECT_EQ(choice(kRoutedToTheHost, compat()), "lan0 fe80::1");
}

constexpr char const* kManyPorts =
    "lo 127.0.0.1/8; enp90s0np0 10.0.0.131/31; cilium_host 10.9.0.95/32; enp220s0f0 fe80::1/64; enp220s0f1 fe80::2/64;"
    "enp90s0v0 fe80::3/64; enp90s0v1 fe80::4/64; enp90s0v2 fe80::5/64; enp90s0v3 fe80::6/64; enp90s0v4 fe80::7/64;"
    "enp90s0v5 fe80::8/64; enp90s0v6 fe80::9/64; enp90s0v7 fe80::a/64";
constexpr char const* kLongExclusion = "^ibs,ibp,lo,docker,veth,cilium,lxc";

TEST(Interfaces, AnExactNameAndAnExclusionListFindThePortAmongMany) {
    for (InterfaceRule const rule : {InterfaceRule::ronde, InterfaceRule::compat}) {
        for (std::string const& names : {std::string("=enp90s0np0"), std::string(kLongExclusion)}) {
            InterfaceRequest request = named(names);
            request.rule = rule;
            EXPECT_EQ(choice(kManyPorts, request), "enp90s0np0 10.0.0.131") << names;
        }
    }
}

TEST(Interfaces, ARefusalListsEveryInterfaceAndWhyItWasNotTaken) {
    std::string const host = "lo 127.0.0.1/8; eth0 10.0.0.5/24; enp90s0np0 10.0.0.131/31 down; enp90s0np0v1 -";
    auto const result = choose_interface(test::interfaces(host), named("enp90s0np0"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "no interface of this host fits RONDE_SOCKET_IFNAME='enp90s0np0'");
    EXPECT_EQ(why_table(result.error().verdicts),
              "  lo            127.0.0.1/8    name does not match RONDE_SOCKET_IFNAME='enp90s0np0'\n"
              "  eth0          10.0.0.5/24    name does not match RONDE_SOCKET_IFNAME='enp90s0np0'\n"
              "  enp90s0np0    10.0.0.131/31  not running\n"
              "  enp90s0np0v1  -              no IPv4 or IPv6 address\n");
}

TEST(Interfaces, TheWhyTableOfAChoiceSaysWhatCameAfterIt) {
    auto const result =
        choose_interface(test::interfaces("lo 127.0.0.1/8; docker0 172.17.0.1/16; eth0 10.0.0.5/24"), {});
    ASSERT_TRUE(result);
    EXPECT_EQ(why_table(result->verdicts),
              "  lo       127.0.0.1/8    loopback, comes after the chosen one\n"
              "  docker0  172.17.0.1/16  routable, but on a bridge for containers or guests, comes after "
              "the chosen one\n"
              "  eth0     10.0.0.5/24    chosen\n");
}

TEST(Interfaces, ADesktopWithTwentyInterfacesUsesARealPort) {
    std::string host =
        "lo 127.0.0.1/8; wlan0 10.0.1.4/24; tailscale0 100.64.0.9/32; virbr0 192.168.122.1/24; docker0 172.17.0.1/16";
    for (int i = 0; i < 12; ++i)
        host += "; veth" + std::to_string(i) + " fe80::" + std::to_string(i + 1) + "/64";
    EXPECT_EQ(choice(host), "wlan0 10.0.1.4");
    EXPECT_EQ(choice(host, compat()), "wlan0 10.0.1.4");
}

TEST(Interfaces, AHostWithNothingButLoopbackUsesIt) {
    EXPECT_EQ(choice("lo 127.0.0.1/8; lo ::1/128"), "lo 127.0.0.1");
    EXPECT_EQ(choice("lo 127.0.0.1/8; lo ::1/128", compat()), "lo 127.0.0.1");
    EXPECT_THAT(warning("lo 127.0.0.1/8"), HasSubstr("ranks on other hosts cannot reach it"));
    EXPECT_EQ(choice("lo ::1/128"), "lo ::1");
    EXPECT_THAT(choice("lo ::1/128", compat()), HasSubstr("no interface of this host"));
}

TEST(Interfaces, NobodyUpIsARefusalAndNotAGuess) {
    EXPECT_EQ(choice("lo 127.0.0.1/8 down; eth0 -"), "no interface of this host is running and has an address");
    EXPECT_EQ(choice(""), "no interface of this host is running and has an address");
}

TEST(Interfaces, InfinibandComesFirstAndBridgesComeLast) {
    std::string const host =
        "docker0 172.17.0.1/16; eth0 10.0.0.5/24; ib0 10.8.0.5/24; lo 127.0.0.1/8; virbr0 192.168.122.1/24";
    EXPECT_EQ(choice(host), "ib0 10.8.0.5");
    EXPECT_EQ(choice(host, compat()), "ib0 10.8.0.5");
    EXPECT_EQ(choice(host, named("^ib")), "eth0 10.0.0.5");
    EXPECT_EQ(choice(host, named("docker")), "docker0 172.17.0.1");
    EXPECT_THAT(warning(host, named("docker")), HasSubstr("bridge"));
}

TEST(Interfaces, NcclTriesDockerThenLoopbackThenLibvirt) {
    EXPECT_EQ(choice("lo 127.0.0.1/8; virbr0 192.168.122.1/24; docker0 172.17.0.1/16", compat()), "docker0 172.17.0.1");
    EXPECT_EQ(choice("virbr0 192.168.122.1/24; lo 127.0.0.1/8", compat()), "lo 127.0.0.1");
    EXPECT_EQ(choice("virbr0 192.168.122.1/24; lo 127.0.0.1/8 down", compat()), "virbr0 192.168.122.1");
}

TEST(Interfaces, AFamilyThatNobodyHasIsNamedWithTheVariable) {
    std::string const host = "lo 127.0.0.1/8; eth0 10.0.0.5/24";
    auto const result = choose_interface(test::interfaces(host), of_family("AF_INET6"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "no interface of this host fits RONDE_SOCKET_FAMILY=AF_INET6");
    EXPECT_THAT(why_table(result.error().verdicts),
                HasSubstr("10.0.0.5/24  wrong family for RONDE_SOCKET_FAMILY=AF_INET6"));
    EXPECT_EQ(choice("eth0 10.0.0.5/24; eth0 2001:db8::5/64", of_family("AF_INET6")), "eth0 2001:db8::5");
    EXPECT_EQ(choice("eth0 2001:db8::5/64; eth0 10.0.0.5/24", of_family("AF_INET")), "eth0 10.0.0.5");
}

TEST(Interfaces, AnUnknownFamilyIsAnErrorHereAndNoFilterThere) {
    std::string const host = "eth0 10.0.0.5/24";
    EXPECT_EQ(choice(host, of_family("inet6")),
              "RONDE_SOCKET_FAMILY='inet6' is no address family; expected AF_INET or AF_INET6");
    EXPECT_EQ(choice(host, compat(of_family("inet6"))), "eth0 10.0.0.5");
}

TEST(Interfaces, AFixedRootIsReachedByItsRouteAndNotOnlyFromItsSubnet) {
    std::string const host = "eth9 10.9.0.1/24; eth0 10.1.0.5/24; eth1 10.2.0.5/24";
    InterfaceRequest request;
    request.root = parse_address("10.3.0.9", 56321);
    request.route_source = parse_address("10.1.0.5");
    EXPECT_EQ(choice(host, request), "eth0 10.1.0.5");
    EXPECT_EQ(choice(host, compat(request)), "no interface of this host is in the subnet of the root address 10.3.0.9");

    request.root = parse_address("10.2.0.9", 56321);
    request.route_source.reset();
    EXPECT_EQ(choice(host, request), "eth1 10.2.0.5");
    request.names = "eth9";
    EXPECT_EQ(choice(host, request), "eth9 10.9.0.1") << "what was named goes before what is near";
    EXPECT_EQ(choice(host, compat(request)), "eth1 10.2.0.5") << "a fixed root overrides the name there";
}

TEST(Interfaces, OurOwnVariablesGoFirstAndEmptyOnesCountAsUnset) {
    std::map<std::string, std::string> variables{{"NCCL_SOCKET_IFNAME", "ib"}, {"NCCL_SOCKET_FAMILY", "AF_INET6"}};
    auto const request = [&] {
        return interface_request_from([&](std::string const& name) -> std::optional<std::string> {
            auto const found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
    };
    EXPECT_EQ(request()->names, "ib");
    EXPECT_EQ(request()->names_source, "NCCL_SOCKET_IFNAME");
    EXPECT_EQ(request()->family_source, "NCCL_SOCKET_FAMILY");

    variables["RONDE_SOCKET_IFNAME"] = "eth";
    variables["RONDE_SOCKET_FAMILY"] = "";
    EXPECT_EQ(request()->names, "eth");
    EXPECT_EQ(request()->names_source, "RONDE_SOCKET_IFNAME");
    EXPECT_EQ(request()->family, "AF_INET6");
    EXPECT_EQ(request()->rule, InterfaceRule::ronde);

    variables["RONDE_INTERFACE_RULE"] = "compat";
    EXPECT_EQ(request()->rule, InterfaceRule::compat);
    variables["RONDE_INTERFACE_RULE"] = "nccl";
    EXPECT_EQ(request().error(), "RONDE_INTERFACE_RULE='nccl' is no rule; expected ronde or compat");
}

TEST(Interfaces, TheListOfThisHostHasALoopback) {
    auto const list = list_interfaces();
    ASSERT_TRUE(list);
    bool const has_loopback = std::any_of(list->begin(), list->end(), [](InterfaceAddress const& item) {
        return item.loopback && item.running && address_text(item.address) == "127.0.0.1" && item.prefix_bits == 8;
    });
    EXPECT_TRUE(has_loopback) << "127.0.0.1/8 is expected on lo";
    auto const choice = choose_interface_here(named("=lo"));
    ASSERT_TRUE(choice) << choice.error();
    EXPECT_EQ(choice->chosen.name, "lo");
    auto const refused = choose_interface_here(named("=no-such-port"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("fits RONDE_SOCKET_IFNAME='=no-such-port':\n  lo "));
    EXPECT_THAT(refused.error(), Not(testing::EndsWith("\n")));
}

}  // namespace
}  // namespace ronde::net
