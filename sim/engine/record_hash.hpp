/// The hash of one record of a RunningDigest. Brings the whole of XXH3 along, so only for files that hash often.
#pragma once

#include "engine/digest.hpp"

#define XXH_INLINE_ALL  // a call into the library costs as much as the hash
#include <xxhash.h>

#include <algorithm>
#include <type_traits>

namespace ronde::sim {

namespace detail {

// Above 240 bytes XXH3 sets up a state that pays off for kilobytes; states of machines are a few hundred bytes. Pieces
// are hashed independently, which lets the processor overlap them, with their number as the seed.
inline constexpr std::size_t kHashPiece = 128;
inline constexpr std::size_t kLargestHashPiece = 240;

constexpr std::size_t hash_piece_of(std::size_t left) noexcept { return left > kLargestHashPiece ? kHashPiece : left; }

inline void add_piece(std::byte const* data, std::size_t bytes, std::uint64_t number, Digest128& sum) noexcept {
    XXH128_hash_t const hash = XXH3_128bits_withSeed(data, bytes, number);
    sum.low += hash.low64;
    sum.high += hash.high64;
}

/// The same of a size that is known beforehand, which leaves nothing to be decided but the bytes.
template <std::size_t kLeft, std::uint64_t kNumber = 0>
void add_pieces(std::byte const* data, Digest128& sum) noexcept {
    constexpr std::size_t bytes = hash_piece_of(kLeft);
    add_piece(data, bytes, kNumber, sum);
    if constexpr (bytes < kLeft)
        add_pieces<kLeft - bytes, kNumber + 1U>(data + bytes, sum);
}

}  // namespace detail

/// What RunningDigest::absorb takes of `record` as bytes.
[[nodiscard]] inline Digest128 record_hash(std::span<const std::byte> record) noexcept {
    Digest128 sum{RunningDigest::kBytesRecord, record.size()};
    for (std::uint64_t number = 0;; ++number) {
        std::size_t const bytes = detail::hash_piece_of(record.size());
        detail::add_piece(record.data(), bytes, number, sum);
        if (bytes == record.size())
            return sum;
        record = record.subspan(bytes);
    }
}

/// ... of a value without padding.
template <class T>
[[nodiscard]] Digest128 record_hash_of(T const& value) noexcept {
    static_assert(std::has_unique_object_representations_v<T>);
    Digest128 sum{RunningDigest::kBytesRecord, sizeof value};
    detail::add_pieces<sizeof value>(reinterpret_cast<std::byte const*>(&value), sum);
    return sum;
}

}  // namespace ronde::sim
