/// What the recurrence reads about links and ranks, as rows along the unrolled ring.
#pragma once

#include "forward/ring_forward.hpp"
#include "forward/tile.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace ronde::sim {

/// Entry kRowMargin + r of a row is rank r mod N, for r from -kRowMargin to N - 1 + kRowMargin: a tile that reaches
/// over the seam of the ring reads on.
inline constexpr std::uint32_t kRowMargin = 384;

/// A cache line, and no vector is longer. Rows begin at one, so that vectors of a whole tile do not straddle two.
inline constexpr std::size_t kLineBytes = 64;

template <class Entry>
struct LineAllocator {
    using value_type = Entry;
    LineAllocator() = default;
    template <class Other>
    explicit(false) LineAllocator(LineAllocator<Other> const&) noexcept {}
    [[nodiscard]] Entry* allocate(std::size_t count) {
        return static_cast<Entry*>(::operator new (count * sizeof(Entry), std::align_val_t{kLineBytes}));
    }
    void deallocate(Entry* entries, std::size_t) noexcept { ::operator delete (entries, std::align_val_t{kLineBytes}); }
    friend bool operator==(LineAllocator, LineAllocator) noexcept { return true; }
};
template <class Entry>
using Row = std::vector<Entry, LineAllocator<Entry>>;

/// Rows for one width of numbers. Immutable once made.
template <class Word>
class RingRows {
public:
    explicit RingRows(RingForward const& ring);

    /// Points the constant rows of `tile` at rank `first`, which may be negative, but not below -kRowMargin.
    void lay_under(Tile<Word>& tile, std::int64_t first) const;

private:
    struct OneWay {
        Row<Word> reach_ns;
        Row<std::uint32_t> first;
        Row<std::uint32_t> second;
        Row<std::uint32_t> slot;
        Row<Word> delays_ns;  ///< empty: those of the other way
    };
    void fill(OneWay& rows, RingForward const& ring, Way way);

    OneWay forward_;
    OneWay backward_;
    Row<Word> hold_ns_;
    bool delays_vary_ = false;
};

/// By how much time can advance in one turn without what links are busy: the longest delay and the longest service.
[[nodiscard]] std::uint64_t longest_turn_ns(RingForward const& ring);

extern template class RingRows<std::uint32_t>;
extern template class RingRows<std::uint64_t>;

}  // namespace ronde::sim
