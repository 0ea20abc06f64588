/// Bytes for tests: noise that is the same in every run, and a short way to write byte strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace ronde::protocol::testing {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::initializer_list<int> values) {
    Bytes bytes;
    for (int const value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

/// splitmix64: every seed gives another sequence, on every machine the same one.
class Noise {
public:
    explicit Noise(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e37'79b9'7f4a'7c15U;
        std::uint64_t value = state_;
        value = (value ^ (value >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        value = (value ^ (value >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return value ^ (value >> 31U);
    }
    /// 0 .. limit-1.
    std::uint64_t below(std::uint64_t limit) { return next() % limit; }

    void fill(std::span<std::byte> out) {
        for (std::byte& byte : out)
            byte = static_cast<std::byte>(next() & 0xffU);
    }
    Bytes bytes(std::size_t count) {
        Bytes out(count);
        fill(out);
        return out;
    }

private:
    std::uint64_t state_;
};

}  // namespace ronde::protocol::testing
