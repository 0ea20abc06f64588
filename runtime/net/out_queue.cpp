#include "net/out_queue.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace ronde::net {
namespace {

constexpr std::size_t kMaxRuns = 96;  ///< of one system call; IOV_MAX is 1024

/// The pieces of one gather-write.
struct Gather {
    std::array<iovec, kMaxRuns> runs;
    std::size_t count = 0;
    std::size_t room_bytes;  ///< what may still be added
    std::size_t skip_bytes;  ///< what was written before

    void add(std::span<const std::byte> run) noexcept {
        std::size_t const skipped = std::min(skip_bytes, run.size());
        skip_bytes -= skipped;
        run = run.subspan(skipped);
        run = run.first(std::min(run.size(), room_bytes));
        if (run.empty())
            return;
        room_bytes -= run.size();
        // writev does not write to what it is given; iovec serves readv as well and cannot say so.
        runs[count++] = {const_cast<std::byte*>(run.data()), run.size()};
    }
};

std::size_t size_bytes(OutQueue::Item const& item) noexcept { return item.head_bytes + item.runs.size_bytes(); }

}  // namespace

void OutQueue::push(Item const& item) {
    // A queue that never quite drains must not remember all it ever held.
    if (next_ >= 64 && next_ * 2 >= items_.size()) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
    }
    items_.push_back(item);
}

OutQueue::Flushed OutQueue::flush(int fd, std::size_t max_io_bytes) noexcept {
    Flushed result;
    while (!empty()) {
        Gather gather;
        gather.room_bytes = max_io_bytes == 0 ? std::size_t{1} << 30 : max_io_bytes;
        gather.skip_bytes = written_;
        for (std::size_t i = next_; i < items_.size() && gather.count + 3 <= kMaxRuns && gather.room_bytes > 0; ++i) {
            Item const& item = items_[i];
            gather.add(std::span(item.head).first(item.head_bytes));
            gather.add(item.runs.first);
            gather.add(item.runs.second);
        }
        msghdr message{};
        message.msg_iov = gather.runs.data();
        message.msg_iovlen = gather.count;
        ssize_t const sent = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            result.os_error = errno;
            bool const later = errno == EAGAIN || errno == EWOULDBLOCK;
            result.status = later ? Flushed::Status::blocked : Flushed::Status::broken;
            return result;
        }
        result.bytes += static_cast<std::uint64_t>(sent);
        written_ += static_cast<std::size_t>(sent);
        while (!empty() && written_ >= size_bytes(items_[next_])) {
            Item const& item = items_[next_++];
            written_ -= size_bytes(item);
            notify_ = notify_ || item.notify;
            if (item.lent_by_program)
                ++result.program_items;
        }
    }
    items_.clear();
    next_ = 0;
    result.notify = notify_;
    notify_ = false;
    return result;
}

std::uint32_t OutQueue::discard() noexcept {
    auto const lent = std::count_if(items_.begin() + static_cast<std::ptrdiff_t>(next_), items_.end(),
                                    [](Item const& item) { return item.lent_by_program; });
    items_.clear();
    next_ = 0;
    written_ = 0;
    notify_ = false;
    return static_cast<std::uint32_t>(lent);
}

}  // namespace ronde::net
