/// The small vocabulary of the machine: numbers with units, phases, links.
///
/// Everything here is a plain value: trivially copyable, no padding surprises, same meaning in
/// every driver. docs/protocol.md section 1 defines the words.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace ronde::protocol {

/// Nanoseconds on the driver's monotonic clock. Only differences and order matter to the machine.
using TimeNs = std::int64_t;
inline constexpr TimeNs kNever = std::numeric_limits<TimeNs>::max();
inline constexpr TimeNs kMicrosecondNs = 1'000;
inline constexpr TimeNs kMillisecondNs = 1'000'000;
inline constexpr TimeNs kSecondNs = 1'000'000'000;
/// `time_ns` seen from a clock that is `elapsed_ns` ahead. Never stays never.
constexpr TimeNs set_back(TimeNs time_ns, TimeNs elapsed_ns) {
    return time_ns == kNever ? kNever : time_ns - elapsed_ns;
}

/// A member of the job, 0 .. nranks-1.
using RankId = std::uint32_t;
inline constexpr RankId kNoRank = 0xffff'ffffU;

/// Largest job the wire can name. Checked before anything is reserved [clause 2.3].
inline constexpr std::uint32_t kMaxRanks = 1U << 20;
/// Chords of the largest job: chord k joins r and r + 2^k, and 2^20 ranks need 20 of them.
inline constexpr std::uint32_t kMaxChords = 20;
/// Largest number of roots that one job may have.
inline constexpr std::uint32_t kMaxRoots = 4096;

/// Where a rank stands. The order is the order of a healthy life; docs/protocol.md draws the edges.
enum class Phase : std::uint8_t {
    created,             ///< constructed, not started
    listening,           ///< asked for its listeners, waits until they are bound
    delayed,             ///< staggered: waits for its turn to check in
    checking_in,         ///< connecting to its root(s), proving itself, registering
    awaiting_successor,  ///< registered; the root has not yet answered
    connecting_ring,     ///< takes its successor's hand, waits for its predecessor's
    gathering,           ///< collects the table from its peers
    committing,          ///< holds table and both hands, waits until everyone does
    ready,               ///< the ring stands; collective operations may run
    failed,              ///< ended with an error that names its cause
    closed,              ///< ended in order
};
inline constexpr std::uint32_t kPhaseCount = 11;

/// What a connection is for. The two ends give the same connection different names:
/// my `chord_out` k is my peer's `chord_in` k.
enum class LinkClass : std::uint8_t {
    root,           ///< rank -> its own root
    previous_root,  ///< first rank of a block -> the root of the block before [clause 4.2]
    callback,       ///< root -> rank, profiles `article` and `nccl` only [clause 5.3]
    chord_out,      ///< rank r -> rank r + 2^k; chord 0 is the hand held out to the successor
    chord_in,       ///< the same connection, seen from r + 2^k
    mail_out,       ///< rank -> any rank, point-to-point messages; index = the peer
    mail_in,        ///< the same connection, seen from the receiver; index = the peer
    pending,        ///< accepted, not yet admitted; index = slot
    member,         ///< at the root: an admitted rank; index = its number within the root's block
    none,
};

/// Names one connection of one machine: a class and an index below 2^24.
struct Link {
    std::uint32_t value = 0xffff'ffffU;

    constexpr Link() = default;
    constexpr Link(LinkClass link_class, std::uint32_t index)
        : value((static_cast<std::uint32_t>(link_class) << 24) | index) {}

    [[nodiscard]] constexpr LinkClass link_class() const { return static_cast<LinkClass>(value >> 24); }
    [[nodiscard]] constexpr std::uint32_t index() const { return value & 0x00ff'ffffU; }
    friend constexpr bool operator==(Link, Link) = default;
    friend constexpr auto operator<=>(Link, Link) = default;
};

inline constexpr Link kRootLink{LinkClass::root, 0};
inline constexpr Link kPreviousRootLink{LinkClass::previous_root, 0};
inline constexpr Link kCallbackLink{LinkClass::callback, 0};
constexpr Link chord_out(std::uint32_t k) { return {LinkClass::chord_out, k}; }
constexpr Link chord_in(std::uint32_t k) { return {LinkClass::chord_in, k}; }
constexpr Link mail_out(RankId peer) { return {LinkClass::mail_out, peer}; }
constexpr Link mail_in(RankId peer) { return {LinkClass::mail_in, peer}; }
constexpr Link pending(std::uint32_t slot) { return {LinkClass::pending, slot}; }
constexpr Link member(std::uint32_t local_id) { return {LinkClass::member, local_id}; }

/// A socket that waits for connections. A rank has `ring` (peers) and, with call-back profiles,
/// `callback` (its root); a root has `root`.
enum class Listener : std::uint8_t { ring, callback, root };

/// Why the world could not do what it was asked. Drivers map their errno to one of these, so that
/// the machine decides by kind and the raw number only travels along for the message.
enum class Failure : std::uint8_t {
    none,
    refused,          ///< nobody listens there (RST in answer to SYN)
    timed_out,        ///< no answer at all within the driver's or the machine's patience
    unreachable,      ///< no route, host or network down
    reset,            ///< RST on an established connection, or a broken pipe
    end_of_stream,    ///< the peer closed (FIN)
    no_descriptors,   ///< EMFILE, ENFILE, ENOBUFS, ENOMEM
    no_ports,         ///< EADDRNOTAVAIL on connect
    address_in_use,   ///< EADDRINUSE on bind
    not_permitted,    ///< EACCES, EPERM
    bad_address,      ///< EINVAL, EAFNOSUPPORT, EADDRNOTAVAIL on bind, a malformed endpoint
    self_connection,  ///< local and remote end of the connection are the same socket
    malformed,        ///< bytes that are no frame of this protocol
    other,
};

[[nodiscard]] std::string_view name_of(Phase phase) noexcept;
[[nodiscard]] std::string_view name_of(LinkClass link_class) noexcept;
[[nodiscard]] std::string_view name_of(Failure failure) noexcept;
[[nodiscard]] std::string_view name_of(Listener listener) noexcept;

}  // namespace ronde::protocol
