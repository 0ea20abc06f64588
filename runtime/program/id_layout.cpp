#include "program/id_layout.hpp"

#include "net/endpoint.hpp"

#include <xxhash.h>

#include <algorithm>

namespace ronde::detail {

using protocol::Endpoint;
using protocol::Family;

namespace {

constexpr std::size_t kFamilyAt = 0;
constexpr std::size_t kPortAt = 2;
constexpr std::size_t kAddressAt = 4;
/// Within the address: bytes that a link-local prefix (fe80::/64, RFC 4291 section 2.5.6) leaves zero.
constexpr std::size_t kScopeAt = 4;

}  // namespace

std::uint32_t IdLayout::checksum_of(std::span<const std::byte> id) noexcept {
    XXH32_hash_t const head = XXH32(id.data(), kChecksumAt, 0);
    auto const rest = id.subspan(kSessionAt);
    return XXH32(rest.data(), rest.size(), head);
}

void IdLayout::store_root(Endpoint const& root, std::span<std::byte> out) noexcept {
    out[kFamilyAt] = std::byte(root.family);
    store(out, kPortAt, root.port);
    for (std::size_t i = 0; i < root.address.size(); ++i)
        out[kAddressAt + i] = std::byte{root.address[i]};
    if (net::reach_of(root) == net::Reach::link_local_6)
        store(out, kAddressAt + kScopeAt, root.scope_id);
}

Endpoint IdLayout::load_root(std::span<const std::byte> in) noexcept {
    Endpoint root;
    auto const family = static_cast<Family>(in[kFamilyAt]);
    if (family != Family::ipv4 && family != Family::ipv6)
        return root;
    root.family = family;
    root.port = load<std::uint16_t>(in, kPortAt);
    for (std::size_t i = 0; i < root.address.size(); ++i)
        root.address[i] = std::to_integer<std::uint8_t>(in[kAddressAt + i]);
    if (net::reach_of(root) == net::Reach::link_local_6) {
        root.scope_id = load<std::uint32_t>(in, kAddressAt + kScopeAt);
        std::fill_n(root.address.begin() + kScopeAt, sizeof root.scope_id, std::uint8_t{0});
    }
    return root;
}

}  // namespace ronde::detail
