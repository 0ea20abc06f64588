/// A run as TCP segments: connections with ports and sequence numbers, and what went over them.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/addresses.hpp"

#include <cstdint>
#include <vector>

namespace ronde::viz {

inline constexpr std::uint32_t kNoMessage = 0xffff'ffffU;
/// Payload of one segment at most; Linux hands segments of about 64 KiB to a card that cuts them itself.
inline constexpr std::uint32_t kMostSegmentBytes = 64'000;

enum class SegmentKind : std::uint8_t { syn, syn_again, syn_ack, ack, data, fin, refusal, reset };

struct Segment {
    TimeNs at_ns = 0;
    SegmentKind kind = SegmentKind::syn;
    std::uint32_t connection = 0;  ///< index of Segments::connections
    bool from_caller = true;
    std::uint32_t message = kNoMessage;  ///< data, and the ack that answers it
    std::uint32_t offset = 0;            ///< data: of its first byte within the message's frame
    std::uint32_t bytes = 0;             ///< data: of payload
    std::uint32_t sequence = 0;          ///< as in a header, modulo 2^32
    std::uint32_t acknowledged = 0;
};

struct Connection {
    ProcessIndex caller = kNobody;
    ProcessIndex listener = kNobody;
    std::uint16_t caller_port = 0;
    std::uint16_t listener_port = 0;
};

struct Segments {
    std::vector<Connection> connections;  ///< one for each call, then one for each pair that spoke without one
    std::vector<Segment> in_order;        ///< by time
};

/// SYNs bear the time of the call, SYN-ACKs and the ACK after it the time at which the caller's connection stood, data
/// the time at which it was sent, and the ACK that answers it the time at which it was received: lost data has none.
/// `addresses` deals the ports.
[[nodiscard]] Segments segments_of(Chronicle const& chronicle, Addresses& addresses);

}  // namespace ronde::viz
