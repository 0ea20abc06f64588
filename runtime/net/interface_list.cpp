#include "net/interfaces.hpp"
#include "net/socket.hpp"

#include <fmt/format.h>

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace ronde::net {

namespace {

std::uint32_t prefix_of(sockaddr const* netmask, Family family) {
    // Some tunnels have no netmask: then the address stands for itself only.
    std::uint32_t const whole = family == Family::ipv4 ? 32 : 128;
    if (netmask == nullptr)
        return whole;
    std::uint32_t bits = 0;
    socklen_t const length = family == Family::ipv4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    for (std::uint8_t const byte : from_sockaddr(netmask, length).address) {
        bits += static_cast<std::uint32_t>(std::bitset<8>(byte).count());
    }
    return bits;
}

std::optional<std::string> first_set(VariableLookup const& lookup, std::initializer_list<char const*> names,
                                     std::string& source) {
    for (char const* const name : names) {
        auto value = lookup(name);
        if (value && !value->empty()) {
            source = name;
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace

tl::expected<std::vector<InterfaceAddress>, OsFailure> list_interfaces() {
    ifaddrs* raw = nullptr;
    if (::getifaddrs(&raw) != 0)
        return tl::unexpected(os_failure(OsCall::system, errno));
    std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> const list(raw, ::freeifaddrs);

    std::vector<InterfaceAddress> result;
    std::vector<InterfaceAddress> seen;  ///< every interface once, from its link-layer item
    for (ifaddrs const* item = raw; item != nullptr; item = item->ifa_next) {
        InterfaceAddress found;
        found.name = item->ifa_name;
        found.running = (item->ifa_flags & IFF_UP) != 0 && (item->ifa_flags & IFF_RUNNING) != 0;
        found.loopback = (item->ifa_flags & IFF_LOOPBACK) != 0;
        int const family = item->ifa_addr == nullptr ? AF_UNSPEC : item->ifa_addr->sa_family;
        if (family == AF_INET || family == AF_INET6) {
            socklen_t const length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
            found.address = from_sockaddr(item->ifa_addr, length);
            found.prefix_bits = prefix_of(item->ifa_netmask, found.address.family);
            result.push_back(std::move(found));
        } else {
            seen.push_back(std::move(found));
        }
    }
    std::size_t const with_address = result.size();
    for (InterfaceAddress& bare : seen) {
        auto const known_end = result.begin() + static_cast<std::ptrdiff_t>(with_address);
        bool const has_address = std::any_of(result.begin(), known_end, [&](InterfaceAddress const& other) {
            // An IPv4 address may go by a label, "eth0:1".
            return other.name.substr(0, other.name.find(':')) == bare.name;
        });
        if (!has_address)
            result.push_back(std::move(bare));
    }
    return result;
}

std::optional<std::string> environment_variable(std::string const& name) {
    char const* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

tl::expected<InterfaceRequest, std::string> interface_request_from(VariableLookup const& lookup) {
    InterfaceRequest request;
    request.names = first_set(lookup, {"RONDE_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"}, request.names_source).value_or("");
    request.family =
        first_set(lookup, {"RONDE_SOCKET_FAMILY", "NCCL_SOCKET_FAMILY"}, request.family_source).value_or("");
    std::string const rule = lookup("RONDE_INTERFACE_RULE").value_or("");
    if (rule == "compat") {
        request.rule = InterfaceRule::compat;
    } else if (!rule.empty() && rule != "ronde") {
        return tl::unexpected(fmt::format("RONDE_INTERFACE_RULE='{}' is no rule; expected ronde or compat", rule));
    }
    return request;
}

std::string why_table(std::vector<InterfaceVerdict> const& verdicts) {
    auto const address_of = [](InterfaceAddress const& candidate) {
        if (candidate.address.family == Family::none)
            return std::string("-");
        return fmt::format("{}/{}", address_text(candidate.address), candidate.prefix_bits);
    };
    std::size_t name_width = 0;
    std::size_t address_width = 0;
    for (InterfaceVerdict const& verdict : verdicts) {
        name_width = std::max(name_width, verdict.candidate.name.size());
        address_width = std::max(address_width, address_of(verdict.candidate).size());
    }
    std::string table;
    for (InterfaceVerdict const& verdict : verdicts) {
        table += fmt::format("  {:<{}}  {:<{}}  {}\n", verdict.candidate.name, name_width,
                             address_of(verdict.candidate), address_width, verdict.reason);
    }
    return table;
}

tl::expected<InterfaceChoice, std::string> choose_interface_here(InterfaceRequest request) {
    auto const list = list_interfaces();
    if (!list)
        return tl::unexpected("cannot list the interfaces of this host: " + describe(list.error()));
    if (request.root && !request.route_source) {
        // Without a route the rule falls back to subnets and grades.
        if (auto const source = route_source(*request.root))
            request.route_source = *source;
    }
    auto choice = choose_interface(*list, request);
    if (choice)
        return std::move(*choice);
    std::string text = std::move(choice.error().message);
    if (!choice.error().verdicts.empty()) {
        text += ":\n" + why_table(choice.error().verdicts);
        text.pop_back();
    }
    return tl::unexpected(std::move(text));
}

}  // namespace ronde::net
