#include "protocol/framer.hpp"

#include "bytes_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ronde::protocol {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Noise;
using Status = Framer::Status;

Bytes wire(FrameKind kind, Bytes const& payload, std::uint32_t a = 0) {
    Frame frame;
    frame.kind = kind;
    frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
    frame.a = a;
    Bytes bytes(kHeaderBytes);
    encode_header(frame, std::span(bytes).first<kHeaderBytes>());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

struct Delivered {
    FrameKind kind;
    std::uint32_t a;
    Bytes payload;
    friend bool operator==(Delivered const&, Delivered const&) = default;
};

/// What a driver does: small payloads go inline, all others to memory of its own.
class Reader {
public:
    void read(std::span<const std::byte> in) {
        for (;;) {
            switch (framer_.feed(in)) {
            case Status::hungry: EXPECT_TRUE(in.empty()); return;
            case Status::header:
                // As a machine does: whoever announces more than was agreed on is not listened to.
                if (framer_.frame().payload_bytes > kMostBytes) {
                    broken = true;
                    return;
                }
                place();
                break;
            case Status::frame: deliver(); break;
            case Status::malformed: broken = true; return;
            }
        }
    }

    std::vector<Delivered> delivered;
    bool broken = false;
    [[nodiscard]] bool between_frames() const { return framer_.between_frames(); }

private:
    static constexpr std::uint32_t kMostBytes = 1000;

    void place() {
        std::uint32_t const size = framer_.frame().payload_bytes;
        if (fixed_payload_bytes(framer_.frame().kind) != kVariable) {
            framer_.take_inline();
        } else {
            memory_.assign(size, std::byte{0xee});
            framer_.place(std::span(memory_).first(size / 3), std::span(memory_).subspan(size / 3));
        }
    }
    void deliver() {
        Frame const& frame = framer_.frame();
        if (fixed_payload_bytes(frame.kind) == kVariable) {
            EXPECT_TRUE(framer_.payload().empty()) << "it was placed elsewhere";
            delivered.push_back({frame.kind, frame.a, memory_});
        } else {
            delivered.push_back({frame.kind, frame.a, Bytes(framer_.payload().begin(), framer_.payload().end())});
        }
        framer_.next();
    }

    Framer framer_;
    Bytes memory_;
};

/// A conversation with every way of taking a payload: none, inline, placed, placed and empty.
struct Conversation {
    Bytes bytes;
    std::vector<Delivered> frames;

    Conversation() {
        Noise noise(5);
        add(FrameKind::check_in, noise.bytes(kEntryBytes), 1);
        add(FrameKind::done, {}, 2);
        add(FrameKind::slices, noise.bytes(7), 3);
        add(FrameKind::slices, {}, 4);
        add(FrameKind::bye, {}, 5);
    }
    void add(FrameKind kind, Bytes const& payload, std::uint32_t a) {
        Bytes const frame = wire(kind, payload, a);
        bytes.insert(bytes.end(), frame.begin(), frame.end());
        frames.push_back({kind, a, payload});
    }
};

TEST(Framer, ReadsAConversationInOnePiece) {
    Conversation const conversation;
    Reader reader;
    reader.read(conversation.bytes);
    EXPECT_EQ(reader.delivered, conversation.frames);
    EXPECT_TRUE(reader.between_frames());
}

TEST(Framer, ReadsAConversationByteByByte) {
    Conversation const conversation;
    Reader reader;
    for (std::byte const& byte : conversation.bytes)
        reader.read({&byte, 1});
    EXPECT_EQ(reader.delivered, conversation.frames);
    EXPECT_TRUE(reader.between_frames());
}

TEST(Framer, ReadsEverySplitInTwoAndThree) {
    Conversation const conversation;
    std::span<const std::byte> const all(conversation.bytes);
    for (std::size_t first = 0; first <= all.size(); ++first) {
        for (std::size_t second = first; second <= all.size(); ++second) {
            Reader reader;
            reader.read(all.first(first));
            reader.read(all.subspan(first, second - first));
            reader.read(all.subspan(second));
            ASSERT_EQ(reader.delivered, conversation.frames) << "split at " << first << " and " << second;
        }
    }
}

TEST(Framer, ReadsRandomPieces) {
    Conversation const conversation;
    Noise noise(6);
    for (int round = 0; round < 2'000; ++round) {
        Reader reader;
        std::span<const std::byte> rest(conversation.bytes);
        while (!rest.empty()) {
            std::size_t const count = std::min<std::size_t>(rest.size(), noise.below(40));
            reader.read(rest.first(count));
            rest = rest.subspan(count);
        }
        ASSERT_EQ(reader.delivered, conversation.frames);
    }
}

TEST(Framer, WaitsForADecisionBeforeItReadsThePayload) {
    Bytes const bytes = wire(FrameKind::slices, bytes_of({1, 2, 3}));
    Framer framer;
    std::span<const std::byte> in(bytes);
    ASSERT_EQ(framer.feed(in), Status::header);
    EXPECT_EQ(in.size(), 3U);
    EXPECT_EQ(framer.feed(in), Status::header) << "asking again changes nothing";
    EXPECT_EQ(in.size(), 3U);
    EXPECT_TRUE(framer.rest_of_payload().empty());
    EXPECT_FALSE(framer.between_frames());
}

TEST(Framer, AFrameWithoutPayloadIsCompleteWithoutFurtherBytes) {
    for (bool const placed : {false, true}) {
        Bytes const bytes = wire(FrameKind::commit, {});
        Framer framer;
        std::span<const std::byte> in(bytes);
        ASSERT_EQ(framer.feed(in), Status::header);
        ASSERT_TRUE(in.empty());
        placed ? framer.place({}) : framer.take_inline();
        ASSERT_EQ(framer.feed(in), Status::frame);
        EXPECT_EQ(framer.frame().kind, FrameKind::commit);
        EXPECT_TRUE(framer.payload().empty());
        framer.next();
        EXPECT_TRUE(framer.between_frames());
        EXPECT_EQ(framer.frame(), Frame{}) << "forgotten";
        EXPECT_EQ(framer.feed(in), Status::hungry);
    }
}

TEST(Framer, ACompleteFrameWaitsUntilItIsDoneWith) {
    Bytes bytes = wire(FrameKind::bye, {}, 1);
    Bytes const second = wire(FrameKind::bye, {}, 2);
    bytes.insert(bytes.end(), second.begin(), second.end());
    Framer framer;
    std::span<const std::byte> in(bytes);
    ASSERT_EQ(framer.feed(in), Status::header);
    framer.take_inline();
    ASSERT_EQ(framer.feed(in), Status::frame);
    ASSERT_EQ(framer.feed(in), Status::frame) << "and nothing of the next one is taken";
    EXPECT_EQ(in.size(), kHeaderBytes);
    EXPECT_EQ(framer.frame().a, 1U);
    framer.next();
    ASSERT_EQ(framer.feed(in), Status::header);
    EXPECT_EQ(framer.frame().a, 2U);
}

TEST(Framer, APayloadThatWrapsAroundFillsBothPlacesAndNothingElse) {
    Bytes const payload = Noise(7).bytes(10);
    Bytes const bytes = wire(FrameKind::slices, payload);
    for (std::size_t in_first = 0; in_first <= payload.size(); ++in_first) {
        for (std::size_t piece = 1; piece <= payload.size(); ++piece) {
            Bytes table(payload.size() + 2, std::byte{0xee});
            std::span<std::byte> const tail = std::span(table).last(in_first);
            std::span<std::byte> const head = std::span(table).first(payload.size() - in_first);
            Framer framer;
            std::span<const std::byte> in(bytes);
            ASSERT_EQ(framer.feed(in), Status::header);
            framer.place(tail, head);
            Status status = Status::hungry;
            while (status == Status::hungry) {
                std::span<const std::byte> part = in.first(std::min(piece, in.size()));
                in = in.subspan(part.size());
                status = framer.feed(part);
            }
            ASSERT_EQ(status, Status::frame);
            EXPECT_TRUE(std::equal(tail.begin(), tail.end(), payload.begin()));
            EXPECT_TRUE(std::equal(head.begin(), head.end(), payload.begin() + static_cast<int>(in_first)));
            EXPECT_EQ(table[head.size()], std::byte{0xee});
            EXPECT_EQ(table[head.size() + 1], std::byte{0xee});
        }
    }
}

TEST(Framer, ADriverMayReadStraightIntoPlace) {
    Bytes const payload = Noise(8).bytes(9);
    Bytes const bytes = wire(FrameKind::message, payload);
    Bytes first(4);
    Bytes second(5);
    Framer framer;
    std::span<const std::byte> in = std::span(bytes).first(kHeaderBytes);
    ASSERT_EQ(framer.feed(in), Status::header);
    framer.place(first, second);

    std::span<std::byte> rest = framer.rest_of_payload();
    ASSERT_EQ(rest.size(), 4U);
    std::copy_n(payload.begin(), 3, rest.begin());
    ASSERT_EQ(framer.advance(3), Status::hungry);
    ASSERT_EQ(framer.rest_of_payload().size(), 1U);

    in = std::span(payload).subspan(3, 2);  // both ways of reading may alternate
    ASSERT_EQ(framer.feed(in), Status::hungry);
    rest = framer.rest_of_payload();
    ASSERT_EQ(rest.size(), 4U);
    std::copy_n(payload.begin() + 5, 4, rest.begin());
    ASSERT_EQ(framer.advance(4), Status::frame);
    EXPECT_TRUE(framer.rest_of_payload().empty());

    first.insert(first.end(), second.begin(), second.end());
    EXPECT_EQ(first, payload);
}

TEST(Framer, ADriverMayReadStraightIntoTheInlineRoom) {
    Bytes const payload = Noise(9).bytes(kVerdictBytes);
    Bytes const bytes = wire(FrameKind::verdict, payload);
    Framer framer;
    std::span<const std::byte> in = std::span(bytes).first(kHeaderBytes);
    ASSERT_EQ(framer.feed(in), Status::header);
    framer.take_inline();
    std::span<std::byte> const rest = framer.rest_of_payload();
    ASSERT_EQ(rest.size(), kVerdictBytes);
    std::copy(payload.begin(), payload.end(), rest.begin());
    EXPECT_TRUE(framer.payload().empty()) << "not before it is complete";
    ASSERT_EQ(framer.advance(kVerdictBytes), Status::frame);
    EXPECT_EQ(Bytes(framer.payload().begin(), framer.payload().end()), payload);
}

TEST(Framer, MayBeCopiedInMidFrame) {
    Bytes const payload = Noise(10).bytes(kEntryBytes);
    Bytes const bytes = wire(FrameKind::successor, payload);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        Framer original;
        std::span<const std::byte> in = std::span(bytes).first(cut);
        if (original.feed(in) == Status::header)
            original.take_inline();
        static_cast<void>(original.feed(in));

        Framer copy = original;
        original = Framer{};
        std::span<const std::byte> rest = std::span(bytes).subspan(cut);
        if (copy.feed(rest) == Status::header)
            copy.take_inline();
        ASSERT_EQ(copy.feed(rest), Status::frame) << "cut at " << cut;
        ASSERT_EQ(Bytes(copy.payload().begin(), copy.payload().end()), payload);
        ASSERT_GE(copy.payload().data(), reinterpret_cast<std::byte const*>(&copy));
        ASSERT_LT(copy.payload().data(), reinterpret_cast<std::byte const*>(&copy + 1));
    }
}

TEST(Framer, HeadersThatAreNoneBreakItForGood) {
    for (Bytes const& bytes : {wire(static_cast<FrameKind>(0), {}), wire(static_cast<FrameKind>(kFrameKindCount), {}),
                               wire(static_cast<FrameKind>(255), {})}) {
        Framer framer;
        std::span<const std::byte> in(bytes);
        EXPECT_EQ(framer.feed(in), Status::malformed);
        EXPECT_EQ(framer.fault(), HeaderFault::unknown_kind);
        Bytes const healthy = wire(FrameKind::bye, {});
        in = healthy;
        EXPECT_EQ(framer.feed(in), Status::malformed);
        EXPECT_EQ(in.size(), healthy.size()) << "nothing more is taken";
        EXPECT_FALSE(framer.between_frames());
    }
}

TEST(Framer, AnHttpRequestIsNoFrame) {
    std::string_view const request = "GET /metrics HTTP/1.1\r\nHost: node1\r\n\r\n";
    Bytes bytes(request.size());
    std::transform(request.begin(), request.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    Framer framer;
    std::span<const std::byte> in(bytes);
    EXPECT_EQ(framer.feed(in), Status::malformed);
    EXPECT_LE(bytes.size() - in.size(), kHeaderBytes) << "no more than a header is read";
}

TEST(Framer, AClaimedLengthIsCheckedBeforeThereIsRoomForIt) {
    Bytes bytes = wire(FrameKind::check_in, Bytes(kEntryBytes));
    bytes[3] = std::byte{0x7f};
    Framer framer;
    std::span<const std::byte> in(bytes);
    EXPECT_EQ(framer.feed(in), Status::malformed);
    EXPECT_EQ(framer.fault(), HeaderFault::bad_length);
}

TEST(Framer, KnowsACleanEndFromATruncatedOne) {
    Conversation const conversation;
    std::vector<std::size_t> ends{0};
    for (Delivered const& frame : conversation.frames)
        ends.push_back(ends.back() + kHeaderBytes + frame.payload.size());
    for (std::size_t cut = 0; cut <= conversation.bytes.size(); ++cut) {
        Reader reader;
        reader.read(std::span(conversation.bytes).first(cut));
        bool const clean = std::find(ends.begin(), ends.end(), cut) != ends.end();
        ASSERT_EQ(reader.between_frames(), clean) << "cut at " << cut;
    }
}

TEST(Framer, NoiseEndsInMalformedOrInFrames) {
    Noise noise(11);
    for (int round = 0; round < 5'000; ++round) {
        Bytes bytes = noise.bytes(400);
        if (round % 2 == 0) {  // a header that passes, with a small length
            bytes[1] = bytes[2] = bytes[3] = std::byte{0};
            bytes[4] = static_cast<std::byte>(FrameKind::message);
        }
        Reader reader;
        reader.read(bytes);
        for (Delivered const& frame : reader.delivered)
            ASSERT_EQ(frame.kind, FrameKind::message);
    }
}

TEST(FramerDeathTest, MisuseStopsTheProcess) {
    Framer framer;
    EXPECT_DEATH(framer.next(), "only a complete frame is done with");
    EXPECT_DEATH(framer.take_inline(), "once, after its header");
    Bytes const bytes = wire(FrameKind::slices, Bytes(200));
    std::span<const std::byte> in(bytes);
    ASSERT_EQ(framer.feed(in), Status::header);
    Bytes room(199);
    EXPECT_DEATH(framer.place(room), "places add up to the payload");
    EXPECT_DEATH(framer.take_inline(), "payloads up to kInlineBytes");
    EXPECT_DEATH(framer.advance(1), "no more bytes arrive than there is place for");
    room.resize(200);
    framer.place(room);
    EXPECT_DEATH(framer.advance(201), "no more bytes arrive than there is place for");
}

}  // namespace
}  // namespace ronde::protocol
