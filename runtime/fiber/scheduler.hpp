/// Many fibers on one thread, in an order that depends on nothing but what they do: a queue, first in first out.
///
///     Scheduler scheduler;
///     for (RankId rank = 0; rank < nranks; ++rank)
///         scheduler.spawn(fmt::format("rank {}", rank), [=] { program(rank); });
///     while (scheduler.alive() > 0) {
///         scheduler.run_until_idle();  // everyone waits for something now
///         loop.run_once();             // whose callbacks deliver into WaitCells, see fiber/wait.hpp
///     }
#pragma once

#include "fiber/fiber.hpp"
#include "fiber/stack_pool.hpp"
#include "protocol/check.hpp"

#include <cstddef>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

namespace ronde::fiber {

/// A queue of pointers in one ring of memory, so that the one who comes in a while can be looked at. Grows, never
/// shrinks.
template <class T>
class PointerQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
    [[nodiscard]] std::size_t size() const noexcept { return last_ - first_; }
    void push(T* element) {
        if (size() == ring_.size())
            grow();
        ring_[last_++ & (ring_.size() - 1)] = element;
    }
    T* pop() noexcept { return ring_[first_++ & (ring_.size() - 1)]; }
    /// `ahead` places behind the first, or null.
    [[nodiscard]] T* peek(std::size_t ahead) const noexcept {
        return ahead < size() ? ring_[(first_ + ahead) & (ring_.size() - 1)] : nullptr;
    }

private:
    void grow() {
        std::vector<T*> larger(ring_.empty() ? 64 : 2 * ring_.size());
        std::size_t const count = size();
        for (std::size_t index = 0; index < count; ++index)
            larger[index] = peek(index);
        ring_ = std::move(larger);
        first_ = 0;
        last_ = count;
    }

    std::vector<T*> ring_;  ///< a power of two of places; counts modulo its size
    std::size_t first_ = 0;
    std::size_t last_ = 0;
};

/// Not thread-safe: a scheduler, its fibers and what they wait for belong to one thread.
class Scheduler {
public:
    /// A fiber of this scheduler, as those see it who wake it. Its address is valid until its function has returned.
    class Task {
    public:
        [[nodiscard]] std::string_view name() const noexcept { return fiber_.name(); }
        template <class F>
        Task(Stack stack, std::string_view name, F&& body) : fiber_(std::move(stack), name, std::forward<F>(body)) {}

    private:
        friend class Scheduler;
        Fiber fiber_;
        std::list<Task>::iterator place_;
        bool queued_ = false;
    };

    explicit Scheduler(StackOptions const& stacks = {});
    Scheduler(Scheduler const&) = delete;
    Scheduler& operator=(Scheduler const&) = delete;
    Scheduler(Scheduler&&) = delete;
    Scheduler& operator=(Scheduler&&) = delete;
    /// Unwinds the fibers that are left, in the order of their spawning. Not from inside of one of them.
    ~Scheduler();

    /// A new fiber at the end of the queue. From anywhere, also from one of the fibers. The error: no stack.
    template <std::invocable F>
    tl::expected<void, StackError> spawn(std::string_view name, F&& body) {
        auto stack = pool_.take();
        if (!stack)
            return tl::unexpected(stack.error());
        admit(tasks_.emplace(tasks_.end(), std::move(*stack), name, std::forward<F>(body)));
        return {};
    }

    /// Runs fibers until each of them waits or has ended. What one throws and does not catch comes out here: that fiber
    /// has ended, all others are as they were, and the next call goes on with them. Not from inside.
    void run_until_idle();

    /// Puts a parked task at the end of the queue; one that is in the queue stays where it is. One that is running runs
    /// again after its next park.
    void wake(Task& task) {
        if (!std::exchange(task.queued_, true))
            queue_.push(&task);
    }
    /// Parks the current task until somebody wakes it. It may be woken for reasons that are not the caller's, so ask in
    /// a loop. Only inside of a fiber of this scheduler.
    void park() {
        RONDE_CHECK(current_ != nullptr, "a scheduler's park() is called by one of its fibers");
        Fiber::park();
    }
    /// Lets all others that are in the queue run first. Only inside of a fiber of this scheduler.
    void yield() {
        wake(current());
        park();
    }
    /// The task that runs. Only inside of a fiber of this scheduler.
    [[nodiscard]] Task& current() const {
        RONDE_CHECK(current_ != nullptr, "only a fiber of this scheduler has a current task");
        return *current_;
    }

    /// Fibers that have not ended.
    [[nodiscard]] std::size_t alive() const noexcept { return alive_; }
    /// Entries of the queue.
    [[nodiscard]] std::size_t runnable() const noexcept { return queue_.size(); }
    [[nodiscard]] StackPool& stacks() noexcept { return pool_; }

private:
    void admit(std::list<Task>::iterator place);
    void settle(Task& task) noexcept;
    class Turn;

    StackPool pool_;
    std::list<Task> tasks_;  ///< in the order of spawning
    PointerQueue<Task> queue_;
    Task* current_ = nullptr;
    std::size_t alive_ = 0;
};

}  // namespace ronde::fiber
