#include "net/resolve.hpp"

#include <fmt/format.h>

#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace ronde::net {

namespace {

/// Shared by caller and helper thread; whoever leaves last frees it.
struct Lookup {
    std::string host;
    int family = AF_UNSPEC;

    std::mutex mutex;
    std::condition_variable ready;
    bool done = false;
    int status = 0;
    int os_error = 0;
    std::vector<Endpoint> endpoints;  ///< without port
};

void look_up(Lookup& lookup) {
    addrinfo hints{};
    hints.ai_family = lookup.family;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    int const status = ::getaddrinfo(lookup.host.c_str(), nullptr, &hints, &list);
    int const os_error = errno;
    std::vector<Endpoint> endpoints;
    for (addrinfo const* item = list; item != nullptr && endpoints.size() < kMaxResolved; item = item->ai_next) {
        Endpoint const endpoint = from_sockaddr(item->ai_addr, item->ai_addrlen);
        bool const seen = std::find(endpoints.begin(), endpoints.end(), endpoint) != endpoints.end();
        if (endpoint.family != Family::none && !seen)
            endpoints.push_back(endpoint);
    }
    if (list != nullptr)
        ::freeaddrinfo(list);

    std::lock_guard const lock(lookup.mutex);
    lookup.status = status;
    lookup.os_error = os_error;
    lookup.endpoints = std::move(endpoints);
    lookup.done = true;
    lookup.ready.notify_one();
}

std::string why_not(Lookup const& lookup) {
    if (lookup.status == EAI_SYSTEM)
        return std::generic_category().message(lookup.os_error);
    return ::gai_strerror(lookup.status);
}

tl::expected<std::vector<Endpoint>, std::string> resolve_name(std::string const& host, ResolveOptions const& options) {
    auto const lookup = std::make_shared<Lookup>();
    lookup->host = host;
    lookup->family = options.family == Family::ipv4 ? AF_INET : options.family == Family::ipv6 ? AF_INET6 : AF_UNSPEC;
    // getaddrinfo(3) cannot be interrupted and may wait for minutes. So it runs where nobody waits for it.
    try {
        std::thread([lookup] { look_up(*lookup); }).detach();
    } catch (std::system_error const& error) {
        return tl::unexpected(fmt::format("cannot look up '{}': no thread ({})", host, error.what()));
    }
    std::unique_lock lock(lookup->mutex);
    // "Without limit" plus now would overflow; no name server is worth more than an hour.
    constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);
    auto const budget = std::min(std::chrono::nanoseconds(options.budget_ns), kLongest);
    if (!lookup->ready.wait_for(lock, budget, [&] { return lookup->done; })) {
        return tl::unexpected(
            fmt::format("no name server answered about '{}' within {} ms: give an address instead of a name", host,
                        options.budget_ns / 1'000'000));
    }
    if (lookup->status != 0)
        return tl::unexpected(fmt::format("cannot look up '{}': {}", host, why_not(*lookup)));
    if (lookup->endpoints.empty())
        return tl::unexpected(fmt::format("'{}' has no usable address", host));
    return std::move(lookup->endpoints);
}

std::string_view name_of(Family family) { return family == Family::ipv4 ? "IPv4" : "IPv6"; }

}  // namespace

tl::expected<HostPort, std::string> parse_host_port(std::string_view text) {
    auto const refuse = [&](char const* why) {
        return tl::unexpected(fmt::format("'{}': {}; expected host:port or [ipv6]:port", text, why));
    };
    HostPort result;
    std::size_t colon = std::string_view::npos;
    if (!text.empty() && text.front() == '[') {
        std::size_t const bracket = text.find(']');
        if (bracket == std::string_view::npos)
            return refuse("the bracket is not closed");
        if (bracket + 1 >= text.size() || text[bracket + 1] != ':')
            return refuse("no port after the bracket");
        result.host = text.substr(1, bracket - 1);
        result.bracketed = true;
        colon = bracket + 1;
    } else {
        colon = text.find(':');
        if (colon == std::string_view::npos)
            return refuse("no port");
        if (text.find(':', colon + 1) != std::string_view::npos)
            return refuse("an IPv6 address needs brackets");
        result.host = text.substr(0, colon);
    }
    if (result.host.empty())
        return refuse("no host");
    std::string_view const port = text.substr(colon + 1);
    char const* const end = port.data() + port.size();
    auto const [stop, fault] = std::from_chars(port.data(), end, result.port);
    if (fault != std::errc() || stop != end || result.port == 0)
        return refuse("the port is not a number from 1 to 65535");
    return result;
}

tl::expected<std::vector<Endpoint>, std::string> resolve(std::string_view text, ResolveOptions const& options) {
    auto const place = parse_host_port(text);
    if (!place)
        return tl::unexpected(place.error());

    if (auto const literal = parse_address(place->host, place->port)) {
        if (options.family != Family::none && literal->family != options.family) {
            return tl::unexpected(fmt::format("'{}' is not an {} address", text, name_of(options.family)));
        }
        return std::vector<Endpoint>{*literal};
    }
    // Brackets and percent signs occur in literals only: such a text must not go to a name server.
    if (place->bracketed || place->host.find('%') != std::string::npos) {
        return tl::unexpected(
            fmt::format("'{}': {} is no IPv6 address, or names an interface that is not here", text, place->host));
    }
    auto endpoints = resolve_name(place->host, options);
    if (endpoints) {
        for (Endpoint& endpoint : *endpoints)
            endpoint.port = place->port;
    }
    return endpoints;
}

}  // namespace ronde::net
