#include "net/loop.hpp"

#include "protocol/check.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace ronde::net {
namespace {

constexpr std::uint32_t kNowhere = 0xffff'ffffU;
constexpr std::uint64_t kWakeToken = ~std::uint64_t{0};

timespec to_timespec(TimeNs duration_ns) noexcept {
    timespec spec{};
    spec.tv_sec = static_cast<time_t>(duration_ns / protocol::kSecondNs);
    spec.tv_nsec = static_cast<long>(duration_ns % protocol::kSecondNs);
    return spec;
}

/// epoll_wait counts in milliseconds; a time rounded down would wake too early and spin for the rest.
int to_milliseconds_up(TimeNs duration_ns) noexcept {
    constexpr TimeNs kLongest_ms = 3'600'000;
    return static_cast<int>(
        std::min((duration_ns + protocol::kMillisecondNs - 1) / protocol::kMillisecondNs, kLongest_ms));
}

std::uint64_t token_of(Loop::Watch watch) noexcept { return (std::uint64_t{watch.generation} << 32) | watch.slot; }

Loop::Watch watch_of(std::uint64_t token) noexcept {
    return {static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(token >> 32)};
}

}  // namespace

TimeNs monotonic_ns() noexcept {
    timespec spec{};
    ::clock_gettime(CLOCK_MONOTONIC, &spec);
    return TimeNs{spec.tv_sec} * protocol::kSecondNs + spec.tv_nsec;
}

struct Loop::Batch {
    std::array<epoll_event, 512> events;
};

// --- nodes ------------------------------------------------------------------------------------------------------

Node::Node(Loop& loop) : loop_(loop) {}

Node::~Node() {
    loop_.heap_remove(*this);
    std::lock_guard const lock(loop_.mutex_);
    if (signalled_)
        std::erase(loop_.signalled_, this);
}

void Node::set_deadline(TimeNs deadline_ns) {
    if (deadline_ns != deadline_ns_)
        loop_.heap_update(*this, deadline_ns);
}

// --- life -------------------------------------------------------------------------------------------------------

Loop::Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), scratch_(new std::byte[kScratchBytes]), batch_(new Batch) {
    if (epoll_ < 0)
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.u64 = kWakeToken;
    if (wake_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) {
        int const code = errno;
        if (wake_ >= 0)
            ::close(wake_);
        ::close(epoll_);
        throw std::system_error(code, std::generic_category(), "eventfd");
    }
}

Loop::~Loop() {
    RONDE_CHECK(heap_.empty(), "a loop outlives its nodes");
    ::close(wake_);
    ::close(epoll_);
}

// --- one batch --------------------------------------------------------------------------------------------------

int Loop::wait(TimeNs until_ns) noexcept {
    TimeNs due_ns = until_ns;
    if (!heap_.empty())
        due_ns = std::min(due_ns, heap_.front()->deadline_ns_);
    bool const forever = due_ns == kNever && again_.empty();
    TimeNs const pause_ns = again_.empty() && !forever ? std::max<TimeNs>(0, due_ns - monotonic_ns()) : 0;

    auto* const events = batch_->events.data();
    int const room = static_cast<int>(batch_->events.size());
    static thread_local bool fine_grained = true;
    if (fine_grained && pause_ns > 0 && !forever) {
        timespec const pause = to_timespec(pause_ns);
        int const count = ::epoll_pwait2(epoll_, events, room, &pause, nullptr);
        if (count >= 0 || errno != ENOSYS)
            return count;
        fine_grained = false;
    }
    return ::epoll_wait(epoll_, events, room, forever ? -1 : to_milliseconds_up(pause_ns));
}

void Loop::run_once(TimeNs until_ns) {
    int const count = wait(until_ns);
    RONDE_CHECK(count >= 0 || errno == EINTR, "epoll_wait only fails when it is interrupted");
    ++batches_;

    bool woken = false;
    for (int i = 0; i < count; ++i) {
        epoll_event const event = batch_->events[static_cast<std::size_t>(i)];
        if (event.data.u64 == kWakeToken) {
            woken = true;
        } else if (Pollable* const owner = owner_of(watch_of(event.data.u64)); owner != nullptr) {
            owner->on_ready(event.events);
        }
    }
    if (woken)
        tell_signals();

    if (!again_.empty()) {
        std::swap(again_, again_now_);
        for (Watch const watch : again_now_) {
            if (Pollable* const owner = owner_of(watch); owner != nullptr)
                owner->on_ready(0);
        }
        again_now_.clear();
    }
    if (!heap_.empty())
        tell_deadlines(monotonic_ns());
}

void Loop::tell_deadlines(TimeNs now) {
    // A node that asks for a deadline in the past again and again still lets the descriptors have their turn.
    for (std::size_t left = heap_.size(); left > 0 && !heap_.empty(); --left) {
        Node& node = *heap_.front();
        if (node.deadline_ns_ > now)
            return;
        heap_update(node, kNever);
        node.on_deadline(now);
    }
}

void Loop::signal(Node& node) noexcept {
    {
        std::lock_guard const lock(mutex_);
        if (node.signalled_)
            return;
        node.signalled_ = true;
        signalled_.push_back(&node);
    }
    std::uint64_t const one = 1;
    // The counter cannot overflow: it is written once per signalled node and emptied by the loop.
    [[maybe_unused]] ssize_t const written = ::write(wake_, &one, sizeof one);
}

void Loop::tell_signals() {
    std::uint64_t count = 0;
    [[maybe_unused]] ssize_t const taken = ::read(wake_, &count, sizeof count);
    for (;;) {
        Node* node = nullptr;
        {
            std::lock_guard const lock(mutex_);
            if (signalled_.empty())
                return;
            node = signalled_.back();
            signalled_.pop_back();
            node->signalled_ = false;
        }
        node->on_signal(monotonic_ns());
    }
}

// --- descriptors ------------------------------------------------------------------------------------------------

Pollable* Loop::owner_of(Watch watch) const noexcept {
    if (watch.slot >= slots_.size() || slots_[watch.slot].generation != watch.generation)
        return nullptr;
    return slots_[watch.slot].owner;
}

int Loop::watch(int fd, std::uint32_t interest, Pollable& owner, Watch& watch) noexcept {
    return add(fd, interest | EPOLLET, owner, watch);
}

int Loop::watch_level(int fd, std::uint32_t interest, Pollable& owner, Watch& watch) noexcept {
    int const code = add(fd, interest, owner, watch);
    if (code == 0)
        slots_[watch.slot].level_fd = fd;
    return code;
}

int Loop::add(int fd, std::uint32_t events, Pollable& owner, Watch& watch) noexcept {
    std::uint32_t slot = first_free_;
    if (slot == kNowhere) {
        slot = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    } else {
        first_free_ = slots_[slot].next_free;
    }
    slots_[slot].owner = &owner;
    watch = {slot, slots_[slot].generation};

    epoll_event event{};
    event.events = events;
    event.data.u64 = token_of(watch);
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0)
        return 0;
    int const code = errno;
    unwatch(watch);
    return code;
}

void Loop::rewatch(int fd, std::uint32_t interest, Watch watch) const noexcept {
    epoll_event event{};
    event.events = interest | EPOLLET;
    event.data.u64 = token_of(watch);
    int const result = ::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
    RONDE_CHECK(result == 0, "a watched descriptor can be watched differently");
}

void Loop::unwatch(Watch& watch) noexcept {
    if (!watch.valid())
        return;
    Slot& slot = slots_[watch.slot];
    RONDE_CHECK(slot.generation == watch.generation, "a descriptor is unwatched once");
    if (int const fd = std::exchange(slot.level_fd, -1); fd >= 0)
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    slot.owner = nullptr;
    ++slot.generation;
    slot.next_free = first_free_;
    first_free_ = watch.slot;
    watch = {};
}

void Loop::call_again(Watch watch) { again_.push_back(watch); }

// --- deadlines: a binary heap whose elements know their place -----------------------------------------------------

void Loop::heap_update(Node& node, TimeNs deadline_ns) {
    if (deadline_ns == kNever)
        return heap_remove(node);
    TimeNs const before_ns = node.deadline_ns_;
    node.deadline_ns_ = deadline_ns;
    if (node.heap_index_ == kNowhere) {
        node.heap_index_ = static_cast<std::uint32_t>(heap_.size());
        heap_.push_back(&node);
        return heap_up(node.heap_index_);
    }
    if (deadline_ns < before_ns)
        return heap_up(node.heap_index_);
    heap_down(node.heap_index_);
}

void Loop::heap_remove(Node& node) noexcept {
    node.deadline_ns_ = kNever;
    if (node.heap_index_ == kNowhere)
        return;
    std::size_t const hole = node.heap_index_;
    node.heap_index_ = kNowhere;
    Node* const last = heap_.back();
    heap_.pop_back();
    if (last == &node)
        return;
    heap_set(hole, last);
    heap_up(hole);
    heap_down(last->heap_index_);
}

void Loop::heap_set(std::size_t index, Node* node) noexcept {
    heap_[index] = node;
    node->heap_index_ = static_cast<std::uint32_t>(index);
}

void Loop::heap_up(std::size_t index) noexcept {
    Node* const node = heap_[index];
    while (index > 0) {
        std::size_t const parent = (index - 1) / 2;
        if (heap_[parent]->deadline_ns_ <= node->deadline_ns_)
            break;
        heap_set(index, heap_[parent]);
        index = parent;
    }
    heap_set(index, node);
}

void Loop::heap_down(std::size_t index) noexcept {
    Node* const node = heap_[index];
    for (;;) {
        std::size_t child = 2 * index + 1;
        if (child >= heap_.size())
            break;
        if (child + 1 < heap_.size() && heap_[child + 1]->deadline_ns_ < heap_[child]->deadline_ns_)
            ++child;
        if (node->deadline_ns_ <= heap_[child]->deadline_ns_)
            break;
        heap_set(index, heap_[child]);
        index = child;
    }
    heap_set(index, node);
}

}  // namespace ronde::net
