/// Tags and nonces of the handshake, as pure functions [clause 3].
///
/// The machine decides when to send hello, challenge and proof and what follows from a tag that fits or does
/// not; it never sees keys. Byte-level drivers keep one `Handshake` per unproven connection and let it fill
/// in and check the payloads; drivers without bytes (simulator, explorer, replayer) set Event::authentic
/// themselves.
#pragma once

#include "protocol/frame.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace ronde::protocol {

inline constexpr std::uint32_t kSecretBytes = 32;
using Secret = std::array<std::byte, kSecretBytes>;
using Nonce = std::array<std::byte, kNonceBytes>;
using Tag = std::array<std::byte, kTagBytes>;

/// Nonce number `serial` of a process whose seed came from the operating system (or a scenario).
/// Keyed BLAKE2b, so that nonces already seen do not tell the next one.
[[nodiscard]] Nonce make_nonce(Secret const& process_seed, std::uint64_t serial) noexcept;

/// The half-open conversation on one connection. 72 bytes, no secrets of its own.
///
/// The end that connects fills hello, checks the challenge, fills the proof; the end that accepts checks the
/// hello, fills the challenge, checks the proof. Whatever comes out of turn, and whatever comes after a tag
/// that did not fit, is refused: a nonce is good for one guess. One handshake therefore plays one part only,
/// and a tag that is sent back to its maker proves nothing. Tags cover every bit of the hello's header, of
/// both nonces and of their own frame's header, and so the whole conversation.
///
/// Works before sodium_init() too; a program that calls it gets the fast code for its processor.
class Handshake {
public:
    Handshake() = default;

    /// Writes the payload of an outgoing hello, challenge or proof; returns its length in bytes, 0 out of
    /// turn. `fresh` is used by hello and challenge. `out.size() >= kNonceBytes + kTagBytes`.
    std::uint32_t fill(Secret const& secret, Frame const& frame, Nonce const& fresh, std::span<std::byte> out) noexcept;

    /// Takes the payload of an incoming hello, challenge or proof. True when it is its turn and its tag fits
    /// (hello has none), and for a proof when it repeats hello's numbers. Compares in constant time.
    [[nodiscard]] bool check(Secret const& secret, Frame const& frame, std::span<const std::byte> payload) noexcept;

private:
    enum class Stage : std::uint8_t { fresh, said_hello, heard_hello, challenged, convinced, over };
    enum class Role : std::uint8_t { acceptor = 1, connector = 2 };
    [[nodiscard]] Tag tag(Secret const& secret, Role role, Frame const& frame) const noexcept;
    [[nodiscard]] bool check_hello(Frame const& frame, std::span<const std::byte> payload) noexcept;
    [[nodiscard]] bool check_challenge(Secret const& secret, Frame const& frame,
                                       std::span<const std::byte> payload) noexcept;
    [[nodiscard]] bool check_proof(Secret const& secret, Frame const& frame,
                                   std::span<const std::byte> payload) const noexcept;

    Frame hello_{};
    Nonce connector_nonce_{};
    Nonce acceptor_nonce_{};
    Stage stage_ = Stage::fresh;
};

}  // namespace ronde::protocol
