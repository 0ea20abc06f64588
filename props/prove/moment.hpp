/// What one process and its conversations are at a moment.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"
#include "prove/part.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace ronde::prove {

inline constexpr std::uint32_t kDoors = 16;  ///< of a root here; a rank has four
inline constexpr std::uint16_t kNobody = 0xffffU;

struct Moment {
    std::vector<std::byte> machine;             ///< its state
    std::vector<std::uint16_t> said;            ///< by part: lines of its own
    std::vector<std::uint16_t> heard;           ///< by part: lines of the other end
    std::vector<std::uint8_t> stands;           ///< by part: it was told that the connection it made stands
    std::vector<std::uint64_t> known;           ///< bit per rank: whose entry it has
    std::array<std::uint16_t, kDoors> doors{};  ///< by slot: the part that waits there to be admitted
    std::array<std::uint8_t, 3> credits{};      ///< by Listener
    std::uint8_t ready = 0;
    std::uint8_t finished = 0;
    std::uint16_t calling = kNobody;  ///< root: the part of the call-back under way
    protocol::TimeNs now_ns = 0;

    [[nodiscard]] bool knows(protocol::RankId rank) const { return (known[rank / 64] >> (rank % 64) & 1U) != 0; }
    void learn(protocol::RankId rank) { known[rank / 64] |= std::uint64_t{1} << (rank % 64); }
    /// Equal exactly when the moments are.
    [[nodiscard]] std::string bytes() const;
};

}  // namespace ronde::prove
