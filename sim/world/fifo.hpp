/// A queue in one piece of memory, which it keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ronde::sim {

/// First in, first out; looked at from either end. Unlike std::deque it allocates nothing while it is empty and keeps
/// its memory when it is cleared. Any change invalidates iterators.
template <class T>
class Fifo {
public:
    using iterator = typename std::vector<T>::iterator;

    [[nodiscard]] bool empty() const { return head_ == items_.size(); }
    [[nodiscard]] std::size_t size() const { return items_.size() - head_; }
    [[nodiscard]] T& front() { return items_[head_]; }
    [[nodiscard]] iterator begin() { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
    [[nodiscard]] iterator end() { return items_.end(); }

    void push_back(T const& item) { items_.push_back(item); }
    void push_front(T const& item) {
        if (head_ > 0)
            items_[--head_] = item;
        else
            items_.insert(items_.begin(), item);
    }
    /// Before `place`, and where it is now.
    iterator insert(iterator place, T const& item) { return items_.insert(place, item); }
    /// What was taken out goes at the latest when it is more than what is left, so that each item moves once at most.
    void pop_front() {
        if (++head_ == items_.size())
            return clear();
        if (head_ < kFewGone || 2 * head_ <= items_.size())
            return;
        items_.erase(items_.begin(), begin());
        head_ = 0;
    }
    template <class Drops>
    void erase_if(Drops drops) {
        items_.erase(std::remove_if(begin(), end(), drops), end());
        if (empty())
            clear();
    }
    void clear() {
        items_.clear();
        head_ = 0;
    }

private:
    static constexpr std::size_t kFewGone = 64;

    std::vector<T> items_;
    std::size_t head_ = 0;  ///< those before it are taken out
};

}  // namespace ronde::sim
