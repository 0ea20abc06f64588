/// Which address to tell the others: the list of interfaces as plain values, and the choice as a pure function.
///
/// Two rules. `ronde` (default) picks the address that reaches farthest; `compat` gives the answer of NCCL's
/// published rule, for comparing and for hosts that were configured around it.
#pragma once

#include "net/endpoint.hpp"
#include "net/os_failure.hpp"

#include <tl/expected.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace ronde::net {

/// One address of one interface. An interface without addresses has one item with Family::none.
struct InterfaceAddress {
    std::string name;
    Endpoint address;  ///< port 0; scope_id set for link-local IPv6
    std::uint32_t prefix_bits = 0;
    bool running = true;    ///< IFF_UP and IFF_RUNNING
    bool loopback = false;  ///< IFF_LOOPBACK
    friend bool operator==(InterfaceAddress const&, InterfaceAddress const&) = default;
};

/// In getifaddrs(3) order: all IPv4 addresses by interface, then all IPv6, then interfaces without either.
[[nodiscard]] tl::expected<std::vector<InterfaceAddress>, OsFailure> list_interfaces();

enum class InterfaceRule : std::uint8_t { ronde, compat };

/// What the user said, and where, so that an error can point there.
struct InterfaceRequest {
    /// NCCL's grammar: `eth,ib` names beginning with one of these; `=eth0,eth1` exactly these; `^docker,lo` none that
    /// begin so; `^=docker0` exactly these not. At most 16 items; `:port` after an item is accepted and ignored.
    /// Empty: no wish.
    std::string names;
    std::string names_source = "RONDE_SOCKET_IFNAME";
    /// AF_INET, AF_INET6, or empty.
    std::string family;
    std::string family_source = "RONDE_SOCKET_FAMILY";
    /// A fixed root address, when there is one.
    std::optional<Endpoint> root;
    /// The local address the kernel routes to `root` from, see route_source(); `ronde` follows it.
    std::optional<Endpoint> route_source;
    InterfaceRule rule = InterfaceRule::ronde;
};

/// Looks up a variable: nothing when it is not set. `std::getenv` in production, a map in tests.
using VariableLookup = std::function<std::optional<std::string>(std::string const& name)>;
[[nodiscard]] std::optional<std::string> environment_variable(std::string const& name);

/// RONDE_SOCKET_IFNAME and RONDE_SOCKET_FAMILY, or else NCCL_SOCKET_IFNAME and NCCL_SOCKET_FAMILY; a variable set to
/// the empty text counts as not set. RONDE_INTERFACE_RULE=compat asks for NCCL's rule.
[[nodiscard]] tl::expected<InterfaceRequest, std::string> interface_request_from(VariableLookup const& lookup);

/// Why an address was taken or not: one line of the why-table.
struct InterfaceVerdict {
    InterfaceAddress candidate;
    std::string reason;  ///< "chosen", "not running", "name excluded by RONDE_SOCKET_IFNAME='^docker'", ...
};

struct InterfaceChoice {
    InterfaceAddress chosen;
    std::string warning;  ///< one line, or empty; such as a link-local address that other hosts may not reach
    std::vector<InterfaceVerdict> verdicts;
};

struct InterfaceRefusal {
    std::string message;  ///< one line that names the variable and the offending item, or what was looked for
    std::vector<InterfaceVerdict> verdicts;  ///< empty when the request itself is malformed
};

/// Pure: same list, same request, same answer. O(n log n).
[[nodiscard]] tl::expected<InterfaceChoice, InterfaceRefusal>
choose_interface(std::vector<InterfaceAddress> const& list, InterfaceRequest const& request);

/// "  eth0     10.0.0.5/24   chosen" and so on, one line for each candidate, aligned; ends with a newline.
[[nodiscard]] std::string why_table(std::vector<InterfaceVerdict> const& verdicts);

/// The three together, for this host and its environment. The error is the message, followed by the why-table.
[[nodiscard]] tl::expected<InterfaceChoice, std::string> choose_interface_here(InterfaceRequest request);

}  // namespace ronde::net
