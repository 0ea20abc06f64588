#include "timeline/packet_bytes.hpp"

namespace ronde::viz {
namespace {

constexpr std::size_t kEthernetBytes = 14;
constexpr std::size_t kIpv4Bytes = 20;
constexpr std::size_t kTcpBytes = 20;
constexpr std::size_t kSynOptionBytes = 8;
constexpr std::uint8_t kProtocolTcp = 6;

/// Appends in network order.
class Wire {
public:
    explicit Wire(std::vector<std::byte>& out) : out_(out) {}
    Wire& u8(std::uint32_t value) {
        out_.push_back(static_cast<std::byte>(value & 0xffU));
        return *this;
    }
    Wire& u16(std::uint32_t value) { return u8(value >> 8U).u8(value); }
    Wire& u32(std::uint32_t value) { return u16(value >> 16U).u16(value); }

private:
    std::vector<std::byte>& out_;
};

/// Locally administered: 02:00 and the address.
void add_ethernet(Wire& wire, Packet const& packet) {
    wire.u16(0x0200).u32(packet.to.ipv4).u16(0x0200).u32(packet.from.ipv4).u16(0x0800);
}

void put_u16(std::vector<std::byte>& bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::byte>(value >> 8U);
    bytes[at + 1] = static_cast<std::byte>(value & 0xffU);
}

}  // namespace

std::uint32_t add_to_checksum(std::uint32_t sum, std::span<const std::byte> bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        sum += std::to_integer<std::uint32_t>(bytes[i]) << 8U;
        if (i + 1 < bytes.size())
            sum += std::to_integer<std::uint32_t>(bytes[i + 1]);
        sum = (sum & 0xffffU) + (sum >> 16U);
    }
    return sum;
}

std::uint16_t checksum_of(std::uint32_t sum) noexcept {
    while (sum >> 16U != 0)
        sum = (sum & 0xffffU) + (sum >> 16U);
    return static_cast<std::uint16_t>(~sum);
}

std::vector<std::byte> packet_bytes(Packet const& packet) {
    bool const opens = (packet.flags & TcpFlag::kSyn) != 0;
    std::size_t const tcp_bytes = kTcpBytes + (opens ? kSynOptionBytes : 0) + packet.payload.size();
    std::vector<std::byte> bytes;
    bytes.reserve(kEthernetBytes + kIpv4Bytes + tcp_bytes);
    Wire wire(bytes);
    add_ethernet(wire, packet);

    constexpr std::uint32_t kDontFragment = 0x4000;
    wire.u16(0x4500).u16(static_cast<std::uint32_t>(kIpv4Bytes + tcp_bytes)).u16(packet.identification);
    wire.u16(kDontFragment).u8(64).u8(kProtocolTcp).u16(0).u32(packet.from.ipv4).u32(packet.to.ipv4);
    std::span<const std::byte> const ipv4 = std::span(bytes).subspan(kEthernetBytes, kIpv4Bytes);
    put_u16(bytes, kEthernetBytes + 10, checksum_of(add_to_checksum(0, ipv4)));

    constexpr std::uint32_t kWindow = 65'535;
    std::uint32_t const words = (kTcpBytes + (opens ? kSynOptionBytes : 0)) / 4;
    wire.u16(packet.from.port).u16(packet.to.port).u32(packet.sequence).u32(packet.acknowledged);
    wire.u16(words << 12U | packet.flags).u16(kWindow).u32(0);
    if (opens)
        wire.u16(0x0204).u16(65'000).u32(0x0103'030e);  // segments of 65 000 bytes; a filler; windows times 2^14
    bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());

    // The addresses count too, as a header that is never sent.
    std::size_t const tcp = kEthernetBytes + kIpv4Bytes;
    std::uint32_t sum = add_to_checksum(0, std::span(bytes).subspan(kEthernetBytes + 12, 8));
    sum += kProtocolTcp + static_cast<std::uint32_t>(tcp_bytes);
    put_u16(bytes, tcp + 16, checksum_of(add_to_checksum(sum, std::span(bytes).subspan(tcp))));
    return bytes;
}

}  // namespace ronde::viz
