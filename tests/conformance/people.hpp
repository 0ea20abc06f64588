/// Whoever calls and whoever listens on the two hosts of a wire: plain sockets, which say what their kernel knows.
#pragma once

#include "wire.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace ronde::conformance {

inline constexpr std::uint32_t kWordBytes = 16;  ///< what a caller says when it believes to be connected

/// How a caller's socket stands.
enum class Standing : std::uint8_t { calling, connected, refused, reset, timed_out, ended, other };
[[nodiscard]] char const* name_of(Standing standing) noexcept;

/// One client with a non-blocking socket.
class Caller {
public:
    /// `home`: on which of the two hosts it lives. A neighbour of the owner calls over their loopback, not over the
    /// wire.
    Caller(Wire const& wire, std::uint16_t listener_port, Host home = Host::caller);

    /// Where the call has got to: asked of the kernel, an error is remembered.
    Standing look();
    /// Says its word once it is connected, once. True: it has just done so.
    bool speak_if_connected();
    void speak();
    void shut_down_writing();
    void close();
    /// Closed with a reset instead of FIN (SO_LINGER 0).
    void reset();
    /// Bytes that have arrived; the end of the stream or an error is remembered in look().
    std::size_t read();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int descriptor() const { return socket_.get(); }
    [[nodiscard]] bool has_spoken() const { return spoken_; }
    [[nodiscard]] tcp_info info() const;

private:
    void note_error(int error);
    net::Fd socket_;
    std::uint16_t port_ = 0;
    bool spoken_ = false;
    std::optional<Standing> ended_;
};

/// The process that listens, and what it has heard from whom.
class Owner {
public:
    Owner(Wire const& wire, int backlog);

    struct Guest {
        net::Fd socket;
        std::size_t heard_bytes = 0;
        std::optional<Standing> ended;
    };
    /// Takes whoever waits, and reads what they have said.
    void accept_all();
    void read_all();
    void close_listener() { socket_.reset(); }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int descriptor() const { return socket_.get(); }
    [[nodiscard]] std::map<std::uint16_t, Guest>& guests() { return guests_; }  ///< by the caller's port
    /// Connections in the accept queue, as the kernel counts them.
    [[nodiscard]] std::uint32_t queue_length() const;
    [[nodiscard]] std::size_t heard_from() const;

private:
    net::Fd socket_;
    std::uint16_t port_ = 0;
    std::map<std::uint16_t, Guest> guests_;
};

/// A socket of the caller's host that is bound to a port and calls this same port.
[[nodiscard]] bool connects_to_itself(Wire const& wire);

}  // namespace ronde::conformance
