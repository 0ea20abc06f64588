#include "engine/digest.hpp"

#include "engine/draw.hpp"
#include "engine/record_hash.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ronde::sim {

void RunningDigest::absorb(std::span<const std::byte> record) { absorb_hashed(record_hash(record)); }

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
