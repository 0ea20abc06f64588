/// The proof that two runs are one: 128 bits over everything that was absorbed, in order.
///
/// XXH3 over each record, chained by a bijection of the state, so that a difference once absorbed can never be lost by
/// what follows. The same value from every compiler, byte order and optimisation. It detects mistakes, not forgery.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ronde::sim {

struct Digest128 {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend constexpr bool operator==(Digest128 const&, Digest128 const&) = default;
    friend constexpr auto operator<=>(Digest128 const&, Digest128 const&) = default;
};

/// 32 lower-case hexadecimal digits, high first.
[[nodiscard]] std::string to_text(Digest128 const& digest);
/// Nothing unless `text` is 32 lower-case hexadecimal digits.
[[nodiscard]] std::optional<Digest128> digest_from(std::string_view text);

/// A value: copies go on independently.
class RunningDigest {
public:
    /// One record; its length and its bounds count, two records are not their concatenation.
    void absorb(std::span<const std::byte> record);
    /// The same for those who have its hash already (record_hash.hpp).
    void absorb_hashed(Digest128 const& hash) noexcept {
        chain(hash.low, hash.high);
        ++records_;
    }
    /// One number, as a record of its own kind.
    void absorb(std::uint64_t number) noexcept {
        chain(number, kNumberRecord);
        ++records_;
    }

    /// Of all that was absorbed so far; absorbing may go on.
    [[nodiscard]] Digest128 value() const noexcept;
    [[nodiscard]] std::uint64_t records() const noexcept { return records_; }

    /// Mixed into the hash of each record.
    static constexpr std::uint64_t kBytesRecord = 0xbb67'ae85'84ca'a73bU;

private:
    static constexpr std::uint64_t kNumberRecord = 0x6a09'e667'f3bc'c909U;  // fractions of the roots of 2 and 3

    void chain(std::uint64_t low, std::uint64_t high) noexcept {
        // Rotation, xor, multiplication by odd numbers, and an addition: each can be undone, so equal records on
        // different states leave different states, and different records on equal states do too.
        low_ = (std::rotl(low_, 29) ^ low) * 0x9e37'79b1'85eb'ca87U;
        high_ = (std::rotl(high_, 31) ^ high) * 0xc2b2'ae3d'27d4'eb4fU + low_;
        low_ ^= high_ >> 32U;
    }

    std::uint64_t low_ = 0;
    std::uint64_t high_ = 0;
    std::uint64_t records_ = 0;
};

}  // namespace ronde::sim
