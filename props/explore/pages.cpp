#include "explore/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ronde::explore {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kLargePageBytes = std::size_t{1} << 21U;

}  // namespace

Pages::Pages(std::size_t bytes) : bytes_((bytes + kLineBytes - 1U) / kLineBytes * kLineBytes) {
    if (bytes_ < kLargePageBytes) {
        begin_ = std::aligned_alloc(kLineBytes, bytes_);
        if (begin_ == nullptr)
            throw std::bad_alloc();
        std::memset(begin_, 0, bytes_);
        data_ = begin_;
        return;
    }
    // What is mapped beyond the large pages is never touched, so it costs nothing.
    mapped_bytes_ = bytes_ + kLargePageBytes;
    void* const mapped = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    begin_ = mapped;
    std::size_t space = mapped_bytes_;
    data_ = mapped;
    std::size_t const over = std::bit_cast<std::uintptr_t>(mapped) % kLargePageBytes;
    if (over != 0)
        data_ = static_cast<std::byte*>(mapped) + (kLargePageBytes - over);
    space -= over == 0 ? 0 : kLargePageBytes - over;
    madvise(data_, std::min(space, bytes_), MADV_HUGEPAGE);  // without them it is slower, and nothing else
}

Pages::~Pages() {
    if (mapped_bytes_ != 0)
        munmap(begin_, mapped_bytes_);
    else
        std::free(begin_);
}

void WordLog::grow(std::size_t most_words) {
    close();
    std::size_t const last_bytes = pieces_.empty() ? 0 : pieces_.back().pages.bytes();
    std::size_t const bytes =
        std::max(std::clamp(last_bytes * 2U, kSmallestBytes, kLargestBytes), most_words * sizeof(std::uint32_t));
    Piece piece;
    if (!pool_->empty() && pool_->back().bytes() >= most_words * sizeof(std::uint32_t)) {
        piece.pages = std::move(pool_->back());
        pool_->pop_back();
    } else {
        piece.pages = Pages(bytes);
    }
    pieces_.push_back(std::move(piece));
    next_ = words_of(pieces_.size() - 1U);
    end_ = next_ + pieces_.back().pages.bytes() / sizeof(std::uint32_t);
}

}  // namespace ronde::explore
