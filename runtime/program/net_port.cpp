#include "program/net_port.hpp"

namespace ronde {

NetPort::NetPort(net::Loop& loop, protocol::RankConfig const& config, protocol::Secret const& secret, Entry const& mine,
                 net::RankOptions options)
    : started_ns_(net::monotonic_ns()), driver_(loop, config, secret, mine, std::move(options)) {}

CommunicatorStatistics NetPort::statistics() const {
    net::Statistics const counted = driver_.statistics();
    CommunicatorStatistics result;
    result.frames_sent = counted.frames_sent;
    result.frames_received = counted.frames_received;
    result.bytes_sent = counted.bytes_sent;
    result.bytes_received = counted.bytes_received;
    result.connects = counted.connects;
    result.accepts = counted.accepts;
    result.unanswered = counted.unanswered;
    result.strangers = counted.strangers;
    for (std::uint64_t const failures : counted.failures)
        result.retries += failures;
    result.started_ns = started_ns_;
    result.table_ns = counted.table_ns;
    result.recording_trouble = driver_.recording_trouble();
    result.phase_entered_ns = counted.phase_entered_ns;
    return result;
}

}  // namespace ronde
