/// What this host grants: descriptors, backlog, ports; and what a rank or a root needs of them.
#pragma once

#include "net/os_failure.hpp"
#include "net/socket.hpp"
#include "protocol/policy.hpp"

#include <optional>

namespace ronde::net {

struct DescriptorLimit {
    std::uint64_t soft = 0;
    std::uint64_t hard = 0;
};
[[nodiscard]] tl::expected<DescriptorLimit, OsFailure> descriptor_limit();
/// Raises the soft limit of this process to the hard one; returns the limits afterwards. A process that
/// uses select(2) must not do this: descriptors above 1023 overflow its sets.
tl::expected<DescriptorLimit, OsFailure> raise_descriptor_limit();
/// Descriptors open in this process now. 0 when /proc is not mounted.
[[nodiscard]] std::uint64_t open_descriptors();

/// Descriptors that any process of ours has besides its sockets: epoll, timer, wake-up, signals, and a
/// spare one for files that are opened in passing (/proc, resolver, recording).
inline constexpr std::uint64_t kLoopDescriptors = 5;

/// Most descriptors that one rank holds at once, by parts.
///
///   listeners   1, or 2 with Reply::callback
///   root_links  1, or 2 for the first rank of a block when there are several roots
///   doors       unproven connections that may be pending at once
///   chords      2 * ceil(log2 N), both directions: a ring gather gets by with 2 until the job is ready, but barrier
///               and broadcast use all of them whatever the gather
///
/// Point-to-point messages come on top: one for each peer written to and one for each peer heard.
struct DescriptorNeed {
    std::uint64_t listeners = 0;
    std::uint64_t root_links = 0;
    std::uint64_t doors = 0;
    std::uint64_t chords = 0;
    std::uint64_t members = 0;  ///< root: check-in connections that are kept, or the one it calls back on

    [[nodiscard]] constexpr std::uint64_t total() const { return listeners + root_links + doors + chords + members; }
    DescriptorNeed& operator+=(DescriptorNeed const& other) noexcept;
};

/// `policies` must be resolved for (nranks, nroots).
[[nodiscard]] DescriptorNeed descriptors_of_rank(protocol::Policies const& policies, std::uint32_t nranks,
                                                 std::uint32_t nroots, protocol::RankId rank) noexcept;
/// One listener, up to `pending_limit` unproven connections (one when accepting is serial), and with
/// Reply::same_connection one for each expected check-in, else one to call back on.
[[nodiscard]] DescriptorNeed descriptors_of_root(protocol::Policies const& policies, std::uint32_t nranks,
                                                 std::uint32_t nroots, std::uint32_t root_index,
                                                 std::uint32_t pending_limit) noexcept;

/// Raises the soft limit when it has to and can. Otherwise one line, such as "descriptor limit 64, need 173
/// (100 links to ranks, 0 links to roots, 1 listeners, 64 unproven, 8 others), hard limit 64: raise it (…) or …".
/// `already_open`: descriptors that this process has for other reasons; see open_descriptors().
[[nodiscard]] tl::expected<void, std::string> check_descriptors(DescriptorNeed const& need, std::uint64_t already_open);
/// The decision of check_descriptors() as a pure function.
[[nodiscard]] std::optional<std::string> descriptor_shortage(DescriptorNeed const& need, std::uint64_t already_open,
                                                             DescriptorLimit const& limit);

/// /proc/sys/net/core/somaxconn of this network namespace; the kernel's default (4096) when it cannot be read.
[[nodiscard]] std::uint32_t somaxconn();
/// A warning line when `expected_check_ins` can come at once but the accept queue is shorter, else empty.
[[nodiscard]] std::string backlog_warning(std::uint32_t expected_check_ins, std::uint32_t somaxconn);

/// /proc/sys/net/ipv4/ip_local_port_range; {0, 0} when it cannot be read.
[[nodiscard]] PortRange ephemeral_ports();

}  // namespace ronde::net
