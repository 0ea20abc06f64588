/// Messages that arrived before their receive: first in, first out for each (peer, tag), bounded in bytes.
#pragma once

#include "net/connection.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace ronde::net {

class Mailbox {
public:
    explicit Mailbox(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

    /// Whether a message of `bytes` fits now, those still arriving counted. One that does not stays in its socket, and
    /// so do those behind it on the same connection, until something is taken or a receive asks for it.
    [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept { return bytes <= limit_bytes_ - used_bytes_; }
    /// Counts a message from its header on, so that several under way do not exceed the bound together.
    void reserve(std::uint64_t bytes) noexcept { used_bytes_ += bytes; }
    void release(std::uint64_t bytes) noexcept { used_bytes_ -= bytes; }

    void put(protocol::RankId peer, std::uint64_t tag, std::unique_ptr<Mail> mail);
    /// The oldest message of (peer, tag), or empty. Its bytes stay reserved until `release`.
    [[nodiscard]] std::unique_ptr<Mail> take(protocol::RankId peer, std::uint64_t tag);
    [[nodiscard]] std::uint64_t used_bytes() const noexcept { return used_bytes_; }

private:
    std::uint64_t limit_bytes_;
    std::uint64_t used_bytes_ = 0;
    std::map<std::pair<protocol::RankId, std::uint64_t>, std::deque<std::unique_ptr<Mail>>> boxes_;
};

}  // namespace ronde::net
