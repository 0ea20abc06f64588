/// Bytes in, frames out: a little machine of its own [clause 2.2].
///
/// Holds one partial header and one small payload (256 bytes all told). Payloads that are slices or messages
/// never pass through it: the driver names their place and reads them there. A framer never points into
/// itself, so it may be copied and moved at any time, in mid-frame too.
#pragma once

#include "protocol/frame.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace ronde::protocol {

class Framer {
public:
    enum class Status : std::uint8_t {
        hungry,    ///< everything offered was consumed, nothing is complete
        header,    ///< frame() is known; call place() or take_inline(), then go on feeding
        frame,     ///< the whole frame is there; call next() when done with it
        malformed  ///< fault() says why; the connection is useless from here on
    };
    /// Inline room for payloads of fixed small size (entry, verdict, nonces, tags).
    static constexpr std::uint32_t kInlineBytes = kVerdictBytes;

    /// Consumes bytes from the front of `in` (shrinking it) until something is complete. Without bytes it
    /// says again where the framer stands; so a frame without payload is announced as `header` and, once it
    /// is placed, as `frame` by the next call, even an empty one.
    Status feed(std::span<const std::byte>& in) noexcept;

    /// After `header`: the payload goes to these two places, in this order (the second for a wrap-around).
    /// Their sizes must add up to frame().payload_bytes; two empty places are right for a frame without
    /// payload.
    void place(std::span<std::byte> first, std::span<std::byte> second = {}) noexcept;
    /// After `header`: the payload goes to the inline room. Only for payload_bytes <= kInlineBytes.
    void take_inline() noexcept;
    /// Where the next payload bytes belong, for a driver that reads straight from the socket; after such a
    /// read of n bytes call advance(n), which returns what feed() would have returned.
    [[nodiscard]] std::span<std::byte> rest_of_payload() noexcept;
    Status advance(std::size_t bytes) noexcept;

    /// Forgets the frame that was just delivered.
    void next() noexcept;

    [[nodiscard]] Frame const& frame() const noexcept { return frame_; }
    /// The inline payload of a complete frame; empty when it was placed elsewhere.
    [[nodiscard]] std::span<const std::byte> payload() const noexcept;
    [[nodiscard]] HeaderFault fault() const noexcept { return fault_; }
    /// Nothing of the next frame has arrived yet, so an end of stream here is clean.
    [[nodiscard]] bool between_frames() const noexcept { return stage_ == Stage::header && filled_ == 0; }

private:
    enum class Stage : std::uint8_t { header, decide, payload, complete, broken };

    Frame frame_{};
    std::span<std::byte> places_[2];
    std::size_t filled_ = 0;  ///< bytes of the current stage that have arrived
    Stage stage_ = Stage::header;
    HeaderFault fault_ = HeaderFault::none;
    bool inline_ = false;
    std::array<std::byte, kInlineBytes> buffer_{};
};

}  // namespace ronde::protocol
