#include "protocol/framer.hpp"

#include "protocol/check.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ronde::protocol {

// The inline room is found anew for every use and never pointed to, so a framer may be copied in mid-frame.
static_assert(std::is_trivially_copyable_v<Framer>);
static_assert(Framer::kInlineBytes >= kHeaderBytes, "a partial header waits in the inline room");

Framer::Status Framer::feed(std::span<const std::byte>& in) noexcept {
    if (stage_ == Stage::header) {
        std::size_t const count = std::min(in.size(), kHeaderBytes - filled_);
        if (count > 0)
            std::memcpy(buffer_.data() + filled_, in.data(), count);
        in = in.subspan(count);
        filled_ += count;
        if (filled_ < kHeaderBytes)
            return Status::hungry;

        DecodedHeader const decoded = decode_header(std::span(buffer_).first<kHeaderBytes>());
        frame_ = decoded.frame;
        fault_ = decoded.fault;
        filled_ = 0;
        stage_ = fault_ == HeaderFault::none ? Stage::decide : Stage::broken;
    }
    if (stage_ == Stage::decide)
        return Status::header;

    while (stage_ == Stage::payload) {
        std::span<std::byte> const rest = rest_of_payload();
        std::size_t const count = std::min(in.size(), rest.size());
        if (count > 0)
            std::memcpy(rest.data(), in.data(), count);
        in = in.subspan(count);
        Status const status = advance(count);
        if (status != Status::hungry || in.empty())
            return status;
    }
    return stage_ == Stage::complete ? Status::frame : Status::malformed;
}

void Framer::place(std::span<std::byte> first, std::span<std::byte> second) noexcept {
    RONDE_CHECK(stage_ == Stage::decide, "a payload is placed once, after its header");
    RONDE_CHECK(first.size() + second.size() == frame_.payload_bytes, "places add up to the payload");
    places_[0] = first;
    places_[1] = second;
    inline_ = false;
    stage_ = Stage::payload;
}

void Framer::take_inline() noexcept {
    RONDE_CHECK(stage_ == Stage::decide, "a payload is placed once, after its header");
    RONDE_CHECK(frame_.payload_bytes <= kInlineBytes, "the inline room is for payloads up to kInlineBytes");
    inline_ = true;
    stage_ = Stage::payload;
}

std::span<std::byte> Framer::rest_of_payload() noexcept {
    if (stage_ != Stage::payload)
        return {};
    if (inline_)
        return std::span(buffer_).first(frame_.payload_bytes).subspan(filled_);
    std::size_t const first_bytes = places_[0].size();
    return filled_ < first_bytes ? places_[0].subspan(filled_) : places_[1].subspan(filled_ - first_bytes);
}

Framer::Status Framer::advance(std::size_t bytes) noexcept {
    RONDE_CHECK(stage_ == Stage::payload && bytes <= rest_of_payload().size(),
                "no more bytes arrive than there is place for");
    filled_ += bytes;
    if (filled_ < frame_.payload_bytes)
        return Status::hungry;
    stage_ = Stage::complete;
    return Status::frame;
}

void Framer::next() noexcept {
    RONDE_CHECK(stage_ == Stage::complete, "only a complete frame is done with");
    frame_ = {};
    places_[0] = {};
    places_[1] = {};
    filled_ = 0;
    inline_ = false;
    stage_ = Stage::header;
}

std::span<const std::byte> Framer::payload() const noexcept {
    if (stage_ != Stage::complete || !inline_)
        return {};
    return std::span(buffer_).first(frame_.payload_bytes);
}

}  // namespace ronde::protocol
