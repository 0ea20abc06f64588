/// What a blocking verb is made of: a cell that a fiber waits at, and that an event loop or another fiber fills.
///
///     Outcome barrier() {
///         WaitCell<Outcome> answer(scheduler);
///         driver.begin_barrier([&](Outcome outcome) { answer.deliver(std::move(outcome)); });
///         return answer.wait();  // the others run
///     }
///
/// There is no clock here. A verb with a deadline lets the loop deliver at the deadline; the first delivery counts.
#pragma once

#include "fiber/scheduler.hpp"
#include "protocol/check.hpp"

#include <optional>
#include <utility>

namespace ronde::fiber {

/// For one value and one waiter at a time; used again after each wait(). Not thread-safe.
template <class T>
class WaitCell {
public:
    explicit WaitCell(Scheduler& scheduler) noexcept : scheduler_(scheduler) {}
    WaitCell(WaitCell const&) = delete;
    WaitCell& operator=(WaitCell const&) = delete;
    WaitCell(WaitCell&&) = delete;
    WaitCell& operator=(WaitCell&&) = delete;
    ~WaitCell() { RONDE_CHECK(waiter_ == nullptr, "a cell outlives whoever waits at it"); }

    /// Fills the cell, and wakes who waits. Before or after the wait() began. False, and `value` is dropped, when the
    /// cell is full: somebody was faster.
    bool deliver(T value) {
        if (value_.has_value())
            return false;
        value_.emplace(std::move(value));
        if (waiter_ != nullptr)
            scheduler_.wake(*waiter_);
        return true;
    }

    /// Returns the value and empties the cell; parks the current fiber until there is one. Only inside of a fiber of
    /// the scheduler.
    [[nodiscard]] T wait() {
        RONDE_CHECK(waiter_ == nullptr, "one fiber at a time waits at a cell");
        if (!value_.has_value())
            park_until_full();
        T value = std::move(*value_);
        value_.reset();
        return value;
    }

    [[nodiscard]] bool full() const noexcept { return value_.has_value(); }
    [[nodiscard]] bool waited_for() const noexcept { return waiter_ != nullptr; }

private:
    /// The cell must not name a fiber that is unwound by a cancellation.
    struct Waiting {
        explicit Waiting(WaitCell& at) : cell(at) { cell.waiter_ = &cell.scheduler_.current(); }
        Waiting(Waiting const&) = delete;
        Waiting& operator=(Waiting const&) = delete;
        Waiting(Waiting&&) = delete;
        Waiting& operator=(Waiting&&) = delete;
        ~Waiting() { cell.waiter_ = nullptr; }
        WaitCell& cell;
    };

    void park_until_full() {
        Waiting const waiting(*this);
        while (!value_.has_value())
            scheduler_.park();
    }

    Scheduler& scheduler_;
    Scheduler::Task* waiter_ = nullptr;
    std::optional<T> value_;
};

}  // namespace ronde::fiber
