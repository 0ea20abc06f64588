/// The launcher's clock.
#pragma once

#include "protocol/units.hpp"

namespace ronde::launch {

/// CLOCK_MONOTONIC: the same for all processes of a host.
[[nodiscard]] protocol::TimeNs monotonic_ns() noexcept;

/// `budget_ns` from now as a time, kNever when there is no limit.
[[nodiscard]] protocol::TimeNs deadline_in(protocol::TimeNs budget_ns) noexcept;

/// What poll(2) and epoll_wait(2) take: milliseconds until `deadline_ns`, rounded up so that waking early never makes a
/// busy loop; -1 for kNever.
[[nodiscard]] int poll_timeout_ms(protocol::TimeNs deadline_ns) noexcept;

}  // namespace ronde::launch
