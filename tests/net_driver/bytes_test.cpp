/// Frames as bytes over a real stream: the out queue writes, the framer reads, in any pieces.
#include "net/connection.hpp"
#include "net/fd.hpp"
#include "net/out_queue.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace ronde::net {
namespace {

using protocol::Frame;
using protocol::FrameKind;
using protocol::Framer;
using Status = OutQueue::Flushed::Status;

std::array<Fd, 2> stream() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
    return {Fd(fds[0]), Fd(fds[1])};
}

std::vector<std::byte> numbers(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(i * 31 + (i >> 8U));
    return bytes;
}

OutQueue::Item item_of(Frame const& frame, Runs<const std::byte> runs = {}) {
    OutQueue::Item item;
    protocol::encode_header(frame, std::span(item.head).first<protocol::kHeaderBytes>());
    item.head_bytes = protocol::kHeaderBytes;
    item.runs = runs;
    return item;
}

Frame slices(std::uint32_t first, std::uint32_t count, std::uint32_t slice_bytes) {
    Frame frame;
    frame.kind = FrameKind::slices;
    frame.a = first;
    frame.b = count;
    frame.c = slice_bytes;
    frame.payload_bytes = count * slice_bytes;
    return frame;
}

Frame plain(FrameKind kind) {
    Frame frame;
    frame.kind = kind;
    return frame;
}

/// Reads frames from a stream, `piece_bytes` at a time; payloads go around the end of `ring`.
class Reader {
public:
    Reader(int fd, std::size_t piece_bytes, std::size_t ring_bytes) : fd_(fd), piece_(piece_bytes), ring(ring_bytes) {}

    void read_all() {
        for (;;) {
            ssize_t const count = ::read(fd_, piece_.data(), piece_.size());
            if (count <= 0)
                return;
            std::span<const std::byte> bytes(piece_.data(), static_cast<std::size_t>(count));
            while (take(bytes)) {
            }
        }
    }

    std::vector<Frame> frames;

private:
    bool take(std::span<const std::byte>& bytes) {
        switch (framer_.feed(bytes)) {
        case Framer::Status::hungry: return false;
        case Framer::Status::header: {
            Frame const& frame = framer_.frame();
            if (frame.kind != FrameKind::slices) {
                framer_.take_inline();
                return true;
            }
            std::size_t const from = frame.a * static_cast<std::size_t>(frame.c);
            std::size_t const before_end = std::min<std::size_t>(frame.payload_bytes, ring.size() - from);
            framer_.place(std::span(ring).subspan(from, before_end),
                          std::span(ring).first(frame.payload_bytes - before_end));
            return true;
        }
        case Framer::Status::frame:
            frames.push_back(framer_.frame());
            framer_.next();
            return true;
        case Framer::Status::malformed: break;
        }
        ADD_FAILURE() << "malformed";
        return false;
    }

    int fd_;
    std::vector<std::byte> piece_;
    Framer framer_;

public:
    std::vector<std::byte> ring;
};

class InPieces : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(InPieces, FramesArriveAsTheyWereSent) {
    auto const [written_bytes, read_bytes] = GetParam();
    auto pair = stream();
    std::vector<std::byte> const table = numbers(640);
    OutQueue queue;
    queue.push(item_of(plain(FrameKind::done)));
    // Slices 8, 9, 0, 1 of ten: around the end, so two runs.
    queue.push(item_of(slices(8, 4, 64), {std::span(table).subspan(512), std::span(table).first(128)}));
    queue.push(item_of(slices(3, 0, 64)));
    queue.push(item_of(plain(FrameKind::bye)));

    Reader reader(pair[1].get(), read_bytes, table.size());
    std::uint64_t sent_bytes = 0;
    while (!queue.empty()) {  // the kernel takes few pieces at once when each is one byte
        OutQueue::Flushed const flushed = queue.flush(pair[0].get(), written_bytes);
        ASSERT_NE(flushed.status, Status::broken);
        sent_bytes += flushed.bytes;
        reader.read_all();
    }
    EXPECT_EQ(sent_bytes, 4 * (protocol::kHeaderBytes + std::uint64_t{64}));
    ASSERT_EQ(reader.frames.size(), 4U);
    EXPECT_EQ(reader.frames[0], plain(FrameKind::done));
    EXPECT_EQ(reader.frames[1], slices(8, 4, 64));
    EXPECT_EQ(reader.frames[2], slices(3, 0, 64));
    EXPECT_EQ(reader.frames[3], plain(FrameKind::bye));
    for (std::size_t i = 0; i < table.size(); ++i) {
        bool const sent = i >= 512 || i < 128;
        ASSERT_EQ(reader.ring[i], sent ? table[i] : std::byte{}) << "byte " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, InPieces,
                         testing::Values(std::pair{0UL, 4096UL}, std::pair{1UL, 1UL}, std::pair{1UL, 4096UL},
                                         std::pair{0UL, 1UL}, std::pair{7UL, 13UL}, std::pair{33UL, 31UL}));

TEST(OutQueue, StopsWhenTheKernelIsFullAndGoesOnWhereItStopped) {
    auto pair = stream();
    std::vector<std::byte> const large = numbers(std::size_t{4} << 20U);
    OutQueue queue;
    OutQueue::Item item = item_of(slices(0, 1, static_cast<std::uint32_t>(large.size())), {large, {}});
    item.lent_by_program = true;
    item.notify = true;
    queue.push(item);
    queue.push(item_of(plain(FrameKind::bye)));

    Reader reader(pair[1].get(), 65536, large.size());
    std::uint64_t sent_bytes = 0;
    int blocked = 0;
    for (;;) {
        OutQueue::Flushed const flushed = queue.flush(pair[0].get(), 0);
        sent_bytes += flushed.bytes;
        if (flushed.status == Status::drained) {
            EXPECT_EQ(flushed.program_items, 1U);
            EXPECT_TRUE(flushed.notify);
            break;
        }
        ASSERT_EQ(flushed.status, Status::blocked);
        EXPECT_EQ(flushed.program_items, 0U) << "its buffer is still needed";
        ++blocked;
        reader.read_all();
    }
    reader.read_all();
    EXPECT_GT(blocked, 0);
    EXPECT_EQ(sent_bytes, large.size() + std::uint64_t{2} * protocol::kHeaderBytes);
    EXPECT_EQ(reader.frames.size(), 2U);
    EXPECT_EQ(reader.ring, large);
}

TEST(OutQueue, SaysThatThePeerIsGoneAndNoSignalKillsTheProcess) {
    auto pair = stream();
    pair[1].reset();
    OutQueue queue;
    OutQueue::Item item = item_of(plain(FrameKind::bye));
    queue.push(item);
    OutQueue::Flushed const flushed = queue.flush(pair[0].get(), 0);
    EXPECT_EQ(flushed.status, Status::broken);
    EXPECT_EQ(flushed.os_error, EPIPE);
    EXPECT_EQ(queue.discard(), 0U);
    EXPECT_TRUE(queue.empty());
}

TEST(OutQueue, ManySmallFramesLeaveInOrderThroughAQueueThatNeverDrains) {
    auto pair = stream();
    OutQueue queue;
    Reader reader(pair[1].get(), 4096, 64);
    std::uint32_t pushed = 0;
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < 50; ++i) {
            Frame frame = plain(FrameKind::done);
            frame.a = pushed++;
            queue.push(item_of(frame));
        }
        queue.flush(pair[0].get(), 0);
        if (round % 10 == 9)
            reader.read_all();
    }
    while (!queue.empty()) {
        queue.flush(pair[0].get(), 0);
        reader.read_all();
    }
    reader.read_all();
    ASSERT_EQ(reader.frames.size(), pushed);
    for (std::uint32_t i = 0; i < pushed; ++i)
        ASSERT_EQ(reader.frames[i].a, i);
}

TEST(Connection, OfAStrangerCostsNoMoreThanOneKilobyte) { EXPECT_LE(kStrangerMemoryBytes, 1024U); }

}  // namespace
}  // namespace ronde::net
