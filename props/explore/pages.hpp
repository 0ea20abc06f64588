/// Memory for what grows with the number of worlds: never copied while it grows, and in large pages where it is large,
/// since it is read all over.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace ronde::explore {

/// Aligned to cache lines. Throws std::bad_alloc.
class Pages {
public:
    enum class Content : std::uint8_t { zeros, anything };

    Pages() = default;
    Pages(std::size_t bytes, Content content);
    Pages(Pages&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
          mapped_bytes_(std::exchange(other.mapped_bytes_, 0)), data_(std::exchange(other.data_, nullptr)) {}
    Pages& operator=(Pages&& other) noexcept {
        std::swap(begin_, other.begin_);
        std::swap(bytes_, other.bytes_);
        std::swap(mapped_bytes_, other.mapped_bytes_);
        std::swap(data_, other.data_);
        return *this;
    }
    Pages(Pages const&) = delete;
    Pages& operator=(Pages const&) = delete;
    ~Pages();

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void* begin_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t mapped_bytes_ = 0;  ///< 0: small, from the heap
    void* data_ = nullptr;
};

/// A vector in pieces, each twice as large as the one before: it grows without moving anything.
template <class Value, int kSmallestBits = 10>
class Column {
    static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

public:
    void push_back(Value const& value) {
        if (size_ == end_)
            grow();
        std::construct_at(next_++, value);
        ++size_;
    }
    [[nodiscard]] Value const& operator[](std::size_t at) const { return *place_of(at); }
    [[nodiscard]] Value& operator[](std::size_t at) { return *place_of(at); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(Value); }
    void clear() {
        pieces_.clear();
        size_ = 0;
        end_ = 0;
        next_ = nullptr;
    }

private:
    static constexpr std::size_t kSmallest = std::size_t{1} << kSmallestBits;

    [[nodiscard]] Value* place_of(std::size_t at) const {
        std::size_t const shifted = at + kSmallest;
        auto const piece = static_cast<unsigned>(std::bit_width(shifted) - kSmallestBits - 1);
        return static_cast<Value*>(pieces_[piece].data()) + (shifted - (kSmallest << piece));
    }
    void grow() {
        std::size_t const values = kSmallest << pieces_.size();
        pieces_.emplace_back(values * sizeof(Value), Pages::Content::anything);
        next_ = static_cast<Value*>(pieces_.back().data());
        end_ += values;
    }

    std::vector<Pages> pieces_;
    std::size_t size_ = 0;
    std::size_t end_ = 0;
    Value* next_ = nullptr;
};

/// Words that are written once, in runs, and read once in the same order. What has been read is used again, by
/// whichever log shares its pool.
class WordLog {
public:
    using Pool = std::vector<Pages>;

    explicit WordLog(Pool& pool) : pool_(&pool) {}

    /// Room for one run, which `keep` makes as long as it came out.
    std::uint32_t* room(std::size_t most_words) {
        if (static_cast<std::size_t>(end_ - next_) < most_words)
            grow(most_words);
        return next_;
    }
    void keep(std::size_t words) {
        next_ += words;
        words_ += words;
    }
    [[nodiscard]] bool empty() const { return words_ == 0; }
    [[nodiscard]] std::size_t bytes() const { return words_ * sizeof(std::uint32_t); }

    /// Walks over all runs. The words of the last `batch` runs are still there until `release`.
    class Reader {
    public:
        explicit Reader(WordLog& log) : log_(log) { log.close(); }
        /// Nothing at the end. The caller knows how long a run is: it says so with `skip`.
        [[nodiscard]] std::uint32_t const* next() {
            while (piece_ < log_.pieces_.size() && at_ == log_.pieces_[piece_].words) {
                ++piece_;
                at_ = 0;
            }
            return piece_ == log_.pieces_.size() ? nullptr : log_.words_of(piece_) + at_;
        }
        void skip(std::size_t words) { at_ += words; }
        /// Gives back the pieces that lie behind.
        void release() {
            for (; released_ < piece_; ++released_)
                log_.pool_->push_back(std::move(log_.pieces_[released_].pages));
        }

    private:
        WordLog& log_;
        std::size_t piece_ = 0;
        std::size_t released_ = 0;
        std::size_t at_ = 0;
    };

private:
    static constexpr std::size_t kSmallestBytes = std::size_t{1} << 14U;
    static constexpr std::size_t kLargestBytes = std::size_t{1} << 22U;
    struct Piece {
        Pages pages;
        std::size_t words = 0;
    };

    [[nodiscard]] std::uint32_t* words_of(std::size_t piece) const {
        return static_cast<std::uint32_t*>(pieces_[piece].pages.data());
    }
    void close() {
        if (!pieces_.empty())
            pieces_.back().words = static_cast<std::size_t>(next_ - words_of(pieces_.size() - 1U));
    }
    void grow(std::size_t most_words);

    Pool* pool_;
    std::vector<Piece> pieces_;
    std::uint32_t* next_ = nullptr;
    std::uint32_t* end_ = nullptr;
    std::size_t words_ = 0;
};

}  // namespace ronde::explore
