/// The texts that people read at three in the morning, word for word.
#include "protocol/error.hpp"
#include "protocol/policy.hpp"
#include "protocol/seam.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace ronde::protocol {
namespace {

Error error_of(Code code, Phase phase, RankId reporter, RankId about = kNoRank) {
    Error error;
    error.code = code;
    error.phase = phase;
    error.reporter = reporter;
    error.about = about;
    return error;
}
Error failed_with(Error error, Failure failure, std::int32_t os_error = 0) {
    error.failure = failure;
    error.os_error = os_error;
    return error;
}
Error last_seen_in(Error error, Phase phase) {
    error.about_phase = static_cast<std::uint32_t>(phase);
    return error;
}
Error disagreeing(Field field, RankId other, std::uint64_t expected, std::uint64_t got) {
    Error error = error_of(Code::mismatch, Phase::checking_in, kNoRank, 2);
    error.field = field;
    error.other = other;
    error.expected = expected;
    error.got = got;
    return error;
}
std::string text_of(Error const& error) {
    Verdict verdict;
    verdict.error = error;
    return describe(verdict);
}

constexpr RankId kRoot = kNoRank;

TEST(DescribeRanges, ListsThemAndCountsTheRest) {
    Verdict verdict;
    EXPECT_EQ(describe_ranges(verdict), "");
    verdict.range_count = 3;
    verdict.ranges[0] = {0, 0};
    verdict.ranges[1] = {3, 4};
    verdict.ranges[2] = {4000, 4007};
    EXPECT_EQ(describe_ranges(verdict), "0, 3-4, 4000-4007");
    verdict.more_ranks = 12;
    EXPECT_EQ(describe_ranges(verdict), "0, 3-4, 4000-4007 and 12 more");
    verdict.range_count = 0;
    EXPECT_EQ(describe_ranges(verdict), "12 more");
    verdict.range_count = 4'000'000'000U;
    std::string const text = describe_ranges(verdict);
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), kMaxRanges - 1);
}

TEST(Describe, Ok) { EXPECT_EQ(text_of(Error{}), "no error"); }

TEST(Describe, RanksMissing) {
    Verdict verdict;
    verdict.error = error_of(Code::ranks_missing, Phase::checking_in, kRoot, 3);
    EXPECT_EQ(describe(verdict), "checking in: rank 3 never came");
    verdict.error.about = kNoRank;
    EXPECT_EQ(describe(verdict), "checking in: no rank ever came");
    verdict.range_count = 1;
    verdict.ranges[0] = {3, 4};
    EXPECT_EQ(describe(verdict), "checking in: 2 ranks never came: 3-4");
    verdict.ranges[0] = {7, 7};
    EXPECT_EQ(describe(verdict), "checking in: 1 rank never came: 7");
    verdict.range_count = 2;
    verdict.ranges[1] = {4000, 4007};
    verdict.more_ranks = 12;
    EXPECT_EQ(describe(verdict), "checking in: 21 ranks never came: 7, 4000-4007 and 12 more");
}

TEST(Describe, Deadline) {
    Error const alone = error_of(Code::deadline, Phase::gathering, 6);
    EXPECT_EQ(text_of(alone), "gathering: the deadline passed while rank 6 was at work");
    EXPECT_EQ(text_of(error_of(Code::deadline, Phase::gathering, 6, 5)),
              "gathering: the deadline passed while rank 6 waited for rank 5");
    EXPECT_EQ(text_of(last_seen_in(error_of(Code::deadline, Phase::committing, kRoot, 5), Phase::gathering)),
              "committing: the deadline passed while the root waited for rank 5 (last seen gathering)");
    EXPECT_EQ(text_of(error_of(Code::deadline, Phase::awaiting_successor, 6)),
              "awaiting successor: the deadline passed while rank 6 waited for the root");
    EXPECT_EQ(text_of(error_of(Code::deadline, Phase::checking_in, kRoot)), "checking in: the deadline passed");
    EXPECT_EQ(text_of(error_of(Code::deadline, Phase::ready, 6, 5)),
              "after ready: the deadline passed while rank 6 waited for rank 5");
}

TEST(Describe, DeadlineAtTheRootListsWhoWasNotDone) {
    Verdict verdict;
    verdict.error = error_of(Code::deadline, Phase::committing, kRoot);
    verdict.range_count = 2;
    verdict.ranges[0] = {3, 4};
    verdict.ranges[1] = {6, 6};
    EXPECT_EQ(describe(verdict), "committing: the deadline passed before these ranks were done: 3-4, 6");
}

TEST(Describe, RankLost) {
    Error const lost = last_seen_in(error_of(Code::rank_lost, Phase::connecting_ring, 4, 5), Phase::gathering);
    EXPECT_EQ(text_of(failed_with(lost, Failure::end_of_stream)),
              "connecting ring: rank 5 (last seen gathering) ended its connection to rank 4");
    EXPECT_EQ(text_of(failed_with(lost, Failure::reset)),
              "connecting ring: rank 5 (last seen gathering) reset its connection to rank 4");
    EXPECT_EQ(text_of(failed_with(lost, Failure::timed_out)),
              "connecting ring: rank 5 (last seen gathering) no longer answers rank 4");
    EXPECT_EQ(text_of(failed_with(lost, Failure::unreachable)),
              "connecting ring: rank 5 (last seen gathering) can no longer be reached by rank 4");
    EXPECT_EQ(text_of(failed_with(error_of(Code::rank_lost, Phase::gathering, 4, 5), Failure::refused, 111)),
              "gathering: rank 5 is gone: nobody listens where rank 4 was told to find it");
    EXPECT_EQ(text_of(failed_with(error_of(Code::rank_lost, Phase::checking_in, kRoot, 5), Failure::reset)),
              "checking in: rank 5 reset its connection to the root");
}

TEST(Describe, RootLost) {
    Error const lost = error_of(Code::root_lost, Phase::checking_in, 4);
    EXPECT_EQ(text_of(failed_with(lost, Failure::refused, 111)),
              "checking in: nobody listens at the root's address (errno 111)");
    EXPECT_EQ(text_of(failed_with(lost, Failure::timed_out)),
              "checking in: nothing answers rank 4 at the root's address");
    EXPECT_EQ(text_of(failed_with(lost, Failure::unreachable, 113)),
              "checking in: rank 4 has no route to the root's host (errno 113)");
    EXPECT_EQ(text_of(failed_with(lost, Failure::end_of_stream)),
              "checking in: the root ended its connection to rank 4");
    EXPECT_EQ(text_of(failed_with(lost, Failure::reset)), "checking in: the root reset its connection to rank 4");
    EXPECT_EQ(text_of(failed_with(lost, Failure::self_connection)),
              "checking in: the root is lost: the connection met itself");
}

TEST(Describe, RootSilent) {
    EXPECT_EQ(text_of(error_of(Code::root_silent, Phase::checking_in, 4)),
              "checking in: the root's port is open, but nothing answers rank 4 there");
    EXPECT_EQ(text_of(error_of(Code::root_silent, Phase::checking_in, kNoRank)),
              "checking in: the root's port is open, but nothing answers there");
}

TEST(Describe, DuplicateRank) {
    Error error = error_of(Code::duplicate_rank, Phase::checking_in, kRoot, 3);
    EXPECT_EQ(text_of(error), "checking in: rank 3 checked in twice");
    error.expected = 4711;
    error.got = 4712;
    EXPECT_EQ(text_of(error), "checking in: rank 3 checked in twice: processes 4711 and 4712");
    error.got = 4711;  // containers count processes from 1, each for itself
    EXPECT_EQ(text_of(error),
              "checking in: rank 3 checked in twice: from two hosts or containers, both times as process 4711");
}

TEST(Describe, Mismatch) {
    EXPECT_EQ(text_of(disagreeing(Field::nranks, 0, 3, 6)), "checking in: rank 2 says nranks 6, rank 0 said 3");
    EXPECT_EQ(text_of(disagreeing(Field::nranks, kNoRank, 3, 6)), "checking in: rank 2 says nranks 6, the root said 3");
    EXPECT_EQ(text_of(disagreeing(Field::nranks, 2, 3, 6)), "checking in: rank 2 says nranks 6, the root said 3")
        << "the first to come contradicts nobody but the root";
    EXPECT_EQ(text_of(disagreeing(Field::version, 0, 1, 2)), "checking in: rank 2 speaks version 2, rank 0 version 1");
    EXPECT_EQ(text_of(disagreeing(Field::root_index, 0, 0, 1)),
              "checking in: rank 2 asks for root number 1 where root number 0 is");
    EXPECT_EQ(text_of(disagreeing(Field::roots, 0, 0xdead'beefU, 0x00c0'ffeeU)),
              "checking in: rank 2 has another list of roots than rank 0 (digests c0ffee and deadbeef)");
    EXPECT_EQ(text_of(disagreeing(Field::none, 7, 0, 0)), "checking in: rank 2 and rank 7 do not agree");
}

TEST(Describe, MismatchOfTheRankItself) {
    EXPECT_EQ(text_of(disagreeing(Field::rank, 0, 8, 9)),
              "checking in: a process says it is rank 9, but the job has 8 ranks, counted from 0");
    EXPECT_EQ(text_of(disagreeing(Field::rank, 0, 8, 2)),
              "checking in: rank 2 checked in at a root that does not serve it");
}

TEST(Describe, MismatchOfOperations) {
    Error error = error_of(Code::mismatch, Phase::ready, 7, 2);
    error.field = Field::operation;
    error.other = 7;
    error.expected = static_cast<std::uint64_t>(OperationKind::all_gather);
    error.got = static_cast<std::uint64_t>(OperationKind::barrier);
    EXPECT_EQ(text_of(error), "after ready: rank 2 calls barrier while rank 7 calls all_gather");
    error.expected = 99;
    error.other = kNoRank;
    EXPECT_EQ(text_of(error), "after ready: rank 2 calls barrier while rank 7 calls another operation");
}

TEST(Describe, MismatchOfProfilesNamesThem) {
    std::uint32_t const ronde = digest_of(resolve(policies_of(Profile::ronde), 8, 1));
    std::uint32_t const nccl = digest_of(resolve(policies_of(Profile::nccl), 8, 1));
    EXPECT_EQ(text_of(disagreeing(Field::profile, 0, ronde, nccl)),
              "checking in: rank 2 says profile nccl, rank 0 said ronde");
    EXPECT_EQ(text_of(disagreeing(Field::profile, 0, 0x0200'0001U, 0x0200'00ffU)),
              "checking in: rank 2 and rank 0 both say profile ronde, but with different policies "
              "(digests 20000ff and 2000001)");
    EXPECT_EQ(text_of(disagreeing(Field::profile, 0, 0x0200'0001U, 0x7700'0000U)),
              "checking in: rank 2 says profile unknown, rank 0 said ronde");
}

TEST(Describe, DuplicateDevice) {
    Error error = error_of(Code::duplicate_device, Phase::checking_in, kRoot, 5);
    EXPECT_EQ(text_of(error), "checking in: two ranks claim the same device of one host");
    error.other = 2;
    EXPECT_EQ(text_of(error), "checking in: ranks 2 and 5 claim the same device of one host");
    std::swap(error.about, error.other);
    EXPECT_EQ(text_of(error), "checking in: ranks 2 and 5 claim the same device of one host");
}

TEST(Describe, IdConsumed) {
    EXPECT_EQ(text_of(error_of(Code::id_consumed, Phase::checking_in, kRoot)),
              "checking in: the ring of this id already stood; an id serves one job");
    EXPECT_EQ(text_of(error_of(Code::id_consumed, Phase::created, kRoot)),
              "at the root: the ring of this id already stood; an id serves one job");
}

TEST(Describe, PeerUnreachable) {
    Error const unreachable = error_of(Code::peer_unreachable, Phase::connecting_ring, 6, 7);
    EXPECT_EQ(text_of(failed_with(unreachable, Failure::refused, 111)),
              "connecting ring: rank 6 cannot connect to rank 7: connection refused (errno 111)");
    EXPECT_EQ(text_of(failed_with(unreachable, Failure::timed_out)),
              "connecting ring: rank 6 cannot connect to rank 7: no answer");
    Error const from_root = error_of(Code::peer_unreachable, Phase::checking_in, kRoot, 8);
    EXPECT_EQ(text_of(failed_with(from_root, Failure::unreachable, 113)),
              "checking in: the root cannot connect to rank 8: no route to that host (errno 113)");
}

TEST(Describe, ProtocolViolation) {
    Error const violation = error_of(Code::protocol_violation, Phase::gathering, 4, 5);
    EXPECT_EQ(text_of(violation), "gathering: rank 5 sent rank 4 a frame that no healthy peer sends now");
    EXPECT_EQ(text_of(failed_with(violation, Failure::malformed)),
              "gathering: rank 5 sent rank 4 bytes that no healthy peer sends");
    EXPECT_EQ(text_of(failed_with(error_of(Code::protocol_violation, Phase::checking_in, 4), Failure::malformed)),
              "checking in: the root sent rank 4 bytes that no healthy peer sends");
    EXPECT_EQ(text_of(error_of(Code::protocol_violation, Phase::checking_in, kRoot)),
              "checking in: a rank sent the root a frame that no healthy peer sends now");
}

TEST(Describe, Aborted) {
    EXPECT_EQ(text_of(error_of(Code::aborted, Phase::gathering, 4, 4)), "gathering: rank 4 called abort");
    EXPECT_EQ(text_of(error_of(Code::aborted, Phase::created, 4, 4)), "before the start: rank 4 called abort");
    EXPECT_EQ(text_of(error_of(Code::aborted, Phase::gathering, 4)), "gathering: somebody called abort");
    EXPECT_EQ(text_of(error_of(Code::aborted, Phase::checking_in, kRoot)),
              "checking in: the root's program called abort");
}

TEST(Describe, LocalFailure) {
    Error const failure = error_of(Code::local_failure, Phase::listening, 4, 4);
    EXPECT_EQ(text_of(failed_with(failure, Failure::address_in_use, 98)),
              "listening: rank 4 could not go on: the address is in use (errno 98)");
    EXPECT_EQ(text_of(failed_with(failure, Failure::no_descriptors, 24)),
              "listening: rank 4 could not go on: out of file descriptors or socket memory (errno 24)");
    EXPECT_EQ(text_of(failed_with(error_of(Code::local_failure, Phase::created, kRoot), Failure::not_permitted, 13)),
              "at the root: the root could not go on: not permitted (errno 13)");
}

TEST(Describe, PeerClosed) {
    EXPECT_EQ(text_of(error_of(Code::peer_closed, Phase::ready, 4, 5)),
              "after ready: rank 5 closed its communicator while others still needed it");
}

TEST(Describe, BadArgument) {
    Error error = error_of(Code::bad_argument, Phase::ready, 4, 4);
    EXPECT_EQ(text_of(error), "after ready: rank 4 was called with numbers that do not fit");
    error.expected = 8;
    error.got = 9;
    EXPECT_EQ(text_of(error), "after ready: rank 4 was called with numbers that do not fit: got 9, expected 8");
    error = error_of(Code::bad_argument, Phase::checking_in, kRoot, 4);
    error.field = Field::nranks;
    error.expected = kMaxRanks;
    EXPECT_EQ(text_of(error), "checking in: rank 4 says nranks 0, allowed are 1 to 1048576");
    error.got = 0x7fff'ffffU;
    EXPECT_EQ(text_of(error), "checking in: rank 4 says nranks 2147483647, allowed are 1 to 1048576");
    error.got = 2;
    EXPECT_EQ(text_of(error), "checking in: rank 4 says nranks 2, which is less than there are roots");
}

TEST(Describe, ACodeFromTheFutureIsNoReasonToCrash) {
    EXPECT_EQ(text_of(error_of(static_cast<Code>(99), Phase::gathering, 4)), "gathering: error 99 of a newer protocol");
}

constexpr int kFailureCount = static_cast<int>(Failure::other) + 1;
constexpr int kFieldCount = static_cast<int>(Field::operation) + 1;

/// Every combination that an error can be, with and without ranks.
template <class Look>
void for_all_errors(Look const& look) {
    for (std::uint32_t code = 0; code < kCodeCount; ++code) {
        for (std::uint32_t phase = 0; phase < kPhaseCount; ++phase) {
            for (int failure = 0; failure < kFailureCount; ++failure) {
                for (int field = 0; field < kFieldCount; ++field) {
                    for (unsigned named = 0; named < 8; ++named) {
                        Error error = error_of(static_cast<Code>(code), static_cast<Phase>(phase), kNoRank);
                        error.failure = static_cast<Failure>(failure);
                        error.field = static_cast<Field>(field);
                        error.about_phase = phase;
                        if ((named & 1U) != 0)
                            error.about = 1;
                        if ((named & 2U) != 0)
                            error.other = 2;
                        if ((named & 4U) != 0)
                            error.reporter = 3;
                        look(error);
                    }
                }
            }
        }
    }
}

TEST(Describe, IsAlwaysOneTidyLineAndNeverPrintsARankThatIsNone) {
    for_all_errors([](Error const& error) {
        std::string const text = text_of(error);
        ASSERT_EQ(text.find(std::to_string(kNoRank)), std::string::npos) << text;
        ASSERT_EQ(text.find_first_of("\n_"), std::string::npos) << text;
        ASSERT_EQ(text.find("  "), std::string::npos) << text;
        ASSERT_EQ(text.find("unknown"), std::string::npos) << text;
        ASSERT_NE(text.back(), '.') << text;
        ASSERT_NE(text.back(), ' ') << text;
    });
}

TEST(Remedy, IsAlwaysOneLineWithoutPeriod) {
    for_all_errors([](Error const& error) {
        std::string_view const remedy = remedy_for(error);
        ASSERT_FALSE(remedy.empty());
        ASSERT_EQ(remedy.find('\n'), std::string_view::npos);
        ASSERT_NE(remedy.back(), '.');
    });
    EXPECT_FALSE(remedy_for(error_of(static_cast<Code>(99), Phase::ready, 0)).empty());
}

std::string remedy(Code code, Failure failure = Failure::none, Field field = Field::none) {
    Error error = error_of(code, Phase::checking_in, 1, 2);
    error.failure = failure;
    error.field = field;
    return std::string(remedy_for(error));
}

TEST(Remedy, EveryCodeHasItsOwn) {
    std::set<std::string> remedies;
    std::uint32_t shared = 0;
    for (std::uint32_t code = 0; code < kCodeCount; ++code)
        shared += remedies.insert(remedy(static_cast<Code>(code))).second ? 0U : 1U;
    // Without a failure nothing is known of the obstacle: root_lost, peer_unreachable and local_failure say
    // so alike.
    EXPECT_EQ(shared, 2U);
}

TEST(Remedy, FollowsFromTheObstacle) {
    EXPECT_NE(remedy(Code::peer_unreachable, Failure::timed_out).find("firewall"), std::string::npos);
    EXPECT_NE(remedy(Code::peer_unreachable, Failure::unreachable).find("interface"), std::string::npos);
    EXPECT_NE(remedy(Code::root_lost, Failure::timed_out).find("firewall"), std::string::npos);
    EXPECT_NE(remedy(Code::root_lost, Failure::refused).find("start the root before the ranks"), std::string::npos);
    EXPECT_NE(remedy(Code::root_lost, Failure::end_of_stream).find("exit status"), std::string::npos);
    EXPECT_NE(remedy(Code::local_failure, Failure::no_descriptors).find("ulimit -n"), std::string::npos);
    EXPECT_NE(remedy(Code::local_failure, Failure::no_ports).find("ip_local_port_range"), std::string::npos);
    EXPECT_NE(remedy(Code::local_failure, Failure::address_in_use).find("port"), std::string::npos);
    EXPECT_NE(remedy(Code::root_silent).find("proxy"), std::string::npos);
}

TEST(Remedy, FollowsFromWhatRanksDisagreeOn) {
    std::set<std::string> remedies;
    for (int field = 0; field < kFieldCount; ++field)
        remedies.insert(remedy(Code::mismatch, Failure::none, static_cast<Field>(field)));
    EXPECT_EQ(remedies.size(), static_cast<std::size_t>(kFieldCount));
}

}  // namespace
}  // namespace ronde::protocol
