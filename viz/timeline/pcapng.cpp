#include "timeline/pcapng.hpp"

#include "timeline/frame_bytes.hpp"
#include "timeline/packet_bytes.hpp"
#include "timeline/phase_spans.hpp"
#include "timeline/segments.hpp"
#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <string>

namespace ronde::viz {
namespace {

/// Blocks and options of the format; all numbers are little-endian, as the section's magic number says.
constexpr std::uint32_t kSectionHeader = 0x0a0d'0d0a;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kNameResolution = 4;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint16_t kComment = 1;
constexpr std::uint16_t kUserApplication = 4;
constexpr std::uint16_t kInterfaceName = 2;
constexpr std::uint16_t kTimeResolution = 9;
constexpr std::uint16_t kIpv4Name = 1;
constexpr std::uint16_t kEthernet = 1;

/// The body of one block.
class Block {
public:
    Block& u16(std::uint32_t value) { return number(value, 2); }
    Block& u32(std::uint64_t value) { return number(value, 4); }
    Block& padded(std::string_view bytes) {
        body_ += bytes;
        body_.append((4 - bytes.size() % 4) % 4, '\0');
        return *this;
    }
    Block& option(std::uint16_t code, std::string_view value) {
        return u16(code).u16(static_cast<std::uint32_t>(value.size())).padded(value);
    }
    Block& end_of_options() { return u32(0); }

    /// With type and length in front, and the length behind.
    [[nodiscard]] std::string finish(std::uint32_t type) const {
        Block whole;
        std::size_t const bytes = body_.size() + 12;
        whole.u32(type).u32(bytes).body_ += body_;
        whole.u32(bytes);
        return std::move(whole.body_);
    }

private:
    Block& number(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            body_ += static_cast<char>(value >> (8 * i) & 0xffU);
        return *this;
    }
    std::string body_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::uint8_t flags_of(SegmentKind kind, bool ends_frame) {
    switch (kind) {
    case SegmentKind::syn:
    case SegmentKind::syn_again: return TcpFlag::kSyn;
    case SegmentKind::syn_ack: return TcpFlag::kSyn | TcpFlag::kAck;
    case SegmentKind::ack: return TcpFlag::kAck;
    case SegmentKind::data: return ends_frame ? TcpFlag::kAck | TcpFlag::kPush : TcpFlag::kAck;
    case SegmentKind::fin: return TcpFlag::kFin | TcpFlag::kAck;
    case SegmentKind::refusal:
    case SegmentKind::reset: return TcpFlag::kReset | TcpFlag::kAck;
    }
    return TcpFlag::kAck;
}

class Capture {
public:
    Capture(Chronicle const& chronicle, Sink const& sink)
        : chronicle_(chronicle), sink_(sink), addresses_(chronicle), segments_(segments_of(chronicle, addresses_)) {}

    void write() {
        add_head();
        for (Segment const& segment : segments_.in_order)
            add(segment);
        sink_(buffer_);
    }

private:
    void add_block(std::uint32_t type, Block const& block) {
        constexpr std::size_t kPiece = 1U << 16U;
        buffer_ += block.finish(type);
        if (buffer_.size() >= kPiece) {
            sink_(buffer_);
            buffer_.clear();
        }
    }

    void add_head() {
        Block section;
        section.u32(0x1a2b'3c4d).u16(1).u16(0).u32(0xffff'ffff).u32(0xffff'ffff);
        section.option(kComment, fmt::format("{}; {}", chronicle_.title, chronicle_.verdict));
        section.option(kUserApplication, "ronde").end_of_options();
        add_block(kSectionHeader, section);

        Block interface;
        interface.u16(kEthernet).u16(0).u32(0).option(kInterfaceName, "ronde");
        interface.option(kTimeResolution, "\x09").end_of_options();
        add_block(kInterfaceDescription, interface);

        Block names;
        for (std::uint32_t host = 0; host < addresses_.hosts(); ++host) {
            std::uint32_t const address = Addresses::ipv4_of_host(host);
            std::string record;
            for (std::uint32_t i = 0; i < 4; ++i)
                record += static_cast<char>(address >> (24U - 8U * i) & 0xffU);
            record += fmt::format("host{}", host);
            record += '\0';
            names.option(kIpv4Name, record);
        }
        add_block(kNameResolution, names.u32(0));
    }

    void add(Segment const& segment) {
        Connection const& connection = segments_.connections[segment.connection];
        PacketAddress const caller{addresses_.ipv4_of(connection.caller), connection.caller_port};
        PacketAddress const listener{addresses_.ipv4_of(connection.listener), connection.listener_port};
        bool ends_frame = false;
        Packet packet;
        packet.from = segment.from_caller ? caller : listener;
        packet.to = segment.from_caller ? listener : caller;
        packet.sequence = segment.sequence;
        packet.acknowledged = segment.acknowledged;
        packet.identification = ++identification_;
        if (segment.kind == SegmentKind::data) {
            // The pieces of one frame follow one another.
            if (segment.offset == 0)
                frame_ = frame_bytes(chronicle_, addresses_, chronicle_.messages[segment.message]);
            packet.payload = std::span(frame_).subspan(segment.offset, segment.bytes);
            ends_frame = std::size_t{segment.offset} + segment.bytes == frame_.size();
        }
        packet.flags = flags_of(segment.kind, ends_frame);
        std::vector<std::byte> const bytes = packet_bytes(packet);

        auto const at_ns = static_cast<std::uint64_t>(segment.at_ns);
        Block block;
        block.u32(0).u32(at_ns >> 32U).u32(at_ns & 0xffff'ffffU).u32(bytes.size()).u32(bytes.size());
        block.padded(text_of(bytes));
        if (std::string const comment = comment_of(segment); !comment.empty())
            block.option(kComment, comment).end_of_options();
        add_block(kEnhancedPacket, block);
    }

    [[nodiscard]] std::string comment_of(Segment const& segment) const {
        Connection const& connection = segments_.connections[segment.connection];
        ProcessIndex const from = segment.from_caller ? connection.caller : connection.listener;
        ProcessIndex const to = segment.from_caller ? connection.listener : connection.caller;
        std::string comment = fmt::format("{} to {}", name_of(chronicle_, from), name_of(chronicle_, to));
        switch (segment.kind) {
        case SegmentKind::syn: return comment;
        case SegmentKind::syn_again: return comment + ", again";
        case SegmentKind::refusal: return comment + ", nobody listens";
        case SegmentKind::data: break;
        default: return {};
        }
        if (segment.offset != 0)
            return {};
        MessageStory const& message = chronicle_.messages[segment.message];
        comment += fmt::format(": {}", protocol::name_of(message.kind));
        comment += message.received_ns == kNever
                       ? std::string(", did not arrive")
                       : fmt::format(", received after {}", about_time(message.received_ns - message.sent_ns));
        return message.critical ? comment + ", on the critical path" : comment;
    }

    Chronicle const& chronicle_;
    Sink const& sink_;
    Addresses addresses_;
    Segments segments_;
    std::vector<std::byte> frame_;
    std::uint16_t identification_ = 0;
    std::string buffer_;
};

}  // namespace

std::uint64_t capture_bytes(Chronicle const& chronicle) {
    std::uint64_t bytes = 0;
    for (MessageStory const& message : chronicle.messages)
        bytes += message.bytes;
    return bytes;
}

void pcapng(Chronicle const& chronicle, Sink const& sink) { Capture(chronicle, sink).write(); }

}  // namespace ronde::viz
