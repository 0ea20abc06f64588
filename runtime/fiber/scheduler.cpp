#include "fiber/scheduler.hpp"

namespace ronde::fiber {

namespace {

/// With many fibers each switch goes to memory that has left every cache. The queue knows who comes next, so their
/// memory is asked for some switches before: first the task, and when that has come, the stack that it points to.
constexpr std::size_t kTaskAhead = 8;
constexpr std::size_t kStackAhead = 4;

}  // namespace

/// The time in which one task runs: until it parks, ends or throws.
class Scheduler::Turn {
public:
    Turn(Scheduler& scheduler, Task& task) noexcept : scheduler_(scheduler), task_(task) { scheduler.current_ = &task; }
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;
    Turn(Turn&&) = delete;
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
        scheduler_.current_ = nullptr;
        if (!task_.fiber_.ended())
            return;
        --scheduler_.alive_;
        scheduler_.settle(task_);
    }

private:
    Scheduler& scheduler_;
    Task& task_;
};

Scheduler::Scheduler(StackOptions const& stacks) : pool_(stacks) {}

Scheduler::~Scheduler() {
    RONDE_CHECK(current_ == nullptr, "a scheduler is destroyed from outside of its fibers");
    queue_ = {};
    for (auto place = tasks_.begin(); place != tasks_.end(); place = tasks_.begin()) {
        place->queued_ = true;  // nobody runs any more, so nobody need be queued
        try {
            Turn const turn(*this, *place);
            place->fiber_.cancel();
        } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left who could be told
        }
        tasks_.erase(place);
    }
}

void Scheduler::admit(std::list<Task>::iterator place) {
    place->place_ = place;
    ++alive_;
    wake(*place);
}

void Scheduler::run_until_idle() {
    RONDE_CHECK(current_ == nullptr, "run_until_idle() is called from outside of the fibers");
    while (!queue_.empty()) {
        if (Task const* const later = queue_.peek(kTaskAhead); later != nullptr)
            __builtin_prefetch(later);
        if (Task const* const soon = queue_.peek(kStackAhead); soon != nullptr)
            soon->fiber_.prefetch();
        Task& task = *queue_.pop();
        task.queued_ = false;
        if (!task.fiber_.ended()) {
            Turn const turn(*this, task);
            task.fiber_.resume();
        } else {
            settle(task);  // it was woken after its last park
        }
    }
}

/// Forgets a task that has ended, unless the queue still names it.
void Scheduler::settle(Task& task) noexcept {
    if (!task.queued_)
        tasks_.erase(task.place_);
}

}  // namespace ronde::fiber
