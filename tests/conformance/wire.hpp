/// Two hosts that belong to one story, and the wire between them, which is the story itself.
///
/// Each host is a network namespace of this kernel: its own TCP settings, counters and ports. What leaves one through
/// its only interface is read here, counted, and handed to the other, or lost, as the story wants. Nothing moves by
/// itself: all packets that are on their way in one direction arrive together, before any answer to them. That is what
/// a network with one latency for everybody does, and what a pretended one does exactly.
///
/// Not thread-safe. A process may make any number of wires, one after another; it is left in the last caller's network.
#pragma once

#include "net/fd.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::conformance {

/// Why this machine has no network to lend: a reason to skip.
struct Unavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Host : std::uint8_t { caller, listener };

/// One TCP segment between the two, as the kernel sent it.
struct Segment {
    Host from = Host::caller;
    std::uint16_t caller_port = 0;
    std::uint16_t listener_port = 0;
    bool syn = false;
    bool ack = false;
    bool fin = false;
    bool rst = false;
    std::uint32_t payload_bytes = 0;
    /// The sending kernel's own clock in ms (the timestamp option, RFC 7323), 0 in a reset. Only differences within one
    /// connection and direction mean something; they do not depend on when this process gets to look.
    std::uint32_t sent_ms = 0;

    [[nodiscard]] bool is_call() const { return syn && !ack; }
    [[nodiscard]] bool is_answer() const { return syn && ack; }
};

class Wire {
public:
    /// Two fresh hosts without any connection. Throws Unavailable.
    Wire();

    /// Sockets that are made from now on belong to `host`.
    void enter(Host host) const;
    /// Writes a setting of one host: "net/ipv4/tcp_abort_on_overflow". Throws std::system_error.
    void set(Host host, std::string const& setting, std::uint32_t value) const;
    /// Whether this kernel knows a setting.
    [[nodiscard]] bool has(Host host, std::string const& setting) const;
    /// A counter of /proc/net/netstat or /proc/net/snmp, "ListenOverflows". 0 when this kernel does not count it.
    [[nodiscard]] std::uint64_t counter(Host host, std::string_view name) const;

    /// IPv4 address of a host, in network byte order.
    [[nodiscard]] static std::uint32_t address_of(Host host);

    /// Whether a segment arrives; all do unless the story says otherwise.
    std::function<bool(Segment const&)> passes;
    /// Called after each segment that has reached the listener's host: its owner may look at once.
    std::function<void()> on_arrival;

    /// Carries until `done`, which is asked after every exchange. False: it was not done within `patience`.
    [[nodiscard]] bool carry_until(std::function<bool()> const& done,
                                   std::chrono::milliseconds patience = std::chrono::seconds(5));
    /// Carries until nothing is on its way any more.
    void carry();

    /// Every segment that was sent, lost ones too, in order.
    [[nodiscard]] std::vector<Segment> const& sent() const { return sent_; }

private:
    struct End {
        net::Fd network;
        net::Fd interface;
    };
    [[nodiscard]] static End make_end(Host host);
    [[nodiscard]] End const& end(Host host) const { return ends_[static_cast<std::size_t>(host)]; }
    /// One exchange: whether anything was on its way.
    bool exchange();
    [[nodiscard]] std::vector<std::vector<std::byte>> take_all(Host from) const;
    void hand_over(Host from, std::vector<std::vector<std::byte>> const& packets);

    End ends_[2];
    std::vector<Segment> sent_;
};

}  // namespace ronde::conformance
