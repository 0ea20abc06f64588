/// One thread, one epoll instance, any number of machines.
///
/// A loop waits for descriptors and for deadlines and tells the nodes that it holds. It never spins: when nobody has
/// work it sleeps in the kernel until the earliest deadline, to the nanosecond where the kernel can.
/// Thread-safety: everything belongs to the thread that runs the loop, except `signal`.
#pragma once

#include "protocol/units.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace ronde::net {

using protocol::kNever;
using protocol::TimeNs;

/// CLOCK_MONOTONIC in nanoseconds: the `now` of every event.
[[nodiscard]] TimeNs monotonic_ns() noexcept;

class Loop;

/// What a descriptor's owner is told. Flags of EPOLLIN and its kin are passed on as they are.
class Pollable {
public:
    Pollable() = default;
    Pollable(Pollable const&) = delete;
    Pollable& operator=(Pollable const&) = delete;
    Pollable(Pollable&&) = delete;
    Pollable& operator=(Pollable&&) = delete;
    virtual ~Pollable() = default;

    /// `ready`: EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLERR | EPOLLHUP, or 0 when the loop calls again because the last
    /// call asked for it with Loop::call_again.
    virtual void on_ready(std::uint32_t ready) = 0;
};

/// Something with a deadline that lives in a loop: a rank's or a root's driver.
class Node {
public:
    explicit Node(Loop& loop);
    Node(Node const&) = delete;
    Node& operator=(Node const&) = delete;
    Node(Node&&) = delete;
    Node& operator=(Node&&) = delete;
    virtual ~Node();

    [[nodiscard]] Loop& loop() const noexcept { return loop_; }

protected:
    /// `now` has reached the deadline set last. The deadline is kNever until it is set again.
    virtual void on_deadline(TimeNs now) = 0;
    /// Loop::signal was called, once or several times since the last call.
    virtual void on_signal(TimeNs now) = 0;

    /// When on_deadline is wanted; kNever for not at all. Cheap when nothing changes.
    void set_deadline(TimeNs deadline_ns);

private:
    friend class Loop;
    Loop& loop_;
    TimeNs deadline_ns_ = kNever;
    std::uint32_t heap_index_ = 0xffff'ffffU;  ///< place in the loop's heap of deadlines; all ones: in none
    bool signalled_ = false;                   ///< guarded by the loop's mutex
};

class Loop {
public:
    /// Throws std::system_error when the process has no descriptors left for epoll and eventfd.
    Loop();
    ~Loop();
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;
    Loop(Loop&&) = delete;
    Loop& operator=(Loop&&) = delete;

    /// Waits until something is due, at most until `until_ns` on the monotonic clock, and handles one batch of it.
    /// With an `until_ns` in the past it handles what is ready and does not wait.
    void run_once(TimeNs until_ns = kNever);

    /// Runs until `done()` holds or `until_ns` is reached; returns whether `done()` holds. It is asked after each
    /// batch.
    template <class Done>
    bool run_until(Done&& done, TimeNs until_ns = kNever) {
        for (;;) {
            if (done())
                return true;
            if (until_ns != kNever && monotonic_ns() >= until_ns)
                return false;
            run_once(until_ns);
        }
    }

    /// Makes `node` hear on_signal soon. Callable from any thread, also while the loop sleeps; the node must stay alive
    /// until the call has returned.
    void signal(Node& node) noexcept;

    // --- for the owners of descriptors -------------------------------------------------------------------------

    /// Names a watched descriptor. Numbers are not used again soon, so a late event of a closed one is recognised.
    struct Watch {
        std::uint32_t slot = 0xffff'ffffU;
        std::uint32_t generation = 0;
        [[nodiscard]] bool valid() const noexcept { return slot != 0xffff'ffffU; }
    };
    /// Watches `fd`, edge-triggered, for `interest` (EPOLLIN, EPOLLOUT ...): the owner is told of news once, and reads
    /// or writes until EAGAIN or asks for call_again. Returns 0, or errno (ENOSPC, ENOMEM).
    int watch(int fd, std::uint32_t interest, Pollable& owner, Watch& watch) noexcept;
    /// Watches `fd`, level-triggered: the owner is told in every batch for as long as the descriptor is ready. For a
    /// descriptor whose readiness is somebody else's to take away, such as an epoll descriptor of another library.
    /// Returns as watch() does.
    int watch_level(int fd, std::uint32_t interest, Pollable& owner, Watch& watch) noexcept;
    /// Changes the interest in a descriptor of watch(); an edge that is already there is told again.
    void rewatch(int fd, std::uint32_t interest, Watch watch) const noexcept;
    /// To be called before the descriptor is closed; no on_ready comes for it any more. Closing the descriptor itself
    /// ends the kernel's part of it, unless a forked child still holds a copy; that of a level ends here.
    void unwatch(Watch& watch) noexcept;
    /// The owner stopped reading or accepting in the middle, for fairness: call it again in the next batch.
    void call_again(Watch watch);

    /// One buffer for everybody: what is read into it is used up or copied before the owner returns.
    [[nodiscard]] std::span<std::byte> scratch() noexcept { return {scratch_.get(), kScratchBytes}; }
    static constexpr std::size_t kScratchBytes = std::size_t{256} << 10U;

    /// Batches handled so far, idle ones included: what a test compares to see that nobody spins.
    [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

private:
    friend class Node;
    struct Slot {
        Pollable* owner = nullptr;
        std::uint32_t generation = 0;
        std::uint32_t next_free = 0xffff'ffffU;
        int level_fd = -1;  ///< of watch_level: a level that nobody hears would keep the loop awake
    };

    int wait(TimeNs until_ns) noexcept;
    int add(int fd, std::uint32_t events, Pollable& owner, Watch& watch) noexcept;
    [[nodiscard]] Pollable* owner_of(Watch watch) const noexcept;
    void tell_signals();
    void tell_deadlines(TimeNs now);
    void heap_update(Node& node, TimeNs deadline_ns);
    void heap_remove(Node& node) noexcept;
    void heap_up(std::size_t index) noexcept;
    void heap_down(std::size_t index) noexcept;
    void heap_set(std::size_t index, Node* node) noexcept;

    struct Batch;
    int epoll_ = -1;
    int wake_ = -1;
    std::uint64_t batches_ = 0;
    std::uint32_t first_free_ = 0xffff'ffffU;
    std::vector<Slot> slots_;
    std::vector<Watch> again_;
    std::vector<Watch> again_now_;
    std::vector<Node*> heap_;  ///< by deadline, earliest first
    std::unique_ptr<std::byte[]> scratch_;
    std::unique_ptr<Batch> batch_;
    std::mutex mutex_;  ///< guards signalled_ and Node::signalled_
    std::vector<Node*> signalled_;
};

}  // namespace ronde::net
