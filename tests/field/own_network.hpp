/// A network that belongs to one test: its own loopback, routes and settings of the kernel.
#pragma once

#include "net/endpoint.hpp"

#include <functional>
#include <string>

namespace ronde::net::test {

/// Runs `body` in a child process within a network namespace of its own, where only a loopback exists. Expectations
/// that fail there print as usual and fail the caller. The answer is empty, or why this machine does not allow it: a
/// reason to skip.
[[nodiscard]] std::string in_own_network(std::function<void()> const& body);

// For `body`. Each throws std::system_error when the kernel refuses.

/// Writes a setting of the network, "net/ipv4/tcp_abort_on_overflow" for example.
void set_kernel(std::string const& setting, std::string const& value);
/// The loopback answers to `address` (IPv4), too.
void add_address(Endpoint const& address);
/// Whoever calls `address` (IPv4) hears "host unreachable", until it is one of our own.
void add_unreachable_route(Endpoint const& address);

}  // namespace ronde::net::test
