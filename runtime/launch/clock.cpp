#include "launch/clock.hpp"

#include <algorithm>
#include <climits>

namespace ronde::launch {

using protocol::kMillisecondNs;
using protocol::kNever;
using protocol::TimeNs;

TimeNs deadline_in(TimeNs budget_ns) noexcept {
    TimeNs const now = monotonic_ns();
    return budget_ns > kNever - now ? kNever : now + budget_ns;
}

int poll_timeout_ms(TimeNs deadline_ns) noexcept {
    if (deadline_ns == kNever)
        return -1;
    TimeNs const left = std::max<TimeNs>(0, deadline_ns - monotonic_ns());
    TimeNs const ms = left / kMillisecondNs + (left % kMillisecondNs != 0 ? 1 : 0);
    return static_cast<int>(std::min<TimeNs>(ms, INT_MAX));
}

}  // namespace ronde::launch
