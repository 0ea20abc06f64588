/// A run as a capture that Wireshark opens: Ethernet, IPv4, TCP, and our own frames in it.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/sink.hpp"

#include <cstdint>

namespace ronde::viz {

/// More bytes than that in packets: choose a smaller world.
inline constexpr std::uint64_t kMostCaptureBytes = 256U << 20U;

/// How many bytes of frames there are in the chronicle.
[[nodiscard]] std::uint64_t capture_bytes(Chronicle const& chronicle);

/// A pcapng file with one interface, times in ns, names for hosts, and a comment at each frame that says who speaks to
/// whom. Checksums are right. docs/pictures.md says which time a packet bears and what is made up.
///
/// Source: "PCAP Next Generation Capture File Format", draft of the IETF's opsawg.
void pcapng(Chronicle const& chronicle, Sink const& sink);

}  // namespace ronde::viz
