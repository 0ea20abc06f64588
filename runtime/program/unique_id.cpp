#include "net/endpoint.hpp"
#include "net/private_file.hpp"
#include "net/resolve.hpp"
#include "program/id_layout.hpp"
#include "protocol/told_backlog.hpp"

#include <ronde/unique_id.hpp>

#include <fmt/format.h>
#include <sodium.h>
#include <xxhash.h>

#include <algorithm>

namespace ronde {

using protocol::Endpoint;

namespace {

constexpr std::string_view kPrefix = "ronde1-";
constexpr int kEncoding = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
constexpr std::size_t kEncodedBytes = 171;  // ceil(128 * 8 / 6)
static_assert(sodium_base64_ENCODED_LEN(UniqueId::kBytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
              kEncodedBytes + 1);
/// Room for the text, its newline, and what editors leave behind.
constexpr std::size_t kIdFileLimitBytes = 1024;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    std::size_t const first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The first character of the encoded part that no encoder writes, or npos.
std::size_t bad_character(std::string_view encoded) {
    auto const fits = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    auto const found = std::find_if_not(encoded.begin(), encoded.end(), fits);
    return found == encoded.end() ? std::string_view::npos : static_cast<std::size_t>(found - encoded.begin());
}

/// Keyed hash of the addresses as they were written: equal on all ranks, also when they resolve a name differently.
template <std::size_t Size>
std::array<std::byte, Size> derive(std::string_view purpose, std::string_view addresses, std::string_view secret) {
    // Lengths go in, so that no two splits of one text give the same hash.
    std::string const head = fmt::format("{}:{}:{}:", purpose, addresses.size(), secret.size());
    std::array<unsigned char, Size> digest{};
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, Size);
    for (std::string_view const part : {std::string_view(head), addresses, secret}) {
        crypto_generichash_update(&state, reinterpret_cast<unsigned char const*>(part.data()), part.size());
    }
    crypto_generichash_final(&state, digest.data(), Size);
    std::array<std::byte, Size> result;
    std::transform(digest.begin(), digest.end(), result.begin(), [](unsigned char byte) { return std::byte{byte}; });
    return result;
}

tl::expected<Endpoint, std::string> root_at(std::string_view text) {
    auto const place = net::parse_host_port(text);
    if (!place)
        return tl::unexpected(place.error());
    auto const endpoints = net::resolve(text);
    if (!endpoints)
        return tl::unexpected(endpoints.error());
    Endpoint const root = endpoints->front();
    bool const by_name = !net::parse_address(place->host).has_value();
    if (by_name && place->host != "localhost" && net::reach_of(root) == net::Reach::loopback) {
        // Hosts files often give a host's own name a loopback address. Then this rank would listen, or look, where
        // ranks of other hosts never come.
        return tl::unexpected(
            fmt::format("root name '{}' resolves to {} here, a loopback address that ranks on other hosts cannot "
                        "reach: give an address, or 'localhost' when all ranks are on this host",
                        place->host, net::address_text(root)));
    }
    return root;
}

}  // namespace

tl::expected<UniqueId, std::string> UniqueId::at_address(std::string_view addresses, std::string_view secret) {
    if (sodium_init() < 0)
        return tl::unexpected(std::string("libsodium cannot be initialised"));
    UniqueId id;
    for (std::string_view rest = trimmed(addresses);;) {
        std::size_t const comma = rest.find(',');
        if (id.root_count_ == kMaxRoots) {
            return tl::unexpected(fmt::format("'{}' names more than {} roots", addresses, kMaxRoots));
        }
        auto const root = root_at(trimmed(rest.substr(0, comma)));
        if (!root)
            return tl::unexpected(root.error());
        auto const end = id.roots_.begin() + id.root_count_;
        if (std::find(id.roots_.begin(), end, *root) != end) {
            return tl::unexpected(fmt::format("'{}' names {} twice: each root needs an address of its own", addresses,
                                              net::to_text(*root)));
        }
        id.roots_[id.root_count_++] = *root;
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    auto const session = derive<crypto_generichash_BYTES_MIN>("ronde session", trimmed(addresses), secret);
    id.session_ = detail::load<std::uint64_t>(session, 0);
    id.secret_ = derive<kSecretBytes>("ronde secret", trimmed(addresses), secret);
    return id;
}

tl::expected<UniqueId, std::string> UniqueId::parse(std::string_view text) {
    std::string_view const trimmed_text = trimmed(text);
    if (trimmed_text.substr(0, kPrefix.size()) != kPrefix) {
        // What was given may be the secret of something else, so it is not repeated.
        return tl::unexpected(
            fmt::format("not an id: it does not begin with '{}' (public forms for logs cannot be read back)", kPrefix));
    }
    std::string_view const encoded = trimmed_text.substr(kPrefix.size());
    if (std::size_t const bad = bad_character(encoded); bad != std::string_view::npos) {
        return tl::unexpected(
            fmt::format("not an id: character {} is none of A-Z a-z 0-9 - _; was it cut or joined with other text?",
                        kPrefix.size() + bad + 1));
    }
    if (encoded.size() != kEncodedBytes) {
        return tl::unexpected(fmt::format("not an id: {} characters long, expected {}; was it cut?",
                                          trimmed_text.size(), kPrefix.size() + kEncodedBytes));
    }
    std::array<unsigned char, kBytes> raw{};
    std::size_t decoded_bytes = 0;
    int const status = sodium_base642bin(raw.data(), raw.size(), encoded.data(), encoded.size(), nullptr,
                                         &decoded_bytes, nullptr, kEncoding);
    if (status != 0 || decoded_bytes != kBytes) {
        return tl::unexpected(std::string("not an id: its last character does not fit; was it changed?"));
    }
    return from_bytes(std::as_bytes(std::span(raw)));
}

tl::expected<UniqueId, std::string> UniqueId::from_bytes(std::span<const std::byte> bytes) {
    using Layout = detail::IdLayout;
    if (bytes.size() != kBytes) {
        return tl::unexpected(fmt::format("not an id: {} bytes long, expected {}", bytes.size(), kBytes));
    }
    if (detail::load<std::uint16_t>(bytes, Layout::kMagicAt) != Layout::kMagic) {
        return tl::unexpected(std::string("not an id: it does not begin with the bytes 'ro'"));
    }
    // The version decides what the rest means, the checksum's place included, so it is looked at first.
    auto const version = static_cast<std::uint8_t>(bytes[Layout::kVersionAt]);
    if (version != Layout::kVersion) {
        return tl::unexpected(
            fmt::format("id of version {}, this program reads version {}: all ranks need the same release of ronde",
                        version, Layout::kVersion));
    }
    if (detail::load<std::uint32_t>(bytes, Layout::kChecksumAt) != Layout::checksum_of(bytes)) {
        return tl::unexpected(std::string("damaged id: its checksum does not fit; was a character changed?"));
    }
    UniqueId id;
    auto const counts = static_cast<std::uint8_t>(bytes[Layout::kCountsAt]);
    id.root_count_ = counts & Layout::kCountMask;
    id.promised_ = (counts & Layout::kPromisedBit) != 0;
    id.backlog_code_ = static_cast<std::uint8_t>(counts >> Layout::kBacklogShift);
    if (id.root_count_ < 1 || id.root_count_ > kMaxRoots) {
        return tl::unexpected(
            fmt::format("damaged id: it names {} roots, expected 1 to {}", id.root_count_, kMaxRoots));
    }
    id.session_ = detail::load<std::uint64_t>(bytes, Layout::kSessionAt);
    std::copy_n(bytes.begin() + Layout::kSecretAt, kSecretBytes, id.secret_.begin());
    for (std::uint32_t i = 0; i < id.root_count_; ++i) {
        id.roots_[i] = Layout::load_root(bytes.subspan(Layout::kRootsAt + i * Layout::kRootBytes));
        if (id.roots_[i].family == protocol::Family::none || id.roots_[i].port == 0) {
            return tl::unexpected(fmt::format("damaged id: root {} has no address or no port", i));
        }
    }
    return id;
}

UniqueId::Bytes UniqueId::bytes() const {
    using Layout = detail::IdLayout;
    Bytes result{};
    detail::store(result, Layout::kMagicAt, Layout::kMagic);
    result[Layout::kVersionAt] = std::byte{Layout::kVersion};
    result[Layout::kCountsAt] = std::byte(root_count_ | (promised_ ? Layout::kPromisedBit : 0U) |
                                          std::uint32_t{backlog_code_} << Layout::kBacklogShift);
    detail::store(result, Layout::kSessionAt, session_);
    std::copy(secret_.begin(), secret_.end(), result.begin() + Layout::kSecretAt);
    for (std::uint32_t i = 0; i < root_count_; ++i) {
        Layout::store_root(roots_[i], std::span(result).subspan(Layout::kRootsAt + i * Layout::kRootBytes));
    }
    detail::store(result, Layout::kChecksumAt, Layout::checksum_of(result));
    return result;
}

std::string UniqueId::text() const {
    Bytes const raw = bytes();
    std::array<char, kEncodedBytes + 1> encoded{};
    sodium_bin2base64(encoded.data(), encoded.size(), reinterpret_cast<unsigned char const*>(raw.data()), raw.size(),
                      kEncoding);
    return std::string(kPrefix) + encoded.data();
}

std::string UniqueId::public_text() const {
    std::string result = fmt::format("ronde1:session={:016x},roots=", session_);
    for (std::uint32_t i = 0; i < root_count_; ++i) {
        if (i != 0)
            result += '+';
        result += net::to_text(roots_[i]);
    }
    return result;
}

std::uint32_t UniqueId::root_backlog() const noexcept { return protocol::backlog_told_by(backlog_code_); }

std::uint32_t UniqueId::roots_digest() const noexcept {
    // Only what means the same on every host: a scope is a host's own number for one of its interfaces.
    constexpr std::size_t kBytesOfRoot = 19;
    std::array<std::byte, kMaxRoots * kBytesOfRoot> ordered{};
    std::size_t filled = 0;
    for (std::uint32_t i = 0; i < root_count_; ++i) {
        ordered[filled++] = std::byte(roots_[i].family);
        ordered[filled++] = std::byte(roots_[i].port & 0xffU);
        ordered[filled++] = std::byte(roots_[i].port >> 8);
        for (std::uint8_t const byte : roots_[i].address)
            ordered[filled++] = std::byte{byte};
    }
    return XXH32(ordered.data(), filled, root_count_);
}

tl::expected<void, std::string> UniqueId::write_file(std::string const& path) const {
    return net::write_private_file(path, text() + '\n');
}

tl::expected<UniqueId::FromFile, std::string> UniqueId::read_file(std::string const& path) {
    auto file = net::read_private_file(path, kIdFileLimitBytes);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    auto id = parse(file->content);
    sodium_memzero(file->content.data(), file->content.size());
    if (!id)
        return tl::unexpected(fmt::format("{}: {}", path, id.error()));
    return FromFile{*id, std::move(file->warning)};
}

}  // namespace ronde
