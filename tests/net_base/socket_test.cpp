// Real sockets on the loopback: what listeners hold, how connections begin and end.

#include "net/socket.hpp"

#include "loopback.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <set>

namespace ronde::net {
namespace {

using protocol::Failure;

ListeningSocket listen_at(Endpoint const& at) {
    ListenRequest request;
    request.at = at;
    auto listener = listen_on(request);
    if (!listener)
        throw std::runtime_error(describe(listener.error()));
    return std::move(*listener);
}

/// Waits for the connection to stand or fail; the loopback decides at once.
OsFailure outcome_of(Connecting const& connecting) {
    pollfd item{connecting.fd.get(), POLLOUT, 0};
    ::poll(&item, 1, -1);
    return finish_connect(connecting.fd.get());
}

Accepted accept_when_ready(int listener) {
    pollfd item{listener, POLLIN, 0};
    ::poll(&item, 1, -1);
    return accept_one(listener);
}

int option_of(int fd, int level, int name) {
    int value = -1;
    socklen_t length = sizeof value;
    EXPECT_EQ(::getsockopt(fd, level, name, &value, &length), 0);
    return value;
}

void expect_our_flags(int fd) {
    EXPECT_TRUE(::fcntl(fd, F_GETFL) & O_NONBLOCK);
    EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

class SocketOf : public testing::TestWithParam<Family> {
protected:
    void SetUp() override {
        if (!test::has_loopback(GetParam()))
            GTEST_SKIP() << "this host has no ::1";
    }
};
INSTANTIATE_TEST_SUITE_P(BothFamilies, SocketOf, testing::Values(Family::ipv4, Family::ipv6),
                         [](auto const& instance) { return instance.param == Family::ipv4 ? "ipv4" : "ipv6"; });

TEST_P(SocketOf, ListensAtTheAddressAndNowhereElse) {
    ListeningSocket const listener = listen_at(loopback(GetParam()));
    EXPECT_NE(listener.endpoint.port, 0);
    EXPECT_EQ(local_endpoint(listener.fd.get()), listener.endpoint);
    expect_our_flags(listener.fd.get());
    EXPECT_EQ(option_of(listener.fd.get(), SOL_SOCKET, SO_REUSEPORT), 0);
    EXPECT_EQ(option_of(listener.fd.get(), SOL_SOCKET, SO_REUSEADDR), 0);
}

TEST_P(SocketOf, ConnectsAndIsAccepted) {
    ListeningSocket const listener = listen_at(loopback(GetParam()));
    auto const connecting = start_connect(listener.endpoint);
    ASSERT_TRUE(connecting) << describe(connecting.error());
    EXPECT_EQ(outcome_of(*connecting).failure, Failure::none);
    Accepted const accepted = accept_when_ready(listener.fd.get());
    ASSERT_EQ(accepted.outcome, AcceptOutcome::accepted);
    EXPECT_EQ(accepted.peer, local_endpoint(connecting->fd.get()));
    EXPECT_EQ(peer_endpoint(connecting->fd.get()), listener.endpoint);
    for (int const fd : {connecting->fd.get(), accepted.fd.get()}) {
        expect_our_flags(fd);
        EXPECT_NE(option_of(fd, IPPROTO_TCP, TCP_NODELAY), 0);
        EXPECT_FALSE(is_self_connection(fd));
    }
    EXPECT_EQ(accept_one(listener.fd.get()).outcome, AcceptOutcome::again) << "nobody else came";
}

TEST_P(SocketOf, IsRefusedWhereNobodyListens) {
    Endpoint const gone = listen_at(loopback(GetParam())).endpoint;
    auto const connecting = start_connect(gone);
    ASSERT_TRUE(connecting);
    OsFailure const failure = outcome_of(*connecting);
    EXPECT_EQ(failure.failure, Failure::refused);
    EXPECT_EQ(failure.os_error, ECONNREFUSED);
}

TEST_P(SocketOf, NoticesThatItMetItself) {
    // Which port the kernel would have picked is a matter of luck, so the luck is forced: from and to are one port.
    Endpoint const port = listen_at(loopback(GetParam())).endpoint;
    auto const connecting = start_connect(port, &port);
    ASSERT_TRUE(connecting) << describe(connecting.error());
    EXPECT_EQ(outcome_of(*connecting).failure, Failure::self_connection);
    EXPECT_TRUE(is_self_connection(connecting->fd.get()));
}

TEST_P(SocketOf, ASecondListenerOnOnePortIsRefusedThePort) {
    ListeningSocket const first = listen_at(loopback(GetParam()));
    ListenRequest request;
    request.at = first.endpoint;
    auto const second = listen_on(request);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().failure, Failure::address_in_use);
}

TEST_P(SocketOf, AFixedPortIsFreeAgainWhileOldConnectionsLinger) {
    ListenRequest by_number;
    by_number.at = loopback(GetParam());
    by_number.ports = {28'300, 28'399};
    auto former = listen_on(by_number);
    ASSERT_TRUE(former) << describe(former.error());
    Endpoint const at = former->endpoint;
    auto const client = start_connect(at);
    ASSERT_TRUE(client);
    Accepted accepted = accept_when_ready(former->fd.get());
    accepted.fd.reset();  // the side that closes first keeps the port in TIME_WAIT
    former->fd.reset();
    char byte = 0;
    pollfd item{client->fd.get(), POLLIN, 0};
    ::poll(&item, 1, -1);
    EXPECT_EQ(::read(client->fd.get(), &byte, 1), 0);
    ListenRequest request;
    request.at = at;
    auto const again = listen_on(request);
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_EQ(again->endpoint, at);
}

TEST_P(SocketOf, AResetInTheQueueDoesNotHurtTheListener) {
    ListeningSocket const listener = listen_at(loopback(GetParam()));
    {
        auto const doomed = start_connect(listener.endpoint);
        ASSERT_TRUE(doomed);
        EXPECT_EQ(outcome_of(*doomed).failure, Failure::none);
        linger const at_once{1, 0};
        ::setsockopt(doomed->fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    auto const alive = start_connect(listener.endpoint);
    ASSERT_TRUE(alive);
    EXPECT_EQ(outcome_of(*alive).failure, Failure::none);
    // Linux hands the dead connection out; other systems report ECONNABORTED. Neither is the end.
    Accepted next = accept_when_ready(listener.fd.get());
    while (next.outcome == AcceptOutcome::skip || next.peer != local_endpoint(alive->fd.get())) {
        ASSERT_NE(next.outcome, AcceptOutcome::fatal);
        next = accept_when_ready(listener.fd.get());
    }
    EXPECT_EQ(next.outcome, AcceptOutcome::accepted);
}

TEST_P(SocketOf, AWildcardListenerStillNamesTheAddressThatWasChosen) {
    ListenRequest request;
    request.at = loopback(GetParam());
    request.wildcard = true;
    auto const listener = listen_on(request);
    ASSERT_TRUE(listener) << describe(listener.error());
    Endpoint const bound = local_endpoint(listener->fd.get()).value();
    EXPECT_EQ(bound, wildcard(GetParam(), bound.port));
    EXPECT_EQ(listener->endpoint, loopback(GetParam(), bound.port));
}

TEST(SocketErrors, AnAddressOfAnotherHostCannotBeListenedAt) {
    ListenRequest request;
    request.at = parse_address("203.0.113.254").value();
    auto const listener = listen_on(request);
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error().failure, Failure::bad_address);
    EXPECT_EQ(listen_on(ListenRequest{}).error().failure, Failure::bad_address);
    EXPECT_EQ(start_connect(Endpoint{}).error().failure, Failure::bad_address);
    EXPECT_EQ(start_connect(loopback(Family::ipv4, 0)).error().failure, Failure::bad_address);
}

TEST(SocketErrors, AcceptingOnSomethingElseIsFatal) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Fd const read_end(ends[0]);
    Fd const write_end(ends[1]);
    Accepted const accepted = accept_one(read_end.get());
    EXPECT_EQ(accepted.outcome, AcceptOutcome::fatal);
    EXPECT_EQ(accepted.failure.os_error, ENOTSOCK);
}

/// Two neighbouring ports that were free a moment ago: held by nobody, since tests run side by side.
class PortRanges : public testing::Test {
protected:
    static ListenRequest in_range(PortRange range, std::uint64_t seed) {
        ListenRequest request;
        // An address of its own keeps the test's ports apart from those of others.
        request.at = parse_address("127.83.19.7").value();
        request.ports = range;
        request.seed = seed;
        return request;
    }
    static constexpr PortRange kFour{28'100, 28'103};
};

TEST_F(PortRanges, EveryPortIsFoundWhateverTheSeedAndThenTheRangeIsExhausted) {
    for (std::uint64_t const seed : {0ULL, 1ULL, 0x2'0000'0003ULL, 0xffff'ffff'ffff'ffffULL}) {
        std::vector<Fd> held;
        std::set<std::uint16_t> ports;
        for (std::uint32_t i = 0; i < kFour.size(); ++i) {
            auto listener = listen_on(in_range(kFour, seed));
            ASSERT_TRUE(listener) << describe(listener.error());
            ports.insert(listener->endpoint.port);
            held.push_back(std::move(listener->fd));
        }
        EXPECT_THAT(ports, testing::ElementsAre(28'100, 28'101, 28'102, 28'103)) << seed;
        auto const fifth = listen_on(in_range(kFour, seed));
        ASSERT_FALSE(fifth);
        EXPECT_EQ(fifth.error().failure, Failure::address_in_use);
    }
}

TEST_F(PortRanges, SeedsBeginAtDifferentPorts) {
    std::set<std::uint16_t> first;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
        first.insert(listen_on(in_range(kFour, seed))->endpoint.port);
    EXPECT_EQ(first.size(), 4U);
}

TEST_F(PortRanges, AnotherErrorThanInUseEndsTheSearch) {
    ListenRequest request = in_range(kFour, 0);
    request.at = parse_address("203.0.113.254").value();
    EXPECT_EQ(listen_on(request).error().failure, Failure::bad_address);
    EXPECT_EQ(listen_on(in_range({9, 8}, 0)).error().failure, Failure::bad_address);
}

TEST_F(PortRanges, AreReadFromText) {
    EXPECT_EQ(parse_port_range("50000-50099"), (PortRange{50'000, 50'099}));
    EXPECT_EQ(parse_port_range("50000"), (PortRange{50'000, 50'000}));
    EXPECT_EQ(parse_port_range(""), PortRange{});
    for (char const* const text : {"0", "5-4", "1-65536", "-5", "5-", "a-b", "1 - 2", "5x"}) {
        auto const range = parse_port_range(text);
        ASSERT_FALSE(range) << text;
        EXPECT_THAT(range.error(), testing::StartsWith("'" + std::string(text) + "' is no port range")) << text;
    }
}

TEST(Routes, TheWayToTheLoopbackStartsThere) {
    EXPECT_EQ(route_source(loopback(Family::ipv4)), loopback(Family::ipv4));
    if (test::has_loopback(Family::ipv6)) {
        EXPECT_EQ(route_source(loopback(Family::ipv6, 80)), loopback(Family::ipv6));
    }
    EXPECT_FALSE(route_source(Endpoint{}));
}

TEST(OwnedDescriptor, ClosesOnceAndKeepsErrno) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    Fd moved(std::move(write_end));
    EXPECT_FALSE(write_end);  // NOLINT(bugprone-use-after-move): an Fd is empty then, by contract
    errno = EXDEV;
    moved.reset();
    EXPECT_EQ(errno, EXDEV);
    char byte = 0;
    EXPECT_EQ(::read(read_end.get(), &byte, 1), 0) << "the other end is closed";
    int const kept = read_end.release();
    EXPECT_FALSE(read_end);
    EXPECT_EQ(::close(kept), 0);
}

}  // namespace
}  // namespace ronde::net
