#include "engine/event_queue.hpp"

#include <algorithm>
#include <cstring>

namespace ronde::sim {

namespace {

// Which sort is the fastest for so many events; measured.
constexpr std::size_t kInsertionSorted = 24;
constexpr std::uint32_t kManyChunks = 200;  // 1 400 events: beyond it one pass is enough, and needs no second array

// All of them are stable: equal times keep the order of their pushes.

template <class Event>
void sort_by_insertion(std::vector<Event>& events) {
    for (std::size_t i = 1; i < events.size(); ++i) {
        Event const event = events[i];
        std::size_t to = i;
        for (; to > 0 && events[to - 1].offset_ns > event.offset_ns; --to)
            events[to] = events[to - 1];
        events[to] = event;
    }
}

/// By `kBits` bits of the offset from bit `kShift` on: counts, then puts each event in its place.
template <unsigned kShift, unsigned kBits, class Event>
void sort_by_bits(std::vector<Event>& events, std::vector<Event>& scratch) {
    constexpr std::uint32_t kKeys = 1U << kBits;
    std::array<std::uint32_t, kKeys> place{};
    for (Event const& event : events)
        ++place[event.offset_ns >> kShift & (kKeys - 1)];
    std::uint32_t sum = 0;
    for (std::uint32_t& start : place) {
        std::uint32_t const count = start;
        start = sum;
        sum += count;
    }
    scratch.resize(events.size());
    for (Event const& event : events)
        scratch[place[event.offset_ns >> kShift & (kKeys - 1)]++] = event;
    events.swap(scratch);
}

}  // namespace

// --- chunks ---------------------------------------------------------------------------------------------------------

std::uint32_t EventQueue::new_chunk() {
    if (free_chunks_ != kNoChunk) {
        std::uint32_t const chunk = free_chunks_;
        free_chunks_ = chunk_at(chunk * kPlaces).next;
        return chunk;
    }
    if (chunks_used_ == blocks_.size() * kBlockChunks) {
        RONDE_CHECK(chunks_used_ < kNoChunk / kPlaces - kBlockChunks,
                    "EventQueue: more than 2^29 chunks of pending events");
        blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(kBlockChunks));
    }
    return chunks_used_++;
}

void EventQueue::free_chunk(std::uint32_t chunk) {
    chunk_at(chunk * kPlaces).next = free_chunks_;
    free_chunks_ = chunk;
}

EventQueue::Level& EventQueue::level(std::uint32_t number) {
    if (levels_[number] == nullptr)
        levels_[number] = std::make_unique_for_overwrite<Level>();
    return *levels_[number];
}

// --- pushing --------------------------------------------------------------------------------------------------------

template <std::uint32_t kNumber>
void EventQueue::append_at(std::uint64_t at, std::uint32_t slot) {
    constexpr std::uint64_t below = (std::uint64_t{1} << kShift[kNumber]) - 1U;
    append(kNumber, digit_of(at, kNumber), static_cast<std::uint32_t>(at & below), slot);
}

void EventQueue::place(std::uint64_t at, std::uint32_t slot) {
    std::uint64_t const differs = at ^ window_start_;
    if (differs >> kShift[1] == 0)
        return append_at<0>(at, slot);
    if (differs >> kShift[2] == 0)
        return append_at<1>(at, slot);
    if (differs >> kShift[3] == 0)
        return append_at<2>(at, slot);
    if (differs >> kShift[4] == 0)
        return append_at<3>(at, slot);
    far_.push_back({at, far_pushes_++, slot});
    std::push_heap(far_.begin(), far_.end());
}

/// Behind those of the same time, which are nearer to the back.
void EventQueue::push_small(TimeNs at_ns, std::uint32_t slot) {
    if (few_.empty())
        few_.reserve(kSmall + 1);
    // Trips take much the same time, so that it goes near the one before it: in front of it, behind what comes later.
    std::size_t const size = few_.size();
    std::size_t to = std::min(last_place_, size);
    while (to > 0 && few_[to - 1].at_ns <= at_ns)
        --to;
    while (to < size && few_[to].at_ns > at_ns)
        ++to;
    few_.push_back({at_ns, slot});
    std::memmove(&few_[to] + 1, &few_[to], (size - to) * sizeof(Popped));
    few_[to] = {at_ns, slot};
    last_place_ = to;
    if (few_.size() > kSmall)
        outgrow();
}

/// The wheel takes over, in the order in which the events would have been popped.
void EventQueue::outgrow() {
    small_ = false;
    window_.assign({kEnd});
    window_start_ = static_cast<std::uint64_t>(now_ns_) / kFanout * kFanout;
    for (; !few_.empty(); few_.pop_back())
        place(static_cast<std::uint64_t>(few_.back().at_ns), few_.back().slot);
}

// --- popping --------------------------------------------------------------------------------------------------------

/// The first event of level 0.
std::uint32_t EventQueue::take_near() {
    Level& near = *levels_[0];
    Bucket& bucket = near.buckets[near_];
    Chunk const& chunk = chunk_at(bucket.front);
    std::uint32_t const slot = chunk.slot[bucket.front % kPlaces];
    ++bucket.front;
    if (bucket.front == bucket.back) {
        free_chunk(bucket.front / kPlaces);
        near.release(near_);
        near_ = near.empty() ? kNothingNear : near.first_taken();
    } else if (bucket.front % kPlaces == kChunkEvents) {
        std::uint32_t const next = chunk.next * kPlaces;
        free_chunk(bucket.front / kPlaces);
        bucket.front = next;
    }
    return slot;
}

/// The lowest level above 0 that has events; kLevels: the heap.
std::uint32_t EventQueue::next_level() const {
    std::uint32_t number = 1;
    while (number < kLevels && (levels_[number] == nullptr || levels_[number]->empty()))
        ++number;
    return number;
}

/// All that differs from the earliest one in the digits of the levels alone, in order.
void EventQueue::deal_far() {
    window_start_ = far_.front().at >> kShift[kLevels] << kShift[kLevels];
    while (!far_.empty() && (far_.front().at ^ window_start_) >> kShift[kLevels] == 0) {
        std::pop_heap(far_.begin(), far_.end());
        Far const first = far_.back();
        far_.pop_back();
        place(first.at, first.slot);
    }
}

/// Moves on to the first bucket of the lowest level that has any. If it spans more than one window, its events are
/// dealt to the levels below, and some of them may be near.
void EventQueue::open_next() {
    std::uint32_t const number = next_level();
    if (number == kLevels)
        return deal_far();
    Level& here = *levels_[number];
    std::uint32_t const digit = here.first_taken();
    Bucket const bucket = here.buckets[digit];
    std::uint64_t const start = start_of(number, digit);
    here.release(digit);
    ahead_ = here.empty() ? kNoChunk : here.buckets[here.first_taken()].front / kPlaces;

    if (bucket.front + 1 == bucket.back) {  // A single event needs no dealing: its window is the next one.
        drain(bucket, [this, start](std::uint32_t offset_ns, std::uint32_t slot) {
            window_start_ = (start + offset_ns) / kFanout * kFanout;
            window_.assign({{offset_ns % kFanout, slot}, kEnd});
        });
        window_front_ = 0;
        return;
    }

    window_start_ = start;
    if (number == 1)
        open(bucket);
    else
        drain(bucket, [this, start](std::uint32_t offset_ns, std::uint32_t slot) { place(start + offset_ns, slot); });
}

/// The bucket becomes the sorted array that pop() reads.
void EventQueue::open(Bucket bucket) {
    window_.clear();
    window_front_ = 0;
    if (is_large(bucket))
        return open_large(bucket);
    drain(bucket, [this](std::uint32_t offset_ns, std::uint32_t slot) { window_.push_back({offset_ns, slot}); });
    if (window_.size() <= kInsertionSorted) {
        sort_by_insertion(window_);
    } else {
        sort_by_bits<0, 5>(window_, scratch_);
        sort_by_bits<5, 6>(window_, scratch_);
    }
    window_.push_back(kEnd);
}

/// `visit(offset_ns)` for every event of the bucket.
template <class Visit>
void EventQueue::each_offset(Bucket bucket, Visit visit) {
    for (std::uint32_t position = bucket.front;;) {
        Chunk const& chunk = chunk_at(position);
        bool const is_last = position / kPlaces == bucket.back / kPlaces;
        if (!is_last)
            __builtin_prefetch(&chunk_at(chunk.next * kPlaces));
        std::uint32_t const end = is_last ? bucket.back % kPlaces : kChunkEvents;
        for (std::uint32_t i = position % kPlaces; i < end; ++i)
            visit(chunk.offset_ns[i]);
        if (is_last)
            return;
        position = chunk.next * kPlaces;
    }
}

bool EventQueue::is_large(Bucket bucket) {
    std::uint32_t chunks = 1;
    for (std::uint32_t at = bucket.front / kPlaces; at != bucket.back / kPlaces && chunks <= kManyChunks; ++chunks)
        at = chunk_at(at * kPlaces).next;
    return chunks > kManyChunks;
}

/// Counts before it moves anything, so that each event goes to its place at once.
void EventQueue::open_large(Bucket bucket) {
    std::array<std::uint32_t, kFanout> place{};
    each_offset(bucket, [&](std::uint32_t offset_ns) { ++place[offset_ns]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& start : place) {
        std::uint32_t const count = start;
        start = sum;
        sum += count;
    }
    window_.reserve(sum + std::size_t{1});
    window_.resize(sum);
    drain(bucket, [&](std::uint32_t offset_ns, std::uint32_t slot) {
        window_[place[offset_ns]++] = {offset_ns, slot};
    });
    window_.push_back(kEnd);
}

bool EventQueue::has_by(TimeNs limit_ns) {
    if (size_ == 0)
        return false;
    bool const in_window = !small_ && std::min(window_[window_front_].offset_ns, near_) != kNothingNear;
    std::uint32_t const number = small_ || in_window ? kLevels : next_level();
    if (number < kLevels) {
        std::uint64_t const start = start_of(number, levels_[number]->first_taken());
        std::uint64_t const last = start + ((std::uint64_t{1} << kShift[number]) - 1U);
        if (static_cast<TimeNs>(last) <= limit_ns)
            return true;
    }
    return next_ns() <= limit_ns;
}

TimeNs EventQueue::next_ns() {
    RONDE_CHECK(size_ > 0, "EventQueue::next_ns: expected an event, the queue is empty");
    if (small_)
        return few_.back().at_ns;
    std::uint32_t const offset_ns = std::min(window_[window_front_].offset_ns, near_);
    if (offset_ns != kNothingNear)
        return static_cast<TimeNs>(window_start_ + offset_ns);
    if (known_next_ns_ < 0)
        known_next_ns_ = earliest_of_next_bucket();
    return known_next_ns_;
}

/// Without opening it: the window must not get ahead of what may still be pushed.
TimeNs EventQueue::earliest_of_next_bucket() {
    std::uint32_t const number = next_level();
    if (number == kLevels)
        return static_cast<TimeNs>(far_.front().at);
    Level const& here = *levels_[number];
    std::uint32_t const digit = here.first_taken();
    Bucket const bucket = here.buckets[digit];
    std::uint32_t earliest = ~0U;
    each_offset(bucket, [&](std::uint32_t offset_ns) { earliest = std::min(earliest, offset_ns); });
    return static_cast<TimeNs>(start_of(number, digit) + earliest);
}

// --- memory ---------------------------------------------------------------------------------------------------------

std::size_t EventQueue::bytes() const {
    auto const levels = static_cast<std::size_t>(
        std::count_if(levels_.begin(), levels_.end(), [](auto const& level) { return level != nullptr; }));
    return sizeof *this + levels * sizeof(Level) + blocks_.size() * kBlockChunks * sizeof(Chunk) +
           blocks_.capacity() * sizeof blocks_[0] + few_.capacity() * sizeof(Popped) +
           (window_.capacity() + scratch_.capacity()) * sizeof(InWindow) + far_.capacity() * sizeof(Far);
}

void EventQueue::clear() {
    for (auto const& level : levels_) {
        if (level != nullptr) {
            level->taken = {};
            level->taken_words = 0;
        }
    }
    few_.clear();
    last_place_ = 0;
    far_.clear();
    far_pushes_ = 0;
    window_.clear();
    ahead_ = kNoChunk;
    window_front_ = 0;
    near_ = kNothingNear;
    small_ = true;
    known_next_ns_ = -1;
    size_ = high_water_ = 0;
    now_ns_ = 0;
    window_start_ = 0;
    chunks_used_ = 0;
    free_chunks_ = kNoChunk;
}

}  // namespace ronde::sim
