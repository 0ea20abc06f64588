#include "engine/digest.hpp"

#include "engine/draw.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // a call into the library costs as much as the hash
#include <xxhash.h>

#include <charconv>

namespace ronde::sim {

void RunningDigest::absorb(std::span<const std::byte> record) {
    // Above 240 bytes XXH3 sets up a state that pays off for kilobytes; states of machines are a few hundred bytes.
    // Pieces are hashed independently, which lets the processor overlap them, with their number as the seed.
    constexpr std::size_t kPiece = 128;
    constexpr std::size_t kLargestPiece = 240;
    Digest128 sum{kBytesRecord, record.size()};
    for (std::uint64_t piece = 0;; ++piece) {
        std::size_t const bytes = record.size() > kLargestPiece ? kPiece : record.size();
        XXH128_hash_t const hash = XXH3_128bits_withSeed(record.data(), bytes, piece);
        sum.low += hash.low64;
        sum.high += hash.high64;
        if (bytes == record.size())
            break;
        record = record.subspan(bytes);
    }
    chain(sum.low, sum.high);
    ++records_;
}

Digest128 RunningDigest::value() const noexcept {
    std::uint64_t const high = detail::mix(high_ ^ detail::mix(low_ + records_));
    return {high, detail::mix(low_ ^ high)};
}

std::string to_text(Digest128 const& digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

std::optional<Digest128> digest_from(std::string_view text) {
    Digest128 digest;
    if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return std::nullopt;
    std::from_chars(text.data(), text.data() + 16, digest.high, 16);
    std::from_chars(text.data() + 16, text.data() + 32, digest.low, 16);
    return digest;
}

}  // namespace ronde::sim
