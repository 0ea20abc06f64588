// Descriptors, backlog, ports: what is needed, what there is, and the line that says so.

#include "net/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ronde::net {
namespace {

using protocol::Policies;
using protocol::Profile;
using testing::HasSubstr;

Policies policies(Profile profile, std::uint32_t nranks, std::uint32_t nroots = 1) {
    return protocol::resolve(protocol::policies_of(profile), nranks, nroots);
}

TEST(Descriptors, ARankNeedsTwoForEachChord) {
    Policies const ronde = policies(Profile::ronde, 1000);
    DescriptorNeed const need = descriptors_of_rank(ronde, 1000, 1, 7);
    EXPECT_EQ(need.listeners, 1U);
    EXPECT_EQ(need.root_links, 1U);
    EXPECT_EQ(need.chords, 20U) << "2^10 >= 1000";
    EXPECT_EQ(need.members, 0U);
    EXPECT_EQ(descriptors_of_rank(ronde, 1, 1, 0).chords, 0U);
}

TEST(Descriptors, TheClassicBootstrapListensTwice) {
    EXPECT_EQ(descriptors_of_rank(policies(Profile::article, 8), 8, 1, 0).listeners, 2U);
}

TEST(Descriptors, TheFirstRankOfABlockKnowsTwoRoots) {
    Policies const ronde = policies(Profile::ronde, 10, 4);
    EXPECT_EQ(descriptors_of_rank(ronde, 10, 4, 3).root_links, 2U);
    EXPECT_EQ(descriptors_of_rank(ronde, 10, 4, 4).root_links, 1U);
}

TEST(Descriptors, ARootKeepsItsCheckInsOrCallsBackOneByOne) {
    EXPECT_EQ(descriptors_of_root(policies(Profile::ronde, 100), 100, 1, 0, 64).members, 100U);
    EXPECT_EQ(descriptors_of_root(policies(Profile::ronde, 100, 2), 100, 2, 1, 64).members, 51U);
    DescriptorNeed const classic = descriptors_of_root(policies(Profile::article, 100), 100, 1, 0, 64);
    EXPECT_EQ(classic.members, 1U);
    EXPECT_EQ(classic.doors, 1U) << "it accepts one at a time";
}

TEST(Descriptors, AShortageIsSaidInNumbers) {
    DescriptorNeed need;
    need.listeners = 1;
    need.members = 100;
    need.doors = 64;
    EXPECT_FALSE(descriptor_shortage(need, 3, {64, 4096})) << "the soft limit can be raised";
    EXPECT_EQ(descriptor_shortage(need, 3, {64, 128}),
              "descriptor limit 64, need 173 (100 links to ranks, 0 links to roots, 1 listeners, 64 unproven, 8 "
              "others), hard limit "
              "128: raise it (ulimit -Hn 173) or hold fewer ranks in one process");
    EXPECT_FALSE(descriptor_shortage(need, 3, {64, 173}));
}

TEST(Descriptors, NeedsOfSeveralRanksAddUp) {
    DescriptorNeed sum;
    sum += descriptors_of_rank(policies(Profile::ronde, 4), 4, 1, 0);
    sum += descriptors_of_rank(policies(Profile::ronde, 4), 4, 1, 1);
    EXPECT_EQ(sum.total(), 2 * descriptors_of_rank(policies(Profile::ronde, 4), 4, 1, 0).total());
}

/// Limits can be lowered but not raised again, so each of these stories is told in a process of its own.
template <class Story>
int in_a_child(Story&& story) {
    pid_t const child = ::fork();
    if (child == 0)
        ::_exit(story());
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void set_limit(rlim_t soft, rlim_t hard) {
    rlimit const limit{soft, hard};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        ::_exit(99);
}

TEST(Descriptors, TheSoftLimitIsRaisedWhenItHasToBe) {
    DescriptorNeed need;
    need.members = 100;
    EXPECT_EQ(in_a_child([&] {
                  set_limit(64, 512);
                  if (!check_descriptors(need, 10))
                      return 1;
                  return descriptor_limit()->soft == 512 ? 0 : 2;
              }),
              0);
    need.members = 20;
    EXPECT_EQ(in_a_child([&] {
                  set_limit(64, 512);
                  if (!check_descriptors(need, 10))
                      return 1;
                  return descriptor_limit()->soft == 64 ? 0 : 2;
              }),
              0)
        << "what suffices is left alone";
}

TEST(Descriptors, AHardLimitThatIsTooLowIsAnErrorBeforeAnySocket) {
    DescriptorNeed need;
    need.members = 100;
    EXPECT_EQ(in_a_child([&] {
                  set_limit(64, 64);
                  auto const checked = check_descriptors(need, 10);
                  if (checked)
                      return 1;
                  return checked.error().find("descriptor limit 64, need 115 ") == 0 ? 0 : 2;
              }),
              0);
}

TEST(Descriptors, AcceptAtTheLimitIsTriedAgainAndNotFatal) {
    EXPECT_EQ(in_a_child([] {
                  auto const listener = listen_on({loopback(Family::ipv4), {}, 0, false});
                  auto const client = start_connect(listener->endpoint);
                  if (!listener || !client)
                      return 1;
                  // Reserve every descriptor below the limit.
                  set_limit(64, 64);
                  std::vector<Fd> all;
                  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0))
                      all.emplace_back(fd);
                  if (accept_one(listener->fd.get()).outcome != AcceptOutcome::no_descriptors)
                      return 2;
                  all.pop_back();
                  return accept_one(listener->fd.get()).outcome == AcceptOutcome::accepted ? 0 : 3;
              }),
              0);
}

TEST(Descriptors, OpenOnesAreCounted) {
    std::uint64_t const before = open_descriptors();
    EXPECT_GE(before, 3U);
    Fd const one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(open_descriptors(), before + 1);
}

TEST(Backlog, AShortQueueIsAWarningOnlyWhenItMatters) {
    EXPECT_EQ(backlog_warning(4096, 4096), "");
    EXPECT_EQ(backlog_warning(4097, 4096), "") << "the kernel lets one more wait";
    EXPECT_THAT(backlog_warning(4098, 4096),
                testing::AllOf(HasSubstr("4098 ranks may check in at once"), HasSubstr("holds 4096"),
                               HasSubstr("net.core.somaxconn=4098")));
    EXPECT_GT(somaxconn(), 0U);
}

TEST(Ports, TheEphemeralRangeIsKnown) {
    PortRange const range = ephemeral_ports();
    EXPECT_GT(range.size(), 1000U);
}

}  // namespace
}  // namespace ronde::net
