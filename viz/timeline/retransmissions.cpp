#include "timeline/retransmissions.hpp"

#include <algorithm>

namespace ronde::viz {

std::vector<TimeNs> retransmitted_ns(CallStory const& call, TimeNs first_retransmit_ns) {
    constexpr std::uint32_t kMost = 16;  // more than any kernel is set to; keeps the sum far from its limit
    std::vector<TimeNs> times;
    TimeNs at_ns = call.called_ns;
    for (std::uint32_t i = 0; i < std::min(call.retransmissions, kMost); ++i) {
        at_ns += first_retransmit_ns << i;
        times.push_back(at_ns);
    }
    return times;
}

}  // namespace ronde::viz
