#include "timeline/frame_bytes.hpp"

#include <algorithm>
#include <span>

namespace ronde::viz {
namespace {

using protocol::FrameKind;

void put_entry(std::span<std::byte> payload, std::size_t place, Chronicle const& chronicle, Addresses const& addresses,
               std::uint64_t rank) {
    std::size_t const at = place * protocol::kEntryBytes;
    if (chronicle.nranks > 0 && at + protocol::kEntryBytes <= payload.size())
        protocol::encode_entry(addresses.entry_of(static_cast<RankId>(rank % chronicle.nranks)),
                               payload.subspan(at, protocol::kEntryBytes));
}

/// A rank that failed by itself says its own verdict; what a root says is what its receiver fails with.
protocol::Error error_of(Chronicle const& chronicle, MessageStory const& message) {
    for (ProcessIndex const process : {message.from, message.to}) {
        if (process < chronicle.ranks.size() && !chronicle.ranks[process].error.is_ok())
            return chronicle.ranks[process].error;
    }
    return {};
}

}  // namespace

protocol::Frame header_of(MessageStory const& message) noexcept {
    std::uint64_t const known_bytes = std::uint64_t{message.header.payload_bytes} + protocol::kHeaderBytes;
    if (known_bytes == message.bytes && message.header.kind == message.kind)
        return message.header;
    protocol::Frame frame;
    frame.kind = message.kind;
    frame.payload_bytes =
        static_cast<std::uint32_t>(message.bytes - std::min<std::uint64_t>(message.bytes, protocol::kHeaderBytes));
    if (message.kind == FrameKind::slices) {
        frame.a = message.first;
        frame.b = message.count;
        frame.c = message.count == 0 ? 0 : frame.payload_bytes / message.count;
    }
    return frame;
}

std::vector<std::byte> frame_bytes(Chronicle const& chronicle, Addresses const& addresses,
                                   MessageStory const& message) {
    protocol::Frame const header = header_of(message);
    std::vector<std::byte> bytes(std::size_t{protocol::kHeaderBytes} + header.payload_bytes);
    std::span<std::byte> const whole(bytes);
    protocol::encode_header(header, whole.first<protocol::kHeaderBytes>());
    std::span<std::byte> const payload = whole.subspan(protocol::kHeaderBytes);
    switch (header.kind) {
    case FrameKind::check_in:
    case FrameKind::successor: put_entry(payload, 0, chronicle, addresses, header.a); break;
    case FrameKind::slices:
        // The table is operation 0; slices of later ones are the program's.
        for (std::uint32_t i = 0; header.d == 0 && header.c == protocol::kEntryBytes && i < header.b; ++i)
            put_entry(payload, i, chronicle, addresses, std::uint64_t{header.a} + i);
        break;
    case FrameKind::verdict:
        if (payload.size() == protocol::kVerdictBytes) {
            protocol::Verdict verdict;
            verdict.error = error_of(chronicle, message);
            protocol::encode_verdict(verdict, payload);
        }
        break;
    default: break;
    }
    return bytes;
}

}  // namespace ronde::viz
