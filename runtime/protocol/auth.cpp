#include "protocol/auth.hpp"

#include "protocol/bytes.hpp"
#include "protocol/check.hpp"

#include <sodium.h>

#include <algorithm>
#include <type_traits>

namespace ronde::protocol {

static_assert(std::is_trivially_copyable_v<Handshake> && sizeof(Handshake) == 72);

namespace {

// BLAKE2b has a field of 16 bytes that keeps its uses apart even where two of them share a key [clause 3.6].
using Purpose = char[crypto_generichash_blake2b_PERSONALBYTES + 1];
constexpr Purpose kHandshakePurpose = "ronde.handshake1";
constexpr Purpose kNoncePurpose = "ronde.proc-nonce";

unsigned char const* raw(std::byte const* bytes) { return reinterpret_cast<unsigned char const*>(bytes); }
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

template <std::size_t kBytes>
std::array<std::byte, kBytes> keyed_hash(Secret const& key, Purpose const& purpose,
                                         std::span<const std::byte> text) noexcept {
    static_assert(kBytes >= crypto_generichash_blake2b_BYTES_MIN &&
                  kSecretBytes == crypto_generichash_blake2b_KEYBYTES);
    std::array<std::byte, kBytes> hash;
    int const result = crypto_generichash_blake2b_salt_personal(raw(hash.data()), hash.size(), raw(text.data()),
                                                                text.size(), raw(key.data()), key.size(), nullptr,
                                                                reinterpret_cast<unsigned char const*>(purpose));
    RONDE_CHECK(result == 0, "BLAKE2b takes these sizes");
    return hash;
}

// The length that the kind always has, whether or not the caller has written it into the header yet.
void encode_canonical_header(Frame const& frame, std::span<std::byte, kHeaderBytes> out) noexcept {
    Frame canonical = frame;
    canonical.payload_bytes = fixed_payload_bytes(frame.kind);
    encode_header(canonical, out);
}

Nonce nonce_in(std::span<const std::byte> payload) noexcept {
    Nonce nonce;
    std::copy_n(payload.begin(), nonce.size(), nonce.begin());
    return nonce;
}

bool equal_in_constant_time(Tag const& expected, std::span<const std::byte> got) noexcept {
    return got.size() == expected.size() && sodium_memcmp(expected.data(), got.data(), expected.size()) == 0;
}

bool repeats(Frame const& proof, Frame const& hello) noexcept {
    return proof.aux == hello.aux && proof.a == hello.a && proof.b == hello.b && proof.c == hello.c;
}

}  // namespace

Nonce make_nonce(Secret const& process_seed, std::uint64_t serial) noexcept {
    std::array<std::byte, sizeof serial> text;
    store(text.data(), serial);
    return keyed_hash<kNonceBytes>(process_seed, kNoncePurpose, text);
}

Tag Handshake::tag(Secret const& secret, Role role, Frame const& frame) const noexcept {
    std::array<std::byte, 1 + 2 * kHeaderBytes + 2 * kNonceBytes> text;
    std::span const all(text);
    all[0] = static_cast<std::byte>(role);
    encode_canonical_header(hello_, all.subspan<1, kHeaderBytes>());
    encode_canonical_header(frame, all.subspan<1 + kHeaderBytes, kHeaderBytes>());
    auto const nonces = all.subspan<1 + 2 * kHeaderBytes>();
    std::copy(connector_nonce_.begin(), connector_nonce_.end(), nonces.begin());
    std::copy(acceptor_nonce_.begin(), acceptor_nonce_.end(), nonces.begin() + kNonceBytes);
    return keyed_hash<kTagBytes>(secret, kHandshakePurpose, text);
}

std::uint32_t Handshake::fill(Secret const& secret, Frame const& frame, Nonce const& fresh,
                              std::span<std::byte> out) noexcept {
    RONDE_CHECK(out.size() >= kNonceBytes + kTagBytes, "there is room for a nonce and a tag");
    if (frame.kind == FrameKind::hello && stage_ == Stage::fresh) {
        stage_ = Stage::said_hello;
        hello_ = frame;
        connector_nonce_ = fresh;
        std::copy(fresh.begin(), fresh.end(), out.begin());
        return kNonceBytes;
    }
    if (frame.kind == FrameKind::challenge && stage_ == Stage::heard_hello) {
        stage_ = Stage::challenged;
        acceptor_nonce_ = fresh;
        Tag const mine = tag(secret, Role::acceptor, frame);
        std::copy(fresh.begin(), fresh.end(), out.begin());
        std::copy(mine.begin(), mine.end(), out.begin() + kNonceBytes);
        return kNonceBytes + kTagBytes;
    }
    if (frame.kind == FrameKind::proof && stage_ == Stage::convinced) {
        stage_ = Stage::over;
        Tag const mine = tag(secret, Role::connector, frame);
        std::copy(mine.begin(), mine.end(), out.begin());
        return kTagBytes;
    }
    return 0;
}

bool Handshake::check(Secret const& secret, Frame const& frame, std::span<const std::byte> payload) noexcept {
    Stage const before = stage_;
    stage_ = Stage::over;  // unless all is well
    if (payload.size() != fixed_payload_bytes(frame.kind))
        return false;
    if (frame.kind == FrameKind::hello && before == Stage::fresh)
        return check_hello(frame, payload);
    if (frame.kind == FrameKind::challenge && before == Stage::said_hello) {
        return check_challenge(secret, frame, payload);
    }
    if (frame.kind == FrameKind::proof && before == Stage::challenged)
        return check_proof(secret, frame, payload);
    return false;
}

bool Handshake::check_hello(Frame const& frame, std::span<const std::byte> payload) noexcept {
    hello_ = frame;
    connector_nonce_ = nonce_in(payload);
    stage_ = Stage::heard_hello;
    return true;
}

bool Handshake::check_challenge(Secret const& secret, Frame const& frame, std::span<const std::byte> payload) noexcept {
    acceptor_nonce_ = nonce_in(payload);
    if (!equal_in_constant_time(tag(secret, Role::acceptor, frame), payload.subspan(kNonceBytes)))
        return false;
    stage_ = Stage::convinced;
    return true;
}

bool Handshake::check_proof(Secret const& secret, Frame const& frame,
                            std::span<const std::byte> payload) const noexcept {
    bool const fits = equal_in_constant_time(tag(secret, Role::connector, frame), payload);
    return fits && repeats(frame, hello_);
}

}  // namespace ronde::protocol
