/// The same queue as EventQueue, too simple to be wrong: a binary heap over (time, number of the push). The oracle of
/// the tests and the comparison of the benchmark.
#pragma once

#include "engine/event_queue.hpp"
#include "protocol/check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ronde::sim {

class HeapQueue {
public:
    using Popped = EventQueue::Popped;

    void push(TimeNs at_ns, std::uint32_t slot) {
        RONDE_CHECK(at_ns >= now_ns_, "HeapQueue::push: an event must not lie before the last popped time");
        pending_.push_back({at_ns, pushes_++, slot});
        std::push_heap(pending_.begin(), pending_.end(), later);
        high_water_ = std::max(high_water_, pending_.size());
    }

    Popped pop() {
        RONDE_CHECK(!pending_.empty(), "HeapQueue::pop: expected an event, the queue is empty");
        std::pop_heap(pending_.begin(), pending_.end(), later);
        Item const item = pending_.back();
        pending_.pop_back();
        now_ns_ = item.at_ns;
        return {item.at_ns, item.slot};
    }

    [[nodiscard]] TimeNs next_ns() const {
        RONDE_CHECK(!pending_.empty(), "HeapQueue::next_ns: expected an event, the queue is empty");
        return pending_.front().at_ns;
    }

    [[nodiscard]] bool has_by(TimeNs limit_ns) const { return !pending_.empty() && pending_.front().at_ns <= limit_ns; }

    /// A heap knows no more than the next one.
    [[nodiscard]] std::uint32_t peek_slot(std::size_t ahead) const {
        return ahead == 0 && !pending_.empty() ? pending_.front().slot : kNoSlot;
    }

    template <class Drops>
    void remove_if(Drops drops) {
        std::erase_if(pending_, [&](Item const& item) { return drops(item.at_ns, item.slot); });
        std::make_heap(pending_.begin(), pending_.end(), later);
    }

    [[nodiscard]] bool empty() const { return pending_.empty(); }
    [[nodiscard]] std::size_t size() const { return pending_.size(); }
    [[nodiscard]] std::size_t high_water() const { return high_water_; }
    [[nodiscard]] std::size_t bytes() const { return sizeof *this + pending_.capacity() * sizeof(Item); }

    void clear() {
        pending_.clear();
        now_ns_ = 0;
        pushes_ = 0;
        high_water_ = 0;
    }

private:
    struct Item {
        TimeNs at_ns;
        std::uint64_t push;
        std::uint32_t slot;
    };
    static bool later(Item const& a, Item const& b) { return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.push > b.push; }

    std::vector<Item> pending_;
    TimeNs now_ns_ = 0;
    std::uint64_t pushes_ = 0;
    std::size_t high_water_ = 0;
};

}  // namespace ronde::sim
