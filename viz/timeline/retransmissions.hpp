/// When SYNs were sent again: a chronicle knows how often, the kernel's rule tells when.
#pragma once

#include "chronicle/chronicle.hpp"

#include <vector>

namespace ronde::viz {

/// By time: after `first_retransmit_ns`, then after twice as long, and so on.
[[nodiscard]] std::vector<TimeNs> retransmitted_ns(CallStory const& call, TimeNs first_retransmit_ns);

}  // namespace ronde::viz
