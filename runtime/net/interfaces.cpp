#include "net/interfaces.hpp"

#include "net/interface_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace ronde::net {

namespace {

/// How good an address is when nobody said which one to take; smaller is better.
enum class Grade : std::uint8_t {
    fast_fabric,  ///< routable, on an interface named ib…
    ordinary,     ///< routable
    on_loopback,  ///< routable, though it sits on lo: how hosts that speak routing protocols do it
    bridge,       ///< routable, but made for containers or guests of this host
    link_local_6,
    link_local_4,  ///< after IPv6, because the same address is often on every host
    loopback,
};

/// Interfaces that container engines, hypervisors and pod networks make; their addresses repeat on every host.
constexpr std::array<std::string_view, 14> kBridgePrefixes = {"docker", "virbr",  "veth",    "br-",  "cni",
                                                              "cilium", "lxc",    "lxdbr",   "cali", "flannel",
                                                              "kube",   "podman", "vboxnet", "vmnet"};

bool begins_with(std::string_view name, std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; }

Grade grade_of(InterfaceAddress const& candidate) {
    switch (reach_of(candidate.address)) {
    case Reach::link_local_6: return Grade::link_local_6;
    case Reach::link_local_4: return Grade::link_local_4;
    case Reach::routable: break;
    case Reach::loopback:
    case Reach::none: return Grade::loopback;
    }
    if (candidate.loopback)
        return Grade::on_loopback;
    bool const bridge = std::any_of(kBridgePrefixes.begin(), kBridgePrefixes.end(),
                                    [&](std::string_view prefix) { return begins_with(candidate.name, prefix); });
    if (bridge)
        return Grade::bridge;
    return begins_with(candidate.name, "ib") ? Grade::fast_fabric : Grade::ordinary;
}

std::string_view words_for(Grade grade) {
    switch (grade) {
    case Grade::fast_fabric: return "routable, on an InfiniBand interface";
    case Grade::ordinary: return "routable";
    case Grade::on_loopback: return "routable, on the loopback interface";
    case Grade::bridge: return "routable, but on a bridge for containers or guests";
    case Grade::link_local_6: return "link-local IPv6";
    case Grade::link_local_4: return "link-local IPv4";
    case Grade::loopback: return "loopback";
    }
    return "?";
}

std::string warning_about(InterfaceAddress const& chosen) {
    std::string const what = fmt::format("{} {}", chosen.name, address_text(chosen.address));
    constexpr std::string_view kRemedy = "name another interface in RONDE_SOCKET_IFNAME if ranks span hosts";
    switch (grade_of(chosen)) {
    case Grade::fast_fabric:
    case Grade::ordinary:
    case Grade::on_loopback: return {};
    case Grade::bridge: return fmt::format("{} is on a bridge that other hosts do not reach: {}", what, kRemedy);
    case Grade::link_local_6:
        return fmt::format("{} is link-local, other hosts do not reach it without its scope: {}", what, kRemedy);
    case Grade::link_local_4:
        return fmt::format("{} is link-local, other hosts may have the same address: {}", what, kRemedy);
    case Grade::loopback:
        return fmt::format("{} is a loopback address, ranks on other hosts cannot reach it: {}", what, kRemedy);
    }
    return {};
}

/// A request after parsing.
struct Wish {
    InterfaceRequest const& request;
    NamePattern names;
    Family family = Family::none;

    [[nodiscard]] std::string names_text() const { return fmt::format("{}='{}'", request.names_source, request.names); }
    [[nodiscard]] std::string family_text() const {
        return fmt::format("{}={}", request.family_source, request.family);
    }
};

/// Why a candidate is out of the question, or an empty text.
std::string objection_to(InterfaceAddress const& candidate, Wish const& wish) {
    // The name goes first: people look for the interface they named, and then want to know what is wrong with it.
    if (!wish.names.empty() && !wish.names.wants(candidate.name)) {
        return fmt::format("name {} {}", wish.names.exclude ? "excluded by" : "does not match", wish.names_text());
    }
    if (!candidate.running)
        return "not running";
    if (candidate.address.family == Family::none)
        return "no IPv4 or IPv6 address";
    if (wish.family != Family::none && candidate.address.family != wish.family) {
        return fmt::format("wrong family for {}", wish.family_text());
    }
    if (reach_of(candidate.address) == Reach::none)
        return "not an address of one host";
    return {};
}

InterfaceRefusal refusal(std::string message, std::vector<InterfaceVerdict> verdicts = {}) {
    return {std::move(message), std::move(verdicts)};
}

std::string nothing_fits(Wish const& wish) {
    std::string wanted;
    if (!wish.names.empty())
        wanted = wish.names_text();
    if (wish.family != Family::none)
        wanted += (wanted.empty() ? "" : " with ") + wish.family_text();
    if (wanted.empty())
        return "no interface of this host is running and has an address";
    return fmt::format("no interface of this host fits {}", wanted);
}

using Chosen = tl::expected<InterfaceChoice, InterfaceRefusal>;

Chosen conclude(std::vector<InterfaceVerdict> verdicts, std::size_t chosen) {
    InterfaceChoice choice;
    verdicts[chosen].reason = "chosen";
    choice.chosen = verdicts[chosen].candidate;
    choice.warning = warning_about(choice.chosen);
    choice.verdicts = std::move(verdicts);
    return choice;
}

Chosen choose_by_reach(std::vector<InterfaceAddress> const& list, Wish const& wish) {
    InterfaceRequest const& request = wish.request;
    // Smaller is better; the order of the list decides between equals.
    auto const key_of = [&](InterfaceAddress const& candidate) {
        bool const routed = request.route_source && same_address(candidate.address, *request.route_source);
        bool const near = request.root && same_subnet(candidate.address, *request.root, candidate.prefix_bits);
        return std::tuple(!routed, !near, grade_of(candidate));
    };
    std::vector<InterfaceVerdict> verdicts;
    std::optional<std::size_t> best;
    for (InterfaceAddress const& candidate : list) {
        InterfaceVerdict verdict{candidate, objection_to(candidate, wish)};
        if (verdict.reason.empty()) {
            verdict.reason = fmt::format("{}, comes after the chosen one", words_for(grade_of(candidate)));
            if (!best || key_of(candidate) < key_of(list[*best]))
                best = verdicts.size();
        }
        verdicts.push_back(std::move(verdict));
    }
    if (!best)
        return tl::unexpected(refusal(nothing_fits(wish), std::move(verdicts)));
    return conclude(std::move(verdicts), *best);
}

/// NCCL's rule for a host where no interface was named: groups of names, tried one after the other.
std::uint32_t compat_group_of(std::string_view name) {
    if (begins_with(name, "ib"))
        return 0;
    if (begins_with(name, "docker"))
        return 2;
    if (begins_with(name, "lo"))
        return 3;
    if (begins_with(name, "virbr"))
        return 4;
    return 1;
}

Chosen choose_as_nccl(std::vector<InterfaceAddress> const& list, Wish const& wish) {
    InterfaceRequest const& request = wish.request;
    // A fixed root address overrides the wishes for names and family there.
    Wish const subnet_only{request, {}, Family::none};
    Wish const& rule = request.root ? subnet_only : wish;
    std::vector<InterfaceVerdict> verdicts;
    std::optional<std::size_t> best;
    for (InterfaceAddress const& candidate : list) {
        InterfaceVerdict verdict{candidate, objection_to(candidate, rule)};
        if (verdict.reason.empty() && candidate.address == loopback(Family::ipv6))
            verdict.reason = "::1 is never used";
        if (verdict.reason.empty() && request.root &&
            !same_subnet(candidate.address, *request.root, candidate.prefix_bits)) {
            verdict.reason = fmt::format("not in the subnet of {}", address_text(*request.root));
        }
        if (verdict.reason.empty()) {
            verdict.reason = "comes after the chosen one";
            bool const by_order = request.root || !wish.names.empty();
            bool const better =
                best && !by_order && compat_group_of(candidate.name) < compat_group_of(list[*best].name);
            if (!best || better)
                best = verdicts.size();
        }
        verdicts.push_back(std::move(verdict));
    }
    if (best)
        return conclude(std::move(verdicts), *best);
    if (!request.root)
        return tl::unexpected(refusal(nothing_fits(wish), std::move(verdicts)));
    return tl::unexpected(refusal(
        fmt::format("no interface of this host is in the subnet of the root address {}", address_text(*request.root)),
        std::move(verdicts)));
}

tl::expected<Family, std::string> parse_family(InterfaceRequest const& request) {
    if (request.family == "AF_INET")
        return Family::ipv4;
    if (request.family == "AF_INET6")
        return Family::ipv6;
    if (request.family.empty() || request.rule == InterfaceRule::compat)
        return Family::none;
    return tl::unexpected(fmt::format("{}='{}' is no address family; expected AF_INET or AF_INET6",
                                      request.family_source, request.family));
}

}  // namespace

tl::expected<InterfaceChoice, InterfaceRefusal> choose_interface(std::vector<InterfaceAddress> const& list,
                                                                 InterfaceRequest const& request) {
    auto names = parse_name_pattern(request.names, request.names_source, request.rule);
    if (!names)
        return tl::unexpected(refusal(std::move(names.error())));
    auto const family = parse_family(request);
    if (!family)
        return tl::unexpected(refusal(family.error()));

    Wish const wish{request, std::move(*names), *family};
    return request.rule == InterfaceRule::compat ? choose_as_nccl(list, wish) : choose_by_reach(list, wish);
}

}  // namespace ronde::net
