#include "explore/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ronde::explore {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kLargePageBytes = std::size_t{1} << 21U;
constexpr std::size_t kMostHeapBytes = std::size_t{1}
                                       << 18U;  ///< above that one large page costs less than many small ones

}  // namespace

Pages::Pages(std::size_t bytes, Content content) : bytes_((bytes + kLineBytes - 1U) / kLineBytes * kLineBytes) {
    if (bytes_ <= kMostHeapBytes) {
        begin_ = std::aligned_alloc(kLineBytes, bytes_);
        if (begin_ == nullptr)
            throw std::bad_alloc();
        if (content == Content::zeros)
            std::memset(begin_, 0, bytes_);
        data_ = begin_;
        return;
    }
    // What is mapped around the large pages is never touched, so it costs nothing.
    std::size_t const whole = (bytes_ + kLargePageBytes - 1U) / kLargePageBytes * kLargePageBytes;
    mapped_bytes_ = whole + kLargePageBytes;
    begin_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin_ == MAP_FAILED)
        throw std::bad_alloc();
    std::size_t const over = std::bit_cast<std::uintptr_t>(begin_) % kLargePageBytes;
    data_ = static_cast<std::byte*>(begin_) + (over == 0 ? 0 : kLargePageBytes - over);
    madvise(data_, whole, MADV_HUGEPAGE);  // without them it is slower, and nothing else
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
        piece.pages = Pages(bytes, Pages::Content::anything);
    }
    pieces_.push_back(std::move(piece));
    next_ = words_of(pieces_.size() - 1U);
    end_ = next_ + pieces_.back().pages.bytes() / sizeof(std::uint32_t);
}

}  // namespace ronde::explore
