/// Frames: the words that machines exchange, and their bytes [clause 2].
///
/// A frame is a 32-byte header and a payload. The machine sees headers as values (`Frame`); payloads that
/// are entries, slices or messages stay with the driver, which moves them where the machine says.
#pragma once

#include "protocol/entry.hpp"
#include "protocol/error.hpp"
#include "protocol/units.hpp"

#include <cstddef>
#include <span>
#include <type_traits>

namespace ronde::protocol {

/// Version of everything but the handshake, whose layout never changes [clause 2.1].
inline constexpr std::uint8_t kWireVersion = 1;
inline constexpr std::uint32_t kHeaderBytes = 32;

enum class FrameKind : std::uint8_t {
    hello = 1,       ///< who connects, to whom, for what. aux: purpose, a: from, b: to, c: session id. Payload: nonce
    challenge = 2,   ///< the acceptor's nonce and proof. Payload: nonce, tag
    proof = 3,       ///< the connector's proof; repeats hello's numbers. Payload: tag
    check_in = 4,    ///< aux: root index, a: rank, b: nranks, c: policy digest << 32 | roots digest, d: remaining ns.
                     ///< Payload: Entry
    successor = 5,   ///< a: the successor's rank. Payload: its Entry
    slices = 6,      ///< aux: chord, a: first, b: count, c: bytes of one slice, d: operation. Payload: count slices
    length = 7,      ///< length turn. aux: turn, a: round, c: bytes of the slice that will follow, d: operation
    done = 8,        ///< rank -> root: table and both hands held. a: rank
    commit = 9,      ///< root -> rank: everyone is done
    message = 10,    ///< point to point. a: from, b: to, c: tag, d: sequence number
    verdict = 11,    ///< the end, with its cause. Payload: Verdict
    bye = 12,        ///< an orderly leave; what follows is the end of the stream. a: from
    roll_call = 13,  ///< root -> rank: are you there? rank -> root: yes. a: rank
};
inline constexpr std::uint32_t kFrameKindCount = 14;

/// The header, as a value. Field meaning depends on `kind`, see FrameKind; use the makers below.
struct Frame {
    std::uint32_t payload_bytes = 0;
    FrameKind kind = FrameKind::hello;
    std::uint8_t version = kWireVersion;
    std::uint16_t aux = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint64_t c = 0;
    std::uint64_t d = 0;
    friend constexpr bool operator==(Frame const&, Frame const&) = default;
};
static_assert(sizeof(Frame) == kHeaderBytes && std::has_unique_object_representations_v<Frame>);

inline constexpr std::uint32_t kNonceBytes = 16;
inline constexpr std::uint32_t kTagBytes = 16;
inline constexpr std::uint32_t kHelloBytes = kHeaderBytes + kNonceBytes;
inline constexpr std::uint32_t kChallengeBytes = kHeaderBytes + kNonceBytes + kTagBytes;
inline constexpr std::uint32_t kProofBytes = kHeaderBytes + kTagBytes;
/// Most that is ever read from a stranger before it is admitted or dropped [clause 3.3].
inline constexpr std::uint32_t kStrangerBytes = kHelloBytes + kProofBytes;

/// Hello's purpose, in `aux`: the LinkClass that the connection will be for the *connector*
/// in the low byte, its index (chord number; 0 otherwise) in the high byte.
constexpr std::uint16_t purpose_of(LinkClass link_class, std::uint32_t chord = 0) {
    return static_cast<std::uint16_t>((chord << 8) | static_cast<std::uint32_t>(link_class));
}
constexpr LinkClass purpose_class(std::uint16_t purpose) { return static_cast<LinkClass>(purpose & 0xffU); }
constexpr std::uint32_t purpose_chord(std::uint16_t purpose) { return purpose >> 8; }

void encode_header(Frame const& frame, std::span<std::byte, kHeaderBytes> out) noexcept;

/// What can be wrong with 32 bytes that claim to be a header.
enum class HeaderFault : std::uint8_t { none, unknown_kind, bad_length };

/// Reads a header and checks the kind, and the payload length of kinds with a fixed one. Never allocates.
/// `slices` and `message` lengths can only be judged by the machine (see Rank::reception).
struct DecodedHeader {
    Frame frame;
    HeaderFault fault = HeaderFault::none;
};
[[nodiscard]] DecodedHeader decode_header(std::span<const std::byte, kHeaderBytes> in) noexcept;

/// Payload length that `kind` always has, or kVariable.
inline constexpr std::uint32_t kVariable = 0xffff'ffffU;
[[nodiscard]] std::uint32_t fixed_payload_bytes(FrameKind kind) noexcept;

[[nodiscard]] std::string_view name_of(FrameKind kind) noexcept;

}  // namespace ronde::protocol
