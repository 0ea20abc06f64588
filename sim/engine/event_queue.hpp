/// What happens next: the pending events of a pretend world, in the order in which they happen.
///
/// A simulator spends its life taking the next event and adding another one a little later. This queue does both in
/// constant time, whether a thousand or a million events are pending:
///
///   small worlds   up to kSmall events live in one sorted array; nothing else is allocated.
///   the wheel      A queue that outgrows it becomes a radix tree of buckets. A time is cut into digits of 11, 11, 10
///                  and 11 bits. An event waits at the level of the highest digit in which it differs from the open
///                  window, in the bucket of that digit, in the order of the pushes. What differs above these digits is
///                  more than two hours away, and waits in a heap.
///   the window     of 2048 ns is what is drained at present. When the next window opens, its bucket is sorted once, by
///                  counting, into one array that is read from front to back: so the caller can look ahead and have the
///                  state of the next actors fetched (`peek_slot`). What is pushed into the open window waits in level
///                  0, one bucket for each nanosecond.
///
/// Buckets are chains of 64-byte chunks with seven events each, 9 bytes an event: a bucket knows its beginning, and
/// none spans more than 2^32 ns. A bucket of a higher level is dealt to the levels below before anything can be pushed
/// there directly, so that equal times keep the order of their pushes everywhere; the equality with HeapQueue
/// (heap_queue.hpp), pop by pop, is a test.
///
/// Not thread-safe; a value of one world.
#pragma once

#include "protocol/check.hpp"
#include "protocol/units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ronde::sim {

using protocol::TimeNs;

/// No slot: what peek_slot answers when it cannot tell.
inline constexpr std::uint32_t kNoSlot = 0xffff'ffffU;

class EventQueue {
public:
    struct Popped {
        TimeNs at_ns = 0;
        std::uint32_t slot = kNoSlot;
        friend bool operator==(Popped const&, Popped const&) = default;
    };

    /// A queue becomes a wheel when it holds more events than this.
    static constexpr std::size_t kSmall = 64;

    EventQueue() = default;
    EventQueue(EventQueue&&) noexcept = default;
    EventQueue& operator=(EventQueue&&) noexcept = default;
    EventQueue(EventQueue const&) = delete;
    EventQueue& operator=(EventQueue const&) = delete;
    ~EventQueue() = default;

    /// `slot` happens at `at_ns`, which is not before the last popped time (checked; 0 at first). `slot` is the
    /// caller's own number, any value but kNoSlot is useful; the same one may be pending many times.
    void push(TimeNs at_ns, std::uint32_t slot);

    /// Takes the earliest event; of equal times, the one pushed first. Not of an empty queue (checked).
    Popped pop();

    /// The time of what pop() would return; not of an empty queue (checked). Pushing earlier events is still allowed
    /// afterwards. Constant when the open window has events, otherwise it reads one bucket, once.
    [[nodiscard]] TimeNs next_ns();

    /// Whether an event is pending at `limit_ns` or earlier. Cheaper than next_ns(): a bucket that ends before the
    /// limit is not read.
    [[nodiscard]] bool has_by(TimeNs limit_ns);

    /// The slot that lies `ahead` pops ahead if nothing is pushed into the open window meanwhile; kNoSlot beyond its
    /// end. A hint for prefetching, never a promise.
    [[nodiscard]] std::uint32_t peek_slot(std::size_t ahead) const {
        return ahead < window_.size() - window_front_ ? window_[window_front_ + ahead].slot : kNoSlot;
    }

    /// Takes out every event for which `drops(at_ns, slot)` holds, without popping it; the others keep their order.
    /// Reads all events, each once.
    template <class Drops>
    void remove_if(Drops drops);

    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The most events that were ever pending at once.
    [[nodiscard]] std::size_t high_water() const { return high_water_; }
    /// Memory that the queue holds, this object included.
    [[nodiscard]] std::size_t bytes() const;

    /// Empty, at time 0 and small again, as if new, but keeps the memory it has.
    void clear();

private:
    static constexpr std::uint32_t kLevels = 4;
    /// Where each level's digit begins; the last one is where the heap's part begins.
    static constexpr std::array<unsigned, kLevels + 1> kShift{0, 11, 22, 32, 43};
    static constexpr std::uint32_t kFanout = 1U << kShift[1];  ///< buckets of a level, at most
    static constexpr std::uint32_t kPlaces = 8;                ///< of a position; a chunk uses seven of them
    static constexpr std::uint32_t kChunkEvents = 7;
    static constexpr std::uint32_t kNoChunk = 0xffff'ffffU;

    /// One cache line: seven events and the next chunk of the chain.
    struct alignas(64) Chunk {
        std::array<std::uint32_t, kChunkEvents> offset_ns;  ///< from the beginning of the bucket
        std::array<std::uint32_t, kChunkEvents> slot;
        std::uint32_t next;
    };
    static_assert(sizeof(Chunk) == 64);

    /// A chain in the order of the pushes. A position is chunk * 8 + place in the chunk.
    struct Bucket {
        std::uint32_t front;  ///< position of the first event
        std::uint32_t back;   ///< position behind the last event; its place is 1 .. kChunkEvents
    };

    /// The buckets of one digit; those with events have their bit set in `taken`, and the words that are not 0 have
    /// theirs in `taken_words`.
    struct Level {
        std::array<Bucket, kFanout> buckets;  ///< undefined unless taken
        std::array<std::uint64_t, kFanout / 64> taken{};
        std::uint32_t taken_words = 0;

        [[nodiscard]] bool empty() const { return taken_words == 0; }
        [[nodiscard]] bool is_taken(std::uint32_t digit) const { return (taken[digit / 64] >> (digit % 64) & 1U) != 0; }
        [[nodiscard]] std::uint32_t first_taken() const {
            auto const word = static_cast<std::uint32_t>(std::countr_zero(taken_words));
            return word * 64 + static_cast<std::uint32_t>(std::countr_zero(taken[word]));
        }
        void take(std::uint32_t digit) {
            taken[digit / 64] |= std::uint64_t{1} << (digit % 64);
            taken_words |= 1U << (digit / 64);
        }
        void release(std::uint32_t digit) {
            taken[digit / 64] &= ~(std::uint64_t{1} << (digit % 64));
            if (taken[digit / 64] == 0)
                taken_words &= ~(1U << (digit / 64));
        }
    };

    /// An event of the open window: 8 bytes.
    struct InWindow {
        std::uint32_t offset_ns;  ///< from the beginning of the window
        std::uint32_t slot;
    };

    /// Ends window_: later than everything in a window.
    static constexpr InWindow kEnd{0xffff'ffffU, kNoSlot};
    static constexpr std::uint32_t kNothingNear = 0xffff'ffffU;
    static constexpr std::uint32_t kBlockChunks = 256;

    /// More than two hours away.
    struct Far {
        std::uint64_t at;
        std::uint64_t push;
        std::uint32_t slot;
        /// For a heap whose front is the first.
        friend bool operator<(Far const& a, Far const& b) { return a.at != b.at ? a.at > b.at : a.push > b.push; }
    };

    [[nodiscard]] Chunk& chunk_at(std::uint32_t position) {
        std::uint32_t const index = position / kPlaces;
        return blocks_[index / kBlockChunks][index % kBlockChunks];
    }
    [[nodiscard]] static std::uint32_t digit_of(std::uint64_t at, std::uint32_t number) {
        return static_cast<std::uint32_t>(at >> kShift[number]) & ((1U << (kShift[number + 1] - kShift[number])) - 1U);
    }
    /// When the bucket of a digit begins.
    [[nodiscard]] std::uint64_t start_of(std::uint32_t number, std::uint32_t digit) const {
        return (window_start_ >> kShift[number + 1] << kShift[number + 1]) | std::uint64_t{digit} << kShift[number];
    }
    std::uint32_t new_chunk();
    void free_chunk(std::uint32_t chunk);
    Level& level(std::uint32_t number);
    void place(std::uint64_t at, std::uint32_t slot);
    template <std::uint32_t kNumber>
    void append_at(std::uint64_t at, std::uint32_t slot);
    void append(std::uint32_t number, std::uint32_t digit, std::uint32_t offset_ns, std::uint32_t slot);
    template <class Visit>
    void drain(Bucket bucket, Visit visit);

    void push_small(TimeNs at_ns, std::uint32_t slot);
    Popped pop_small() {
        Popped const first = few_.back();
        few_.pop_back();
        now_ns_ = first.at_ns;
        return first;
    }
    /// A chain of chunks is a chain of cache misses, unless somebody walks it beforehand, one chunk every other pop.
    void fetch_ahead() {
        ahead_ = chunk_at(ahead_ * kPlaces).next;
        if (ahead_ != kNoChunk)
            __builtin_prefetch(&chunk_at(ahead_ * kPlaces));
    }
    void outgrow();
    std::uint32_t take_near();
    [[nodiscard]] std::uint32_t next_level() const;
    void open_next();
    void open(Bucket bucket);
    void deal_far();
    template <class Visit>
    void each_offset(Bucket bucket, Visit visit);
    [[nodiscard]] bool is_large(Bucket bucket);
    void open_large(Bucket bucket);
    [[nodiscard]] TimeNs earliest_of_next_bucket();

    std::size_t size_ = 0;
    TimeNs now_ns_ = 0;               ///< last popped time
    std::uint64_t window_start_ = 0;  ///< multiple of kFanout, at most now_ns_ whenever a caller can look
    std::vector<InWindow> window_;    ///< ascending, then kEnd; all pushed before the window was opened
    std::size_t window_front_ = 0;
    std::uint32_t ahead_ = kNoChunk;     ///< next chunk to fetch of the bucket that will probably be opened next
    std::uint32_t near_ = kNothingNear;  ///< first taken digit of level 0
    bool small_ = true;
    TimeNs known_next_ns_ = -1;  ///< what next_ns() found out; -1: nothing
    std::size_t high_water_ = 0;

    std::array<std::unique_ptr<Level>, kLevels> levels_;
    std::vector<std::unique_ptr<Chunk[]>> blocks_;
    std::uint32_t chunks_used_ = 0;  ///< chunks that were ever handed out
    std::uint32_t free_chunks_ = kNoChunk;

    std::vector<Popped> few_;     ///< the events of a small queue, the latest first
    std::size_t last_place_ = 0;  ///< in few_, of what was pushed last, if that is still there
    std::vector<Far> far_;        ///< a heap
    std::uint64_t far_pushes_ = 0;
    std::vector<InWindow> scratch_;
};

inline void EventQueue::push(TimeNs at_ns, std::uint32_t slot) {
    RONDE_CHECK(at_ns >= now_ns_, "EventQueue::push: an event must not lie before the last popped time");
    if (++size_ > high_water_)
        high_water_ = size_;
    if (small_) {
        push_small(at_ns, slot);
        return;
    }
    if (at_ns < known_next_ns_)
        known_next_ns_ = at_ns;
    place(static_cast<std::uint64_t>(at_ns), slot);
}

/// At the end of the bucket of this digit.
inline void EventQueue::append(std::uint32_t number, std::uint32_t digit, std::uint32_t offset_ns, std::uint32_t slot) {
    Level& here = level(number);
    Bucket& bucket = here.buckets[digit];
    if (!here.is_taken(digit)) {
        here.take(digit);
        bucket.front = bucket.back = new_chunk() * kPlaces;
        chunk_at(bucket.back).next = kNoChunk;
        if (number == 0)
            near_ = std::min(near_, digit);
    } else if (bucket.back % kPlaces == kChunkEvents) {
        std::uint32_t const chunk = new_chunk();
        chunk_at(bucket.back).next = chunk;
        chunk_at(chunk * kPlaces).next = kNoChunk;
        bucket.back = chunk * kPlaces;
    }
    Chunk& chunk = chunk_at(bucket.back);
    std::uint32_t const at_place = bucket.back % kPlaces;
    chunk.offset_ns[at_place] = offset_ns;
    chunk.slot[at_place] = slot;
    ++bucket.back;
}

/// `visit(offset_ns, slot)` for every event of the bucket, in order; its chunks are given back on the way.
template <class Visit>
void EventQueue::drain(Bucket bucket, Visit visit) {
    std::uint32_t position = bucket.front;
    for (;;) {
        Chunk& chunk = chunk_at(position);
        bool const is_last = position / kPlaces == bucket.back / kPlaces;
        std::uint32_t const next = is_last ? kNoChunk : chunk.next;
        if (!is_last)
            __builtin_prefetch(&chunk_at(next * kPlaces));
        // The chunk may be handed out again while its events are visited.
        Chunk const events = chunk;
        free_chunk(position / kPlaces);
        std::uint32_t const end = is_last ? bucket.back % kPlaces : kChunkEvents;
        for (std::uint32_t i = position % kPlaces; i < end; ++i)
            visit(events.offset_ns[i], events.slot[i]);
        if (is_last)
            return;
        position = next * kPlaces;
    }
}

template <class Drops>
void EventQueue::remove_if(Drops drops) {
    auto const from_window = [&](InWindow const& event) {
        return drops(static_cast<TimeNs>(window_start_ + event.offset_ns), event.slot);
    };
    size_ -= std::erase_if(few_, [&](Popped const& event) { return drops(event.at_ns, event.slot); });
    if (small_)
        return;
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(window_front_));
    window_front_ = 0;
    window_.pop_back();
    size_ -= std::erase_if(window_, from_window);
    window_.push_back(kEnd);
    for (std::uint32_t number = 0; number < kLevels; ++number) {
        if (levels_[number] == nullptr)
            continue;
        Level& here = *levels_[number];
        for (std::uint32_t digit = 0; digit < kFanout; ++digit) {
            if (!here.is_taken(digit))
                continue;
            here.release(digit);
            std::uint64_t const start = start_of(number, digit);
            drain(here.buckets[digit], [&](std::uint32_t offset_ns, std::uint32_t slot) {
                if (drops(static_cast<TimeNs>(start + offset_ns), slot))
                    --size_;
                else
                    append(number, digit, offset_ns, slot);
            });
        }
        if (number == 0)
            near_ = here.empty() ? kNothingNear : here.first_taken();
    }
    size_ -= std::erase_if(far_, [&](Far const& event) { return drops(static_cast<TimeNs>(event.at), event.slot); });
    std::make_heap(far_.begin(), far_.end());
    ahead_ = kNoChunk;
    known_next_ns_ = -1;
}

inline EventQueue::Popped EventQueue::pop() {
    RONDE_CHECK(size_ > 0, "EventQueue::pop: expected an event, the queue is empty");
    --size_;
    if (small_)
        return pop_small();
    known_next_ns_ = -1;
    for (;;) {
        InWindow const first = window_[window_front_];
        // On equal times the window goes first: it was pushed before anything near could be.
        if (first.offset_ns <= near_ && first.offset_ns != kEnd.offset_ns) {
            if ((++window_front_ & 1U) == 0 && ahead_ != kNoChunk)
                fetch_ahead();
            now_ns_ = static_cast<TimeNs>(window_start_ + first.offset_ns);
            return {now_ns_, first.slot};
        }
        if (near_ != kNothingNear) {
            now_ns_ = static_cast<TimeNs>(window_start_ + near_);
            return {now_ns_, take_near()};
        }
        open_next();
    }
}

}  // namespace ronde::sim
