/// Bytes of Protocol Buffers, without a schema: varints and fields with a length [Encoding, protobuf.dev].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ronde::viz {

/// Appends the fields of one message to a string, in the order of the calls.
class ProtoWriter {
public:
    explicit ProtoWriter(std::string& out) noexcept : out_(out) {}

    void varint(std::uint32_t field, std::uint64_t value) {
        tag(field, 0);
        raw_varint(value);
    }
    void fixed64(std::uint32_t field, std::uint64_t value) {
        tag(field, 1);
        for (int shift = 0; shift < 64; shift += 8)
            out_ += static_cast<char>(value >> shift & 0xffU);
    }
    /// A string, bytes, or a message that is written already.
    void bytes(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        raw_varint(value.size());
        out_ += value;
    }

private:
    void tag(std::uint32_t field, std::uint32_t wire_type) { raw_varint(std::uint64_t{field} << 3U | wire_type); }
    void raw_varint(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U)
            out_ += static_cast<char>((value & 0x7fU) | 0x80U);
        out_ += static_cast<char>(value);
    }
    std::string& out_;
};

}  // namespace ronde::viz
