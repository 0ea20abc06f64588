// One errno means different things in different calls.

#include "net/os_failure.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace ronde::net {
namespace {

using protocol::Failure;

TEST(OsFailure, ConnectTellsRefusedSilenceDistanceAndShortageApart) {
    struct Case {
        int os_error;
        Failure failure;
    };
    for (auto const& [os_error, failure] : {
             Case{ECONNREFUSED, Failure::refused},
             Case{ETIMEDOUT, Failure::timed_out},
             Case{EHOSTUNREACH, Failure::unreachable},
             Case{ENETUNREACH, Failure::unreachable},
             Case{EHOSTDOWN, Failure::unreachable},
             Case{ECONNRESET, Failure::reset},
             Case{ECONNABORTED, Failure::reset},
             Case{EADDRNOTAVAIL, Failure::no_ports},
             Case{EADDRINUSE, Failure::no_ports},
             Case{EMFILE, Failure::no_descriptors},
             Case{ENFILE, Failure::no_descriptors},
             Case{ENOBUFS, Failure::no_descriptors},
             Case{ENOMEM, Failure::no_descriptors},
             Case{EAGAIN, Failure::no_descriptors},
             Case{EACCES, Failure::not_permitted},
             Case{EPERM, Failure::not_permitted},
             Case{EINVAL, Failure::bad_address},
             Case{EAFNOSUPPORT, Failure::bad_address},
             Case{EBADF, Failure::other},
             Case{0, Failure::none},
         }) {
        EXPECT_EQ(failure_of(OsCall::connect, os_error), failure) << describe_errno(os_error);
    }
}

TEST(OsFailure, BindSpeaksOfTheAddressWhereConnectSpeaksOfPorts) {
    EXPECT_EQ(failure_of(OsCall::bind, EADDRINUSE), Failure::address_in_use);
    EXPECT_EQ(failure_of(OsCall::bind, EADDRNOTAVAIL), Failure::bad_address);
    EXPECT_EQ(failure_of(OsCall::bind, EACCES), Failure::not_permitted);
}

TEST(OsFailure, ABrokenPipeIsAReset) {
    EXPECT_EQ(failure_of(OsCall::transfer, EPIPE), Failure::reset);
    EXPECT_EQ(failure_of(OsCall::transfer, ECONNRESET), Failure::reset);
    EXPECT_EQ(failure_of(OsCall::transfer, ETIMEDOUT), Failure::timed_out);
}

TEST(OsFailure, AcceptSurvivesWhatBefallsOneConnection) {
    for (int const os_error : {EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                               EOPNOTSUPP, ENETUNREACH, EPERM, ETIMEDOUT}) {
        EXPECT_EQ(accept_outcome_of(os_error), AcceptOutcome::skip) << describe_errno(os_error);
    }
    for (int const os_error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
        EXPECT_EQ(accept_outcome_of(os_error), AcceptOutcome::no_descriptors) << describe_errno(os_error);
    }
    for (int const os_error : {EBADF, EINVAL, ENOTSOCK, EFAULT}) {
        EXPECT_EQ(accept_outcome_of(os_error), AcceptOutcome::fatal) << describe_errno(os_error);
    }
    EXPECT_EQ(accept_outcome_of(EAGAIN), AcceptOutcome::again);
    EXPECT_EQ(accept_outcome_of(0), AcceptOutcome::accepted);
}

TEST(OsFailure, IsDescribedWithCallTextAndName) {
    EXPECT_EQ(describe(os_failure(OsCall::connect, ECONNREFUSED)), "connect: Connection refused (ECONNREFUSED)");
    EXPECT_EQ(describe_errno(0), "no error");
    EXPECT_EQ(describe_errno(100'000), "error 100000");
}

}  // namespace
}  // namespace ronde::net
