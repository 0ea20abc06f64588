/// What the operating system refused, sorted by what to do about it.
#pragma once

#include "protocol/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ronde::net {

/// The call that failed: the same errno means different things in different places.
enum class OsCall : std::uint8_t {
    socket,    ///< socket(2) and its options
    bind,      ///< bind(2), listen(2)
    connect,   ///< connect(2), or SO_ERROR of a connection under way
    accept,    ///< accept4(2)
    transfer,  ///< reading from or writing to an established connection
    system,    ///< everything else: epoll, getifaddrs, rlimits, files
};

/// A failure by kind, and the raw errno for the message.
struct OsFailure {
    protocol::Failure failure = protocol::Failure::other;
    std::int32_t os_error = 0;
    OsCall call = OsCall::system;
    friend constexpr bool operator==(OsFailure const&, OsFailure const&) = default;
};

/// The kind of `os_error` (an errno value > 0) in that call. Total: unknown numbers are Failure::other.
[[nodiscard]] protocol::Failure failure_of(OsCall call, int os_error) noexcept;

/// Both in one, for `return tl::unexpected(os_failure(OsCall::bind, errno))`.
[[nodiscard]] OsFailure os_failure(OsCall call, int os_error) noexcept;

/// What accept4(2) said, sorted by what a server should do.
enum class AcceptOutcome : std::uint8_t {
    accepted,
    again,           ///< nobody waits any more (EAGAIN); wait for readiness
    skip,            ///< that one connection is lost or was forbidden; call again at once
    no_descriptors,  ///< EMFILE, ENFILE, ENOBUFS, ENOMEM: the connection stays queued; back off, then call again
    fatal,           ///< the listener itself is unusable
};
[[nodiscard]] AcceptOutcome accept_outcome_of(int os_error) noexcept;

/// "Connection refused (ECONNREFUSED)"; "no error" for 0. Thread-safe, needs no locale.
[[nodiscard]] std::string describe_errno(int os_error);
/// "connect: Connection refused (ECONNREFUSED)".
[[nodiscard]] std::string describe(OsFailure const& failure);

[[nodiscard]] std::string_view name_of(OsCall call) noexcept;

}  // namespace ronde::net
