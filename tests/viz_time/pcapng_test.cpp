/// Captures, read back block by block and byte by byte.
#include "timeline/pcapng.hpp"

#include "timeline/frame_bytes.hpp"
#include "timeline/packet_bytes.hpp"
#include "viz_time/stories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace ronde::viz {
namespace {

using protocol::FrameKind;

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    return value;
}

std::uint32_t big(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
    return value;
}

/// One packet as a reader of captures sees it.
struct Seen {
    TimeNs at_ns = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t from_port = 0;
    std::uint32_t to_port = 0;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = 0;
    std::string payload;
};

std::uint16_t sum_of(std::string_view bytes, std::uint32_t start = 0) {
    return checksum_of(add_to_checksum(start, std::as_bytes(std::span(bytes))));
}

Seen packet_in(std::string_view frame, TimeNs at_ns) {
    EXPECT_EQ(big(frame, 12, 2), 0x0800U);
    std::string_view const ip = frame.substr(14);
    EXPECT_EQ(big(ip, 2, 2), ip.size()) << "the length of the IPv4 header is that of the packet";
    EXPECT_EQ(sum_of(ip.substr(0, 20)), 0U) << "checksum of IPv4";
    std::string_view const tcp = ip.substr(20);
    std::string pseudo(ip.substr(12, 8));
    pseudo += std::string({'\0', '\6', static_cast<char>(tcp.size() >> 8U), static_cast<char>(tcp.size() & 0xffU)});
    EXPECT_EQ(sum_of(pseudo + std::string(tcp)), 0U) << "checksum of TCP";
    std::size_t const header = std::size_t{4} * (big(tcp, 12, 1) >> 4U);
    return {at_ns,
            big(ip, 12, 4),
            big(ip, 16, 4),
            big(tcp, 0, 2),
            big(tcp, 2, 2),
            big(tcp, 4, 4),
            big(tcp, 8, 4),
            static_cast<std::uint8_t>(big(tcp, 13, 1)),
            std::string(tcp.substr(header))};
}

std::vector<Seen> packets_in(std::string_view capture) {
    std::vector<Seen> packets;
    std::uint64_t blocks = 0;
    while (!capture.empty()) {
        std::uint64_t const type = little(capture, 0, 4);
        std::uint64_t const bytes = little(capture, 4, 4);
        EXPECT_EQ(bytes % 4, 0U);
        EXPECT_EQ(little(capture, bytes - 4, 4), bytes) << "a block says its length twice";
        if (blocks++ == 0) {
            EXPECT_EQ(type, 0x0a0d0d0aU);
            EXPECT_EQ(little(capture, 8, 4), 0x1a2b3c4dU);
        }
        if (type == 6) {
            auto const at_ns = static_cast<TimeNs>(little(capture, 12, 4) << 32U | little(capture, 16, 4));
            std::uint64_t const length = little(capture, 20, 4);
            EXPECT_EQ(little(capture, 24, 4), length) << "nothing is cut off";
            packets.push_back(packet_in(capture.substr(28, length), at_ns));
        }
        capture.remove_prefix(bytes);
    }
    return packets;
}

using Direction = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

/// The frames of each direction, put together by sequence numbers.
std::map<Direction, std::vector<protocol::Frame>> frames_in(std::vector<Seen> const& packets) {
    struct Stream {
        std::uint32_t next = 0;
        std::string bytes;
    };
    std::map<Direction, Stream> streams;
    for (Seen const& packet : packets) {
        Stream& stream = streams[{packet.from, packet.from_port, packet.to, packet.to_port}];
        if ((packet.flags & TcpFlag::kSyn) != 0)
            stream.next = packet.sequence + 1;
        if (packet.payload.empty())
            continue;
        EXPECT_EQ(packet.sequence, stream.next) << "a gap, or bytes that were sent twice";
        stream.bytes += packet.payload;
        stream.next += static_cast<std::uint32_t>(packet.payload.size());
    }
    std::map<Direction, std::vector<protocol::Frame>> frames;
    for (auto const& [direction, stream] : streams) {
        std::span<const std::byte> rest = std::as_bytes(std::span(stream.bytes));
        while (rest.size() >= protocol::kHeaderBytes) {
            auto const decoded = protocol::decode_header(rest.first<protocol::kHeaderBytes>());
            EXPECT_EQ(decoded.fault, protocol::HeaderFault::none);
            frames[direction].push_back(decoded.frame);
            rest = rest.subspan(std::min<std::size_t>(rest.size(), 32U + decoded.frame.payload_bytes));
        }
        EXPECT_TRUE(rest.empty()) << "a frame is not whole";
    }
    return frames;
}

std::string capture_of(Chronicle const& told) {
    return stories::written([&](Sink const& sink) { pcapng(told, sink); });
}

TEST(Pcapng, ParsesBackToTheSameFramesInOrder) {
    for (Chronicle const& told : {stories::of_two(), stories::of_crowd(40)}) {
        auto const packets = packets_in(capture_of(told));
        EXPECT_TRUE(std::is_sorted(packets.begin(), packets.end(),
                                   [](Seen const& a, Seen const& b) { return a.at_ns < b.at_ns; }));
        std::vector<std::vector<protocol::Frame>> came;
        for (auto const& [direction, frames] : frames_in(packets))
            came.push_back(frames);
        std::map<std::pair<std::uint32_t, ProcessIndex>, std::vector<protocol::Frame>> sent;
        for (MessageStory const& message : told.messages)
            sent[{message.call, message.from}].push_back(message.header);
        std::vector<std::vector<protocol::Frame>> expected;
        for (auto const& [direction, frames] : sent)
            expected.push_back(frames);
        auto const by_bytes = [](std::vector<protocol::Frame> const& a, std::vector<protocol::Frame> const& b) {
            auto const key = [](protocol::Frame const& frame) {
                return std::tuple(frame.kind, frame.a, frame.b, frame.payload_bytes);
            };
            return std::lexicographical_compare(
                a.begin(), a.end(), b.begin(), b.end(),
                [&](protocol::Frame const& x, protocol::Frame const& y) { return key(x) < key(y); });
        };
        std::sort(came.begin(), came.end(), by_bytes);
        std::sort(expected.begin(), expected.end(), by_bytes);
        EXPECT_EQ(came, expected);
    }
}

TEST(Pcapng, OnlyWhatArrivedIsAcknowledged) {
    Chronicle const told = stories::of_two();
    auto const packets = packets_in(capture_of(told));
    std::uint32_t lost_end = 0;
    for (Seen const& packet : packets) {
        if (packet.payload.size() == protocol::kHeaderBytes && packet.payload[4] == '\x0d')
            lost_end = packet.sequence + protocol::kHeaderBytes;
    }
    ASSERT_NE(lost_end, 0U) << "the roll call that did not arrive is in the capture";
    std::size_t answers = 0;
    for (Seen const& packet : packets) {
        EXPECT_NE(packet.acknowledged, lost_end);
        answers += packet.payload.empty() && packet.flags == TcpFlag::kAck ? 1U : 0U;
    }
    std::size_t expected = 2;  // each of the two handshakes that came to an end has one
    for (MessageStory const& message : told.messages)
        expected += message.received_ns != kNever ? 1U : 0U;
    EXPECT_EQ(answers, expected);
}

TEST(Pcapng, ConnectionsBeginAndEndAsTheCallsDid) {
    Chronicle const told = stories::of_two();
    std::map<std::uint8_t, std::vector<Seen>> by_flags;
    for (Seen const& packet : packets_in(capture_of(told))) {
        if (packet.payload.empty())
            by_flags[packet.flags].push_back(packet);
    }
    auto const& syns = by_flags[TcpFlag::kSyn];
    ASSERT_EQ(syns.size(), 4U) << "three calls, and one SYN again";
    EXPECT_EQ(syns[2].at_ns, protocol::kSecondNs);
    EXPECT_EQ(syns[2].sequence, syns[1].sequence) << "the same SYN again";
    EXPECT_EQ(syns[2].from_port, syns[1].from_port);
    EXPECT_EQ(by_flags[TcpFlag::kSyn | TcpFlag::kAck].size(), 2U);
    EXPECT_EQ(by_flags[TcpFlag::kFin | TcpFlag::kAck].size(), 1U);
    auto const& resets = by_flags[TcpFlag::kReset | TcpFlag::kAck];
    ASSERT_EQ(resets.size(), 2U);
    EXPECT_EQ(resets[0].acknowledged, syns[3].sequence + 1) << "nobody listens: the answer to the SYN";
}

TEST(Pcapng, EntriesSayWhereTheCaptureSeesTheirRanks) {
    Chronicle const told = stories::of_two();
    Addresses const addresses(told);
    for (MessageStory const& message : told.messages) {
        if (message.kind != FrameKind::slices || message.first != 1)
            continue;
        auto const bytes = frame_bytes(told, addresses, message);
        ASSERT_EQ(bytes.size(), protocol::kHeaderBytes + protocol::kEntryBytes);
        auto const entry = protocol::decode_entry(std::span(bytes).subspan(protocol::kHeaderBytes));
        EXPECT_EQ(entry.rank, 1U);
        EXPECT_EQ(entry.endpoint.port, addresses.port_of(1));
        EXPECT_EQ(entry.endpoint.address[3], 2U) << "rank 1 lives on host 1, which is 10.0.0.2";
        return;
    }
    FAIL() << "no slices for rank 1";
}

TEST(Pcapng, ALongFrameIsCutIntoSegmentsAndComesWhole) {
    Chronicle told = stories::of_two();
    MessageStory& table = *std::find_if(told.messages.begin(), told.messages.end(),
                                        [](MessageStory const& one) { return one.kind == FrameKind::slices; });
    table.header.c = 100'000;
    table.header.payload_bytes = 200'000;
    table.bytes = 200'032;
    std::size_t whole = 0;
    for (auto const& [direction, frames] : frames_in(packets_in(capture_of(told)))) {
        for (protocol::Frame const& frame : frames)
            whole += frame.payload_bytes == 200'000 ? 1U : 0U;
    }
    EXPECT_EQ(whole, 1U);
}

TEST(Pcapng, WithoutAHeaderOneIsMadeFromWhatIsKnown) {
    MessageStory message;
    message.kind = FrameKind::slices;
    message.first = 7;
    message.count = 3;
    message.bytes = 32 + 3 * 64;
    protocol::Frame const made = header_of(message);
    EXPECT_EQ(made.kind, FrameKind::slices);
    EXPECT_EQ(std::tuple(made.a, made.b, made.c, made.payload_bytes), std::tuple(7U, 3U, std::uint64_t{64}, 192U));
}

}  // namespace
}  // namespace ronde::viz
