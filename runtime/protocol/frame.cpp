#include "protocol/frame.hpp"

#include "protocol/bytes.hpp"

namespace ronde::protocol {

void encode_header(Frame const& frame, std::span<std::byte, kHeaderBytes> out) noexcept {
    ByteWriter writer(out.data());
    writer.put(frame.payload_bytes);
    writer.put(static_cast<std::uint8_t>(frame.kind));
    writer.put(frame.version);
    writer.put(frame.aux);
    writer.put(frame.a);
    writer.put(frame.b);
    writer.put(frame.c);
    writer.put(frame.d);
}

DecodedHeader decode_header(std::span<const std::byte, kHeaderBytes> in) noexcept {
    ByteReader reader(in.data());
    DecodedHeader header;
    Frame& frame = header.frame;
    frame.payload_bytes = reader.get<std::uint32_t>();
    auto const kind = reader.get<std::uint8_t>();
    frame.version = reader.get<std::uint8_t>();
    frame.aux = reader.get<std::uint16_t>();
    frame.a = reader.get<std::uint32_t>();
    frame.b = reader.get<std::uint32_t>();
    frame.c = reader.get<std::uint64_t>();
    frame.d = reader.get<std::uint64_t>();
    frame.kind = static_cast<FrameKind>(kind);

    if (kind == 0 || kind >= kFrameKindCount) {
        header.fault = HeaderFault::unknown_kind;
        return header;
    }
    std::uint32_t const expected_bytes = fixed_payload_bytes(frame.kind);
    if (expected_bytes != kVariable && frame.payload_bytes != expected_bytes) {
        header.fault = HeaderFault::bad_length;
    }
    return header;
}

std::uint32_t fixed_payload_bytes(FrameKind kind) noexcept {
    switch (kind) {
    case FrameKind::hello: return kNonceBytes;
    case FrameKind::challenge: return kNonceBytes + kTagBytes;
    case FrameKind::proof: return kTagBytes;
    case FrameKind::check_in:
    case FrameKind::successor: return kEntryBytes;
    case FrameKind::verdict: return kVerdictBytes;
    case FrameKind::length:
    case FrameKind::done:
    case FrameKind::commit:
    case FrameKind::bye:
    case FrameKind::roll_call: return 0;
    case FrameKind::slices:
    case FrameKind::message: return kVariable;
    }
    return kVariable;
}

std::string_view name_of(FrameKind kind) noexcept {
    switch (kind) {
    case FrameKind::hello: return "hello";
    case FrameKind::challenge: return "challenge";
    case FrameKind::proof: return "proof";
    case FrameKind::check_in: return "check_in";
    case FrameKind::successor: return "successor";
    case FrameKind::slices: return "slices";
    case FrameKind::length: return "length";
    case FrameKind::done: return "done";
    case FrameKind::commit: return "commit";
    case FrameKind::message: return "message";
    case FrameKind::verdict: return "verdict";
    case FrameKind::bye: return "bye";
    case FrameKind::roll_call: return "roll_call";
    }
    return "unknown";
}

}  // namespace ronde::protocol
