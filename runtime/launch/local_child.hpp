/// The child's side of LocalJob: from fork(2) to the body or the program.
#pragma once

#include "launch/local.hpp"

#include <array>
#include <csignal>

namespace ronde::launch {

/// A packet of the result pipe: this header, then the record.
struct PacketHeader {
    enum Kind : std::uint32_t { record = 0, exec_failed = 1 };
    std::uint32_t rank = 0;
    std::uint32_t kind = record;  ///< exec_failed: the record is the errno, an int
};
/// PIPE_BUF of Linux: what one write(2) puts into a pipe in one piece.
inline constexpr std::size_t kPacketBytes = sizeof(PacketHeader) + Child::kMaxRecordBytes;
static_assert(kPacketBytes == 4096);

/// What a child needs from its parent; all of it exists before fork(2).
struct Birth {
    LocalOptions const& options;
    int parent = 0;          ///< process id
    int gate = -1;           ///< to be read until its end
    int results = -1;        ///< to be written
    sigset_t signal_mask{};  ///< to be restored
};

/// Runs in the forked child and never returns. Nothing may leave it as an exception: the frames above belong to a
/// program that believes to be the parent.
class ChildStart {
public:
    [[noreturn]] static void run(Birth const& birth, std::uint32_t rank) noexcept;
};

}  // namespace ronde::launch
