/// What waits to be written to one connection.
///
/// Headers and handshakes are copied (they are small), everything else is referred to: entries go from the table and
/// slices from the program's buffer straight into the kernel. Whoever pushes a run keeps it valid and unchanged until
/// the item has left the queue; `flush` and `discard` say how many items with a program's buffer left.
#pragma once

#include "protocol/auth.hpp"
#include "protocol/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ronde::net {

/// Two runs of memory: a range of slices that may wrap around the end of the table. Either may be empty.
template <class Byte>
struct Runs {
    std::span<Byte> first;
    std::span<Byte> second;
    [[nodiscard]] std::size_t size_bytes() const noexcept { return first.size() + second.size(); }
};

class OutQueue {
public:
    static constexpr std::size_t kHeadBytes = protocol::kHeaderBytes + protocol::kNonceBytes + protocol::kTagBytes;

    /// One frame. `head`: the header and, for handshakes, the payload.
    struct Item {
        std::array<std::byte, kHeadBytes> head;
        Runs<const std::byte> runs;
        std::uint8_t head_bytes = 0;
        bool notify = false;           ///< the machine wants `sent` when the queue has drained
        bool lent_by_program = false;  ///< `runs` lie in the buffer of the operation under way
    };

    void push(Item const& item);
    [[nodiscard]] bool empty() const noexcept { return next_ == items_.size(); }

    struct Flushed {
        enum class Status : std::uint8_t { drained, blocked, broken };
        Status status = Status::drained;
        int os_error = 0;  ///< broken
        std::uint64_t bytes = 0;
        std::uint32_t program_items = 0;  ///< items with a program's buffer that left the queue
        bool notify = false;              ///< drained, and an item of it asked to be told
    };
    /// Writes as much as the kernel takes, many frames in one call. `max_io_bytes`: per system call, 0 for no limit.
    Flushed flush(int fd, std::size_t max_io_bytes) noexcept;
    /// Drops everything; returns how many items had a program's buffer.
    std::uint32_t discard() noexcept;

private:
    std::vector<Item> items_;
    std::size_t next_ = 0;     ///< first item that is not wholly written
    std::size_t written_ = 0;  ///< bytes of it that are
    bool notify_ = false;
};

}  // namespace ronde::net
