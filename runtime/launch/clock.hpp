/// Deadlines for poll(2).
#pragma once

#include "net/loop.hpp"

namespace ronde::launch {

using net::monotonic_ns;

/// `budget_ns` from now as a time on the monotonic clock, kNever when there is no limit.
[[nodiscard]] protocol::TimeNs deadline_in(protocol::TimeNs budget_ns) noexcept;

/// What poll(2) takes: milliseconds until `deadline_ns`, rounded up so that waking early never makes a busy loop;
/// -1 for kNever.
[[nodiscard]] int poll_timeout_ms(protocol::TimeNs deadline_ns) noexcept;

}  // namespace ronde::launch
