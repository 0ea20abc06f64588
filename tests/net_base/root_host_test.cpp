// Listeners are open before the id exists, and stay so without a gap.

#include "loopback.hpp"
#include "net/socket.hpp"

#include <ronde/unique_id.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>

namespace ronde {
namespace {

using protocol::Endpoint;
using testing::HasSubstr;
using testing::StartsWith;

IdOptions on_loopback(std::uint32_t roots = 1) {
    IdOptions options;
    options.loopback = true;
    options.roots = roots;
    return options;
}

bool is_listening(int fd) {
    int value = 0;
    socklen_t length = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0;
}

TEST(RootHost, HoldsOneListenerForEachRootOfTheId) {
    auto host = UniqueId::create(on_loopback(3));
    ASSERT_TRUE(host) << host.error();
    std::vector<int> const descriptors = host->descriptors();
    ASSERT_EQ(descriptors.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(is_listening(descriptors[i]));
        EXPECT_EQ(net::local_endpoint(descriptors[i]), host->id().roots()[i]);
        EXPECT_EQ(net::address_text(host->id().roots()[i]), "127.0.0.1");
    }
    EXPECT_EQ(host->warning(), "") << "the loopback was asked for";
}

TEST(RootHost, HandsItsListenersOverOpen) {
    std::vector<net::Fd> listeners;
    Endpoint root;
    {
        auto host = UniqueId::create(on_loopback());
        ASSERT_TRUE(host);
        root = host->id().roots().front();
        listeners = host->take_listeners();
        EXPECT_TRUE(host->descriptors().empty());
        EXPECT_TRUE(host->take_listeners().empty());
    }
    ASSERT_EQ(listeners.size(), 1U);
    EXPECT_TRUE(is_listening(listeners.front().get()));
    EXPECT_EQ(net::local_endpoint(listeners.front().get()), root);
}

TEST(RootHost, KeepsThePortFromTheFirstMomentToItsEnd) {
    auto host = UniqueId::create(on_loopback());
    ASSERT_TRUE(host);
    net::ListenRequest grab;
    grab.at = host->id().roots().front();
    EXPECT_EQ(net::listen_on(grab).error().failure, protocol::Failure::address_in_use);
    RootHost moved = std::move(*host);
    EXPECT_EQ(net::listen_on(grab).error().failure, protocol::Failure::address_in_use);
    { RootHost const gone = std::move(moved); }
    EXPECT_TRUE(net::listen_on(grab)) << "and then it is free";
}

TEST(RootHost, ListensOnIpv6WhenTheFamilySaysSo) {
    if (!test::has_loopback(protocol::Family::ipv6))
        GTEST_SKIP() << "this host has no ::1";
    IdOptions options = on_loopback();
    options.family = "AF_INET6";
    auto const host = UniqueId::create(options);
    ASSERT_TRUE(host) << host.error();
    EXPECT_EQ(net::address_text(host->id().roots().front()), "::1");
}

TEST(RootHost, UsesPortsOfTheRangeAndSaysWhenThereAreTooFew) {
    IdOptions options = on_loopback(2);
    // The upper half of what the kernel never hands out by itself; taken ports are passed over.
    options.first_port = 28'200;
    options.last_port = 28'299;
    auto const host = UniqueId::create(options);
    ASSERT_TRUE(host) << host.error();
    for (Endpoint const& root : host->id().roots()) {
        EXPECT_GE(root.port, 28'200);
        EXPECT_LE(root.port, 28'299);
    }
    options.roots = 1;
    options.first_port = options.last_port = host->id().roots().front().port;
    auto const second = UniqueId::create(options);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error(), testing::AllOf(StartsWith("every port of "), HasSubstr(" at 127.0.0.1 is in use")));
}

TEST(RootHost, BadOptionsAreRefusedBeforeAnySocket) {
    EXPECT_EQ(UniqueId::create(on_loopback(0)).error(), "roots is 0, expected 1 to 4");
    EXPECT_EQ(UniqueId::create(on_loopback(5)).error(), "roots is 5, expected 1 to 4");
    IdOptions options;
    options.interface = "^";
    EXPECT_THAT(UniqueId::create(options).error(), StartsWith("interface='^': no interface name"));
    options.interface = "=no-such-port";
    EXPECT_THAT(UniqueId::create(options).error(),
                StartsWith("no interface of this host fits interface='=no-such-port':\n  lo "));
    options.loopback = true;
    EXPECT_EQ(UniqueId::create(options).error(), "loopback and interface '=no-such-port' exclude each other");
    options = on_loopback();
    options.first_port = 5;
    options.last_port = 4;
    EXPECT_EQ(UniqueId::create(options).error(), "port range 5-4 is empty");
    options.first_port = 0;
    EXPECT_EQ(UniqueId::create(options).error(), "the port range has no beginning");
}

TEST(RootHost, AFixedAddressIsListenedAtOnceAndNeverShared) {
    auto const somewhere = UniqueId::create(on_loopback());
    ASSERT_TRUE(somewhere);
    std::string const taken = net::to_text(somewhere->id().roots().front());
    auto const id = UniqueId::at_address(taken);
    ASSERT_TRUE(id) << id.error();
    auto const host = RootHost::listen_at(*id);
    ASSERT_FALSE(host);
    EXPECT_THAT(host.error(), StartsWith(taken + " is in use by another program or another bootstrap"));
}

TEST(RootHost, AFixedAddressOfAnotherHostIsNamed) {
    auto const id = UniqueId::at_address("203.0.113.254:29500");
    ASSERT_TRUE(id);
    EXPECT_THAT(RootHost::listen_at(*id).error(), StartsWith("203.0.113.254 is no address of this host"));
}

TEST(RootHost, AFixedAddressOfThisHostIsHeld) {
    Endpoint free;
    {
        auto const moment = UniqueId::create(on_loopback());
        ASSERT_TRUE(moment);
        free = moment->id().roots().front();
    }
    // An own loopback address keeps other tests from taking the port meanwhile.
    auto const id = UniqueId::at_address("127.83.19.8:" + std::to_string(free.port));
    ASSERT_TRUE(id);
    auto const host = RootHost::listen_at(*id);
    ASSERT_TRUE(host) << host.error();
    EXPECT_EQ(host->id(), *id);
    EXPECT_TRUE(is_listening(host->descriptors().front()));
}

}  // namespace
}  // namespace ronde
