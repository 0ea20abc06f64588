#include "protocol/frame.hpp"

#include "bytes_support.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ronde::protocol {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Noise;

using Header = std::array<std::byte, kHeaderBytes>;

Header encoded(Frame const& frame) {
    Header header{};
    encode_header(frame, header);
    return header;
}

TEST(Header, HasTheBytesThatTheProtocolPromises) {
    Frame frame;
    frame.payload_bytes = 0x0102'0304U;
    frame.kind = FrameKind::slices;
    frame.version = 9;
    frame.aux = 0x1112;
    frame.a = 0x2122'2324U;
    frame.b = 0x3132'3334U;
    frame.c = 0x4142'4344'4546'4748U;
    frame.d = 0x5152'5354'5556'5758U;
    Header const header = encoded(frame);
    Bytes const expected = bytes_of({
        0x04, 0x03, 0x02, 0x01, 6,    9,    0x12, 0x11,  // payload bytes, kind, version, aux
        0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31,  // a, b
        0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41,  // c
        0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51,  // d
    });
    EXPECT_EQ(Bytes(header.begin(), header.end()), expected);
    DecodedHeader const decoded = decode_header(header);
    EXPECT_EQ(decoded.fault, HeaderFault::none);
    EXPECT_EQ(decoded.frame, frame);
}

struct KindRow {
    FrameKind kind;
    std::uint32_t payload_bytes;
};
constexpr KindRow kKinds[] = {
    {FrameKind::hello, 16},     {FrameKind::challenge, 32},      {FrameKind::proof, 16},    {FrameKind::check_in, 64},
    {FrameKind::successor, 64}, {FrameKind::slices, kVariable},  {FrameKind::length, 0},    {FrameKind::done, 0},
    {FrameKind::commit, 0},     {FrameKind::message, kVariable}, {FrameKind::verdict, 176}, {FrameKind::bye, 0},
    {FrameKind::roll_call, 0},
};

TEST(Header, EveryKindHasItsLength) {
    ASSERT_EQ(std::size(kKinds), kFrameKindCount - 1);
    for (auto const& [kind, payload_bytes] : kKinds)
        EXPECT_EQ(fixed_payload_bytes(kind), payload_bytes) << name_of(kind);
}

TEST(Header, AWrongLengthIsFoundBeforeAnyPayloadIsRead) {
    for (auto const& [kind, payload_bytes] : kKinds) {
        for (std::uint32_t const claimed : {0U, 1U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 175U, 176U, 177U,
                                            0x7fff'ffffU, 0x8000'0000U, 0xffff'ffffU}) {
            Frame frame;
            frame.kind = kind;
            frame.payload_bytes = claimed;
            bool const fits = payload_bytes == kVariable || payload_bytes == claimed;
            EXPECT_EQ(decode_header(encoded(frame)).fault, fits ? HeaderFault::none : HeaderFault::bad_length)
                << name_of(kind) << " with " << claimed;
        }
    }
}

TEST(Header, UnknownKindsAreFoundAndNamed) {
    for (int value = 0; value < 256; ++value) {
        Header header{};
        header[4] = static_cast<std::byte>(value);
        DecodedHeader const decoded = decode_header(header);
        bool const known = value >= 1 && value < static_cast<int>(kFrameKindCount);
        EXPECT_EQ(decoded.fault == HeaderFault::unknown_kind, !known) << value;
        if (!known) {
            EXPECT_EQ(fixed_payload_bytes(decoded.frame.kind), kVariable);
            EXPECT_EQ(name_of(decoded.frame.kind), "unknown");
        }
    }
}

TEST(Header, AnyBytesAreReadWithoutHarmAndComeBackUnchanged) {
    Noise noise(4);
    for (int i = 0; i < 20'000; ++i) {
        Header header{};
        noise.fill(header);
        ASSERT_EQ(encoded(decode_header(header).frame), header);
    }
}

TEST(Header, WhatAStrangerMaySendIsHelloAndProof) {
    EXPECT_EQ(kStrangerBytes, 96U);
    EXPECT_EQ(kHelloBytes, kHeaderBytes + fixed_payload_bytes(FrameKind::hello));
    EXPECT_EQ(kChallengeBytes, kHeaderBytes + fixed_payload_bytes(FrameKind::challenge));
    EXPECT_EQ(kProofBytes, kHeaderBytes + fixed_payload_bytes(FrameKind::proof));
}

TEST(Purpose, KeepsClassAndChordApart) {
    for (auto value = static_cast<int>(LinkClass::root); value <= static_cast<int>(LinkClass::none); ++value) {
        auto const link_class = static_cast<LinkClass>(value);
        for (std::uint32_t chord = 0; chord < kMaxChords; ++chord) {
            std::uint16_t const purpose = purpose_of(link_class, chord);
            EXPECT_EQ(purpose_class(purpose), link_class);
            EXPECT_EQ(purpose_chord(purpose), chord);
        }
    }
}

}  // namespace
}  // namespace ronde::protocol
