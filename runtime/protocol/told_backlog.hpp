/// How an id tells the length of the accept queues at its roots: three bits, a power of four [clause 4.3, stagger].
#pragma once

#include <cstdint>

namespace ronde::protocol {

/// What Linux grants by default since 5.4 (net.core.somaxconn): assumed where an id says nothing.
inline constexpr std::uint32_t kUsualBacklog = 4'096;
inline constexpr std::uint8_t kTopBacklogCode = 7;

/// Connections that at least may wait at each root: 16, 64, 256 ... 65536 for 1..7. 0: the id says nothing.
[[nodiscard]] constexpr std::uint32_t backlog_told_by(std::uint8_t code) noexcept {
    return code == 0 ? kUsualBacklog : 4U << (2U * code);
}

/// The code of the next smaller power of four, 1..7. A queue shorter than 16 is told as 16.
[[nodiscard]] constexpr std::uint8_t code_of_backlog(std::uint32_t backlog) noexcept {
    std::uint8_t code = 1;
    while (code < kTopBacklogCode && backlog_told_by(static_cast<std::uint8_t>(code + 1)) <= backlog)
        ++code;
    return code;
}

}  // namespace ronde::protocol
