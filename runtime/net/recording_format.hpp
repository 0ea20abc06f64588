/// The bytes of a recording, both ways. Private to recorder and replayer; net/recorder.hpp describes the format.
#pragma once

#include "net/recorder.hpp"
#include "protocol/seam.hpp"

#include <variant>

namespace ronde::net::recording {

inline constexpr std::uint16_t kFormat = 2;
inline constexpr std::uint8_t kCheckTag = 64;
inline constexpr std::uint8_t kEndTag = 65;

[[nodiscard]] std::vector<std::byte> head_of(protocol::RankConfig const& config);
[[nodiscard]] std::vector<std::byte> head_of(protocol::RootConfig const& config);
void append_event(std::vector<std::byte>& out, protocol::Event const& event, protocol::TimeNs last_now);
void append_check(std::vector<std::byte>& out, std::uint64_t hash, StateDigest const& digest);
void append_end(std::vector<std::byte>& out);

struct Check {
    std::uint64_t hash = 0;
    StateDigest digest;
    std::size_t from = 0;  ///< the bytes that `hash` covers
    std::size_t to = 0;
};
struct End {};
struct CutOff {};   ///< the file ends within a record: its process was killed
struct Garbage {};  ///< a tag or a value that no recorder writes
using Record = std::variant<protocol::Event, Check, End, CutOff, Garbage>;

/// Walks through the bytes of one recording. Events refer to them for their payloads.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    using Config = std::variant<protocol::RankConfig, protocol::RootConfig>;
    /// The error says what is wrong with the head: not a recording, another format, damaged, cut off.
    [[nodiscard]] tl::expected<Config, std::string> head();
    [[nodiscard]] Record next();
    [[nodiscard]] std::size_t position() const noexcept { return at_; }

private:
    template <class Integer>
    [[nodiscard]] Integer get() noexcept;
    [[nodiscard]] std::uint64_t get_varint() noexcept;
    [[nodiscard]] protocol::Event get_event(protocol::EventKind kind);
    template <class Config>
    [[nodiscard]] Config get_config() noexcept;

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    std::size_t checked_ = 0;  ///< up to here checks cover everything
    bool short_ = false;       ///< something was read beyond the end
    bool garbage_ = false;
    protocol::TimeNs last_now_ = 0;
};

}  // namespace ronde::net::recording
