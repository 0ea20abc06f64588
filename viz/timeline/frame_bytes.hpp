/// The bytes of a message: its header exactly, its payload as far as a chronicle tells.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/addresses.hpp"

#include <cstddef>
#include <vector>

namespace ronde::viz {

/// As it was sent; made from kind, length and entries where the chronicle has no header.
[[nodiscard]] protocol::Frame header_of(MessageStory const& message) noexcept;

/// Header and payload, as many bytes as the message had. Entries are those of `addresses`, a verdict is that of its
/// sender or of whoever took it over; nonces, tags and what programs said are zeros.
[[nodiscard]] std::vector<std::byte> frame_bytes(Chronicle const& chronicle, Addresses const& addresses,
                                                 MessageStory const& message);

}  // namespace ronde::viz
