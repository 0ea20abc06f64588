/// What a frame of a ring gather costs on its way, so that every lane says the same about the same frame.
///
/// A delay is not drawn when an event happens to be handled; it is a function of what the frame is: the world's seed,
/// the operation, the sender, the direction, and how many frames went that way before. The event lane may send frames
/// in any order and the fast-forward may compute a million ranks at once, and both find the same delay.
///
/// The hash is 32 bits wide on purpose: a vector unit multiplies sixteen of those at a time. 64 bits of the link's
/// identity go into it at two places, so two links share neither a sequence nor a shifted piece of one.
#pragma once

#include "engine/distribution.hpp"
#include "engine/draw.hpp"
#include "forward/frame_hash.hpp"
#include "protocol/units.hpp"

#include <cstdint>

namespace ronde::sim {

/// Which way a frame travels around the ring, seen from its sender.
enum class Way : std::uint8_t {
    forward,   ///< to the successor
    backward,  ///< to the predecessor, in a gather both ways around
};

/// One direction of one link during one gather. Equal streams mean equal delays.
struct FrameStream {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    friend constexpr bool operator==(FrameStream, FrameStream) = default;
};

/// The stream of frames that `sender` sends `way` in the gather number `operation` (0: the table) of a world.
[[nodiscard]] constexpr FrameStream frame_stream(std::uint64_t seed, std::uint64_t operation, protocol::RankId sender,
                                                 Way way) noexcept {
    std::uint64_t const gather = draw(seed, 0x7269'6e67'6761'7468U, operation);
    std::uint64_t const link = draw(gather, static_cast<std::uint64_t>(way), sender);
    return {static_cast<std::uint32_t>(link >> 32), static_cast<std::uint32_t>(link)};
}

/// Which of the kQuantiles delays the frame number `frame` of a stream takes; the first frame is number 0, and in a
/// gather with length turns lengths and slices are counted together.
[[nodiscard]] constexpr std::uint32_t frame_quantile(FrameStream stream, std::uint32_t frame) noexcept {
    std::uint32_t x = (frame * kFrameStride ^ stream.first) * kFrameFirstFactor;
    x = (x ^ x >> kFrameShift) + stream.second;
    return (x * kFrameSecondFactor) >> kQuantileShift;
}

/// How long that frame travels on a link whose delays are `delays`.
[[nodiscard]] inline protocol::TimeNs frame_delay_ns(Distribution const& delays, FrameStream stream,
                                                     std::uint32_t frame) {
    return delays.among(frame_quantile(stream, frame), kQuantiles);
}

/// How long a frame of `bytes` (header and payload, below 2^34) keeps its link busy, rounded up; 0 where
/// `bytes_per_second` is 0, which is no limit.
[[nodiscard]] constexpr protocol::TimeNs transmission_ns(std::uint64_t bytes, std::uint64_t bytes_per_second) noexcept {
    if (bytes_per_second == 0)
        return 0;
    std::uint64_t const billionths = bytes * std::uint64_t{protocol::kSecondNs};
    return static_cast<protocol::TimeNs>(billionths / bytes_per_second + (billionths % bytes_per_second != 0 ? 1 : 0));
}

}  // namespace ronde::sim
