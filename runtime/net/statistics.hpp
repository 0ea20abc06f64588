/// What a driver counts. Plain numbers, for reports; nothing is decided by them.
#pragma once

#include "protocol/units.hpp"

#include <array>
#include <cstdint>

namespace ronde::net {

using protocol::TimeNs;

inline constexpr std::size_t kFailureCount = static_cast<std::size_t>(protocol::Failure::other) + 1U;

struct Statistics {
    std::uint64_t frames_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_sent = 0;  ///< handed to the kernel
    std::uint64_t bytes_received = 0;
    std::uint64_t connects = 0;       ///< connections tried
    std::uint64_t accepts = 0;        ///< connections taken from listeners
    std::uint64_t unanswered = 0;     ///< connections that stood but were given up without a valid answer
    std::uint64_t strangers = 0;      ///< unproven connections that were dropped or left
    std::uint64_t accept_pauses = 0;  ///< accepts put off for want of descriptors
    /// Connections that could not be made or did not last until proven, by cause.
    std::array<std::uint64_t, kFailureCount> failures{};
    /// Monotonic time at which each phase was entered first; 0: never.
    std::array<TimeNs, protocol::kPhaseCount> phase_entered_ns{};
    TimeNs table_ns = 0;  ///< when the table was complete; 0: not yet
};

}  // namespace ronde::net
