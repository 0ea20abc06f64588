/// Which host this is: equal numbers mean that two ranks share a machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ronde::net {

/// What the number is made of.
struct HostIdentity {
    std::string host_name;    ///< whole, never cut at a dot: node1.siteA and node1.siteB are two machines
    std::string boot_id;      ///< /proc/sys/kernel/random/boot_id: tells machines with one name apart
    std::string override_id;  ///< RONDE_HOSTID, or else NCCL_HOSTID; replaces both when not empty
};

/// Pure; the same on every machine and compiler. Never 0.
[[nodiscard]] std::uint64_t host_id_of(HostIdentity const& identity) noexcept;

/// Of this host, now. An unreadable boot id is left empty.
[[nodiscard]] HostIdentity this_host();

}  // namespace ronde::net
