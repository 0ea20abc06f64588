// Endpoints as text, as sockaddr, and how far they reach.

#include "net/endpoint.hpp"

#include <gtest/gtest.h>

#include <net/if.h>
#include <netinet/in.h>

#include <cstring>

namespace ronde::net {
namespace {

Endpoint endpoint(std::string_view address, std::uint16_t port = 0) {
    auto const parsed = parse_address(address, port);
    EXPECT_TRUE(parsed) << address;
    return parsed.value_or(Endpoint{});
}

TEST(EndpointText, ShowsAddressAndPortAndTheScopeByName) {
    EXPECT_EQ(to_text(endpoint("10.0.0.5", 43117)), "10.0.0.5:43117");
    EXPECT_EQ(to_text(endpoint("2001:db8::a", 80)), "[2001:db8::a]:80");
    EXPECT_EQ(to_text(endpoint("fe80::1%lo", 1)), "[fe80::1%lo]:1");
    EXPECT_EQ(to_text(Endpoint{}), "none");

    Endpoint elsewhere = endpoint("fe80::1", 1);
    elsewhere.scope_id = 1'000'000;
    EXPECT_EQ(to_text(elsewhere), "[fe80::1%1000000]:1") << "an interface that is not here goes by its number";
}

TEST(EndpointText, OnlyLiteralsAreAddresses) {
    for (char const* const text : {"", "localhost", "10.0.0", "10.0.0.256", "10.0.0.5:80", "[::1]", "::1%",
                                   "fe80::1%no-such-port", "1.2.3.4%lo", "::g"}) {
        EXPECT_FALSE(parse_address(text)) << text;
    }
    EXPECT_FALSE(parse_address(std::string_view("10.0.0.5\0x", 10)));
}

TEST(EndpointText, AScopeCountsForLinkLocalAddressesOnly) {
    EXPECT_EQ(endpoint("fe80::1%lo").scope_id, if_nametoindex("lo"));
    EXPECT_EQ(endpoint("2001:db8::1%lo").scope_id, 0U);
}

TEST(EndpointSockaddr, GoesThereAndBack) {
    for (char const* const text : {"10.0.0.5", "2001:db8::a", "fe80::1%lo", "0.0.0.0"}) {
        Endpoint const original = endpoint(text, 43117);
        SocketAddress const address = to_sockaddr(original);
        EXPECT_EQ(from_sockaddr(address.get(), address.length), original) << text;
    }
    EXPECT_EQ(to_sockaddr(Endpoint{}).length, 0U);
}

TEST(EndpointSockaddr, AMappedAddressIsTheOneItStandsFor) {
    sockaddr_in6 mapped{};
    mapped.sin6_family = AF_INET6;
    mapped.sin6_port = htons(80);
    unsigned char const bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 5};
    std::memcpy(&mapped.sin6_addr, bytes, sizeof bytes);
    EXPECT_EQ(to_text(from_sockaddr(reinterpret_cast<sockaddr const*>(&mapped), sizeof mapped)), "10.0.0.5:80");
}

TEST(EndpointSockaddr, ShortOrForeignAddressesAreNone) {
    SocketAddress const address = to_sockaddr(endpoint("10.0.0.5", 1));
    EXPECT_EQ(from_sockaddr(address.get(), address.length - 1).family, Family::none);
    EXPECT_EQ(from_sockaddr(nullptr, 0).family, Family::none);
    sockaddr_storage local{};
    local.ss_family = AF_UNIX;
    EXPECT_EQ(from_sockaddr(reinterpret_cast<sockaddr const*>(&local), sizeof local).family, Family::none);
}

TEST(EndpointReach, TellsHowFarAnAddressGoes) {
    struct Case {
        char const* text;
        Reach reach;
    };
    for (auto const& [text, reach] : {
             Case{"127.0.0.1", Reach::loopback},
             Case{"127.255.3.4", Reach::loopback},
             Case{"::1", Reach::loopback},
             Case{"169.254.1.2", Reach::link_local_4},
             Case{"fe80::1", Reach::link_local_6},
             Case{"febf::1", Reach::link_local_6},
             Case{"fec0::1", Reach::routable},
             Case{"10.0.0.5", Reach::routable},
             Case{"100.64.0.1", Reach::routable},
             Case{"fd00::2", Reach::routable},
             Case{"::2", Reach::routable},
             Case{"0.0.0.0", Reach::none},
             Case{"::", Reach::none},
             Case{"224.0.0.1", Reach::none},
             Case{"255.255.255.255", Reach::none},
             Case{"ff02::1", Reach::none},
         }) {
        EXPECT_EQ(reach_of(endpoint(text)), reach) << text;
    }
    EXPECT_EQ(reach_of(Endpoint{}), Reach::none);
}

TEST(EndpointSubnet, ComparesPrefixBitsWithinAFamily) {
    EXPECT_TRUE(same_subnet(endpoint("10.1.0.5"), endpoint("10.1.0.250"), 24));
    EXPECT_FALSE(same_subnet(endpoint("10.1.0.5"), endpoint("10.1.1.5"), 24));
    EXPECT_TRUE(same_subnet(endpoint("10.1.0.130"), endpoint("10.1.0.131"), 31));
    EXPECT_FALSE(same_subnet(endpoint("10.1.0.129"), endpoint("10.1.0.130"), 31));
    EXPECT_TRUE(same_subnet(endpoint("1.2.3.4"), endpoint("9.9.9.9"), 0));
    EXPECT_TRUE(same_subnet(endpoint("2001:db8::1"), endpoint("2001:db8::ffff"), 64));
    EXPECT_FALSE(same_subnet(endpoint("fe80::1%lo"), endpoint("fe80::2"), 64));
    EXPECT_FALSE(same_subnet(endpoint("0.0.0.1"), endpoint("::1"), 0));
    EXPECT_FALSE(same_subnet(Endpoint{}, Endpoint{}, 0));
}

}  // namespace
}  // namespace ronde::net
