/// The unique id: the one small value that every rank must have before a job can start.
#pragma once

#include "protocol/entry.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::net {
class Fd;
}

namespace ronde {

class RootHost;

/// What `UniqueId::create` needs to know. The defaults serve one root on the interface that reaches farthest.
struct IdOptions {
    /// 1 .. UniqueId::kMaxRoots; all of them listen in the creating process.
    std::uint32_t roots = 1;
    /// All ranks are on this host: listen on 127.0.0.1 (::1 when `family` says so).
    bool loopback = false;
    /// Grammar of NCCL_SOCKET_IFNAME; empty: RONDE_SOCKET_IFNAME, NCCL_SOCKET_IFNAME, or any.
    std::string interface;
    /// AF_INET, AF_INET6; empty: RONDE_SOCKET_FAMILY, NCCL_SOCKET_FAMILY, or any.
    std::string family;
    /// Listen on a port of first_port..last_port, both included; 0: the kernel chooses.
    std::uint16_t first_port = 0;
    std::uint16_t last_port = 0;
    /// Accept on all addresses of the host; the id still names the chosen one.
    bool wildcard = false;
};

/// 128 bytes: session, secret and root addresses. A value; equal bytes are equal ids.
///
/// Whoever has the id can join the job, so treat it like a password: its text and bytes are for handing to ranks,
/// `public_text()` is for logs. No formatter prints the secret. Thread-safety: that of a plain value.
///
/// Layout, integers little-endian:
///     0  2  magic "ro"
///     2  1  version of this layout, 1
///     3  1  low four bits: number of roots, 1..4; bit 4: roots promised; high three bits: how many check-ins may wait
///           at a root at once, 4^(n+1) at the least; 0: not said
///     4  4  checksum over all other bytes
///     8  8  session id (public)
///    16 32  secret
///    48 80  four roots of 20 bytes: family (4 or 6; 0 beyond the last), 0, port (2), address (16). The scope of a
///           link-local IPv6 address stands in bytes 4..7 of the address, which are zero otherwise.
class UniqueId {
public:
    static constexpr std::uint32_t kBytes = 128;
    static constexpr std::uint32_t kMaxRoots = 4;
    static constexpr std::uint32_t kSecretBytes = 32;
    using Bytes = std::array<std::byte, kBytes>;
    using Secret = std::array<std::byte, kSecretBytes>;

    /// Opens the listeners, draws session and secret from the operating system, and returns the id together with
    /// its listeners, which stay open without a gap from here on. Errors are one line, or a line and a why-table when
    /// no interface fits.
    [[nodiscard]] static tl::expected<RootHost, std::string> create(IdOptions const& options = {});

    /// An id for a root address that was agreed on out of band (RONDE_COMM_ID, NCCL_COMM_ID): "host:port",
    /// "[v6]:port", or up to four of them separated by commas. Every rank that calls this with equal arguments gets an
    /// equal id. `secret` is any text that only this job knows (RONDE_SECRET). Without one the key follows from the
    /// address alone: no protection, whoever knows the address can join, and two jobs at one address cannot be told
    /// apart. Such ids promise nothing: the roots may start to listen later.
    [[nodiscard]] static tl::expected<UniqueId, std::string> at_address(std::string_view addresses,
                                                                        std::string_view secret = {});

    /// Reads `text()`. Surrounding white space is ignored. The error says what is wrong: prefix, length, a character,
    /// checksum, version.
    [[nodiscard]] static tl::expected<UniqueId, std::string> parse(std::string_view text);
    /// Reads `bytes()`. `bytes.size()` must be kBytes.
    [[nodiscard]] static tl::expected<UniqueId, std::string> from_bytes(std::span<const std::byte> bytes);

    /// An id read from a file.
    struct FromFile;
    /// Reads a file that write_file() wrote, or any file whose only line is `text()`.
    [[nodiscard]] static tl::expected<FromFile, std::string> read_file(std::string const& path);
    /// Writes `text()` and a newline, mode 0600 from the first byte on, in one step (an old file is replaced as a
    /// whole).
    [[nodiscard]] tl::expected<void, std::string> write_file(std::string const& path) const;

    /// "ronde1-" and 171 characters of base64url. Contains the secret.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] Bytes bytes() const;
    /// For logs: "ronde1:session=0123456789abcdef,roots=10.0.0.5:43117". Not readable by parse().
    [[nodiscard]] std::string public_text() const;

    [[nodiscard]] std::uint64_t session() const noexcept { return session_; }
    [[nodiscard]] Secret const& secret() const noexcept { return secret_; }
    [[nodiscard]] std::span<const protocol::Endpoint> roots() const noexcept { return {roots_.data(), root_count_}; }
    /// The root listeners are open since before the id existed, so "refused" means that they are gone.
    [[nodiscard]] bool promised() const noexcept { return promised_; }
    /// Check-ins that may wait in a root's accept queue at once: the least of the roots, rounded down to a power of
    /// four (16 at the least). 4096, the usual limit of Linux, where the id was made without its roots.
    [[nodiscard]] std::uint32_t root_backlog() const noexcept;
    /// Hash of the ordered root list, the number that ranks compare at check-in.
    [[nodiscard]] std::uint32_t roots_digest() const noexcept;

    friend bool operator==(UniqueId const&, UniqueId const&) = default;

private:
    UniqueId() = default;

    std::uint64_t session_ = 0;
    Secret secret_{};
    std::array<protocol::Endpoint, kMaxRoots> roots_{};
    std::uint32_t root_count_ = 0;
    bool promised_ = false;
    std::uint8_t backlog_code_ = 0;
};

struct UniqueId::FromFile {
    UniqueId id;
    std::string warning;  ///< one line when others may read the file, else empty
};

/// An id together with the open listeners of its roots. Whoever holds it is the meeting point. Movable only.
class RootHost {
public:
    RootHost(RootHost&&) noexcept;
    RootHost& operator=(RootHost&&) noexcept;
    RootHost(RootHost const&) = delete;
    RootHost& operator=(RootHost const&) = delete;
    ~RootHost();  ///< closes listeners that nobody took

    /// Opens the listeners of an id from `UniqueId::at_address`; the process that runs the roots (rank 0, usually)
    /// calls this. Fails when an address is not of this host or is in use: a port is never shared.
    [[nodiscard]] static tl::expected<RootHost, std::string> listen_at(UniqueId const& id);

    [[nodiscard]] UniqueId const& id() const noexcept;
    /// The descriptors, in the order of the roots, still owned by this object; empty once taken.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// Hands the listeners over, in the order of the roots; include "net/fd.hpp" to call it.
    [[nodiscard]] std::vector<net::Fd> take_listeners();
    /// One line when the choice of interface deserves a word, else empty.
    [[nodiscard]] std::string const& warning() const noexcept;

private:
    friend class UniqueId;
    struct State;
    explicit RootHost(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

}  // namespace ronde
