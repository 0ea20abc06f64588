#include "protocol/entry.hpp"

#include "bytes_support.hpp"
#include "protocol/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

namespace ronde::protocol {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Noise;

Entry example() {
    Entry entry;
    entry.endpoint.family = Family::ipv6;
    entry.endpoint.port = 0x1234;
    entry.endpoint.scope_id = 0x0a0b0c0d;
    for (std::uint8_t i = 0; i < 16; ++i)
        entry.endpoint.address[i] = static_cast<std::uint8_t>(0xe0U + i);
    entry.host_id = 0x1112'1314'1516'1718U;
    entry.device_id = 0x2122'2324'2526'2728U;
    entry.incarnation = 0x3132'3334'3536'3738U;
    entry.process_id = 0x4142'4344U;
    entry.flags = 0x5152'5354U;
    entry.rank = 0x6162'6364U;
    entry.callback_port = 0x7172;
    entry.reserved = 0x8182;
    return entry;
}

TEST(Bytes, IntegersAreLittleEndianWhateverTheHost) {
    std::array<std::byte, 8> out{};
    store<std::uint64_t>(out.data(), 0x0102'0304'0506'0708U);
    EXPECT_EQ(Bytes(out.begin(), out.end()), bytes_of({8, 7, 6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(load<std::uint64_t>(out.data()), 0x0102'0304'0506'0708U);
    EXPECT_EQ(load<std::uint32_t>(out.data()), 0x0506'0708U);
    EXPECT_EQ(load<std::uint16_t>(out.data() + 6), 0x0102U);
    EXPECT_EQ(load<std::uint8_t>(out.data() + 7), 0x01U);
}

TEST(Entry, HasTheBytesThatTheProtocolPromises) {
    std::array<std::byte, kEntryBytes> out{};
    encode_entry(example(), out);
    Bytes const expected = bytes_of({
        6,    0,    0x34, 0x12, 0x0d, 0x0c, 0x0b, 0x0a,  // family, reserved, port, scope
        0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7,  // address
        0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef,  //
        0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // host
        0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  // device
        0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,  // incarnation
        0x44, 0x43, 0x42, 0x41, 0x54, 0x53, 0x52, 0x51,  // process, flags
        0x64, 0x63, 0x62, 0x61, 0x72, 0x71, 0x82, 0x81,  // rank, call-back port, reserved
    });
    EXPECT_EQ(Bytes(out.begin(), out.end()), expected);
    EXPECT_EQ(decode_entry(out), example());
}

// Drivers read and write whole tables without looking at single fields.
TEST(Entry, LooksTheSameInMemoryAndOnTheWireOnLittleEndianHosts) {
    if constexpr (std::endian::native != std::endian::little) {
        GTEST_SKIP() << "the host is not little-endian";
    } else {
        Entry const entry = example();
        std::array<std::byte, kEntryBytes> wire{};
        encode_entry(entry, wire);
        EXPECT_EQ(std::memcmp(&entry, wire.data(), kEntryBytes), 0);
    }
}

TEST(Entry, AnEmptyOneSaysThatItIsNobody) {
    std::array<std::byte, kEntryBytes> out{};
    encode_entry(Entry{}, out);
    Entry const entry = decode_entry(out);
    EXPECT_EQ(entry, Entry{});
    EXPECT_EQ(entry.rank, kNoRank);
    EXPECT_EQ(entry.device_id, kNoDevice);
    EXPECT_EQ(entry.endpoint.family, Family::none);
}

TEST(Entry, AnyBytesAreSomeEntryAndComeBackUnchanged) {
    Noise noise(1);
    for (int i = 0; i < 10'000; ++i) {
        Bytes const in = noise.bytes(kEntryBytes);
        Bytes out(kEntryBytes);
        encode_entry(decode_entry(in), out);
        ASSERT_EQ(out, in);
    }
    for (int family = 0; family < 256; ++family) {
        Bytes in(kEntryBytes);
        in[0] = static_cast<std::byte>(family);
        EXPECT_EQ(static_cast<int>(decode_entry(in).endpoint.family), family);
    }
}

TEST(Entry, WritesNothingBeyondItsRoom) {
    Bytes out(kEntryBytes + 8, std::byte{0x5a});
    encode_entry(example(), out);
    for (std::size_t i = kEntryBytes; i < out.size(); ++i)
        EXPECT_EQ(out[i], std::byte{0x5a});
}

TEST(EntryDeathTest, TooLittleRoomStopsTheProcess) {
    Bytes room(kEntryBytes - 1);
    EXPECT_DEATH(encode_entry(example(), room), "broken invariant at .*entry.cpp:[0-9]+: an entry needs");
    EXPECT_DEATH(static_cast<void>(decode_entry(room)), "broken invariant at .*entry.cpp:[0-9]+: an entry is");
}

}  // namespace
}  // namespace ronde::protocol
