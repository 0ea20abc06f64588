/// From "host:port" to endpoints.
#pragma once

#include "net/endpoint.hpp"

#include <tl/expected.hpp>

#include <vector>

namespace ronde::net {

/// A host and a port as people write them.
struct HostPort {
    std::string host;  ///< without brackets; an IPv6 literal may carry %interface
    std::uint16_t port = 0;
    bool bracketed = false;
};
/// "host:port", "10.0.0.5:port", "[v6]:port", "[v6%if]:port". The error says what is wrong and shows the form.
[[nodiscard]] tl::expected<HostPort, std::string> parse_host_port(std::string_view text);

struct ResolveOptions {
    Family family = Family::none;             ///< none: both
    std::int64_t budget_ns = 10'000'000'000;  ///< for the name server; the answer comes later or never otherwise
};
inline constexpr std::size_t kMaxResolved = 16;

/// Literal addresses never touch the resolver. Names go through getaddrinfo(3) on a helper thread, in its order of
/// preference, without duplicates, at most kMaxResolved; the call returns within the budget even when no name
/// server answers (the thread ends by itself later).
[[nodiscard]] tl::expected<std::vector<Endpoint>, std::string> resolve(std::string_view text,
                                                                       ResolveOptions const& options = {});

}  // namespace ronde::net
