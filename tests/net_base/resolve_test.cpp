// "host:port" and what is said about texts that are none. Names other than localhost are not looked up here.

#include "net/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ronde::net {
namespace {

using testing::HasSubstr;

std::string resolved(std::string_view text, Family family = Family::none) {
    ResolveOptions options;
    options.family = family;
    auto const endpoints = resolve(text, options);
    if (!endpoints)
        return endpoints.error();
    std::string list;
    for (Endpoint const& endpoint : *endpoints)
        list += (list.empty() ? "" : " ") + to_text(endpoint);
    return list;
}

TEST(Resolve, LiteralsAreThemselves) {
    EXPECT_EQ(resolved("10.0.0.5:29500"), "10.0.0.5:29500");
    EXPECT_EQ(resolved("[2001:db8::a]:1"), "[2001:db8::a]:1");
    EXPECT_EQ(resolved("[fe80::1%lo]:65535"), "[fe80::1%lo]:65535");
    EXPECT_EQ(resolved("[10.0.0.5]:7"), "10.0.0.5:7");
}

TEST(Resolve, LocalhostIsALoopbackAddress) { EXPECT_EQ(resolved("localhost:80", Family::ipv4), "127.0.0.1:80"); }

TEST(Resolve, SaysWhatIsWrongWithAText) {
    EXPECT_EQ(resolved("node1"), "'node1': no port; expected host:port or [ipv6]:port");
    EXPECT_EQ(resolved(""), "'': no port; expected host:port or [ipv6]:port");
    EXPECT_THAT(resolved(":80"), HasSubstr("no host"));
    EXPECT_THAT(resolved("[]:80"), HasSubstr("no host"));
    EXPECT_THAT(resolved("::1:80"), HasSubstr("an IPv6 address needs brackets"));
    EXPECT_THAT(resolved("[::1:80"), HasSubstr("the bracket is not closed"));
    EXPECT_THAT(resolved("[::1]"), HasSubstr("no port after the bracket"));
    EXPECT_THAT(resolved("[::1]80"), HasSubstr("no port after the bracket"));
    for (char const* const text : {"a:", "a:0", "a:65536", "a:http", "a:-1", "a:80 "}) {
        EXPECT_THAT(resolved(text), HasSubstr("the port is not a number from 1 to 65535")) << text;
    }
}

TEST(Resolve, BrokenLiteralsNeverGoToANameServer) {
    EXPECT_THAT(resolved("[fe80::1%no-such-port]:80"), HasSubstr("names an interface that is not here"));
    EXPECT_THAT(resolved("[node1]:80"), HasSubstr("is no IPv6 address"));
    EXPECT_THAT(resolved("fe80%lo:80"), HasSubstr("is no IPv6 address"));
}

TEST(Resolve, ALiteralOfTheOtherFamilyIsSaidToBeOne) {
    EXPECT_EQ(resolved("10.0.0.5:80", Family::ipv6), "'10.0.0.5:80' is not an IPv6 address");
    EXPECT_EQ(resolved("[::1]:80", Family::ipv4), "'[::1]:80' is not an IPv4 address");
}

TEST(Resolve, ReturnsWithinItsBudget) {
    ResolveOptions options;
    options.budget_ns = 0;
    // With no time at all either the answer is there already or the budget is named; nothing waits.
    auto const endpoints = resolve("localhost:80", options);
    if (!endpoints) {
        EXPECT_THAT(endpoints.error(), HasSubstr("no name server answered about 'localhost' within 0 ms"));
    }
}

}  // namespace
}  // namespace ronde::net
