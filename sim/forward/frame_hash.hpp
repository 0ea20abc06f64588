/// The numbers of the hash that chooses a frame's delay; frame_key.hpp says how they are used and why.
#pragma once

#include <cstdint>

namespace ronde::sim {

inline constexpr std::uint32_t kFrameStride = 0x9e37'79b9U;  ///< odd, so that 2^32 frames have distinct inputs
inline constexpr std::uint32_t kFrameFirstFactor = 0x7feb'352dU;
inline constexpr std::uint32_t kFrameSecondFactor = 0x846c'a68bU;
inline constexpr std::uint32_t kFrameShift = 15;
/// The top bits of the hash choose one of 4 096 equally likely delays.
inline constexpr std::uint32_t kQuantileShift = 20;
inline constexpr std::uint32_t kQuantiles = 1U << (32U - kQuantileShift);

}  // namespace ronde::sim
