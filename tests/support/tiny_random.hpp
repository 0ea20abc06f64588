/// A small seeded generator of choices: the same numbers from every compiler and library.
#pragma once

#include <cstdint>

namespace ronde::protocol::tiny {

/// splitmix64. Not for secrets.
class TinyRandom {
public:
    explicit constexpr TinyRandom(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9e37'79b9'7f4a'7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return z ^ (z >> 31U);
    }
    /// A number below `count` (1 .. 2^32). Its bias is below 2^-32 times `count`, which no test can notice.
    constexpr std::uint32_t below(std::uint32_t count) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32U) * count) >> 32U);
    }
    constexpr bool per_mille(std::uint32_t chance) noexcept { return chance > 0 && below(1000) < chance; }

private:
    std::uint64_t state_;
};

}  // namespace ronde::protocol::tiny
