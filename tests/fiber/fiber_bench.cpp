// What fibers cost: `ronde_fiber_bench [fibers ...]`, by default 1 000, 100 000 and 1 000 000 of them.
//
// A switch is one way: into a fiber, or out of it. Fibers are visited in the order of their making. Times are those of
// the thread's processor; the least of several rounds is shown, since everything that disturbs makes a round longer.
// The column `jump` is the floor on the machine at hand: Boost's jump_fcontext alone, on stacks of the same size.

#include "fiber/fiber.hpp"

#include "fiber/scheduler.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): more than C has

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::fiber {
namespace {

/// Of this thread alone: other programs on the machine must not count.
double cpu_ns() {
    timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

/// A line of /proc/self/status, in bytes.
double status_bytes(std::string_view key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(key))
            return 1024.0 * std::strtod(line.c_str() + key.size() + 1, nullptr);
    }
    return 0;
}

double memory_bytes() { return status_bytes("VmRSS") + status_bytes("VmPTE"); }

/// Few fibers need many visits until a clock can tell their cost.
std::size_t visits_for(std::size_t fibers) { return std::max<std::size_t>(1'000'000 / fibers, 1); }

template <class Visit>
double least_ns_per_switch(std::size_t fibers, Visit&& visit) {
    double least_ns = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 9; ++round) {
        std::size_t const visits = visits_for(fibers);
        double const start_ns = cpu_ns();
        for (std::size_t index = 0; index < visits; ++index)
            visit();
        least_ns = std::min(least_ns, (cpu_ns() - start_ns) / static_cast<double>(visits * fibers * 2));
    }
    return least_ns;
}

[[noreturn]] void give_up(StackError const& error) {
    fmt::print(stderr, "ronde_fiber_bench: {}\n", error.message());
    std::exit(1);
}

/// The two assembly functions and nothing else.
double jump_ns(std::size_t count) {
    namespace context = boost::context::detail;
    std::size_t const stack_bytes = StackOptions{}.stack_bytes;
    void* const memory = ::mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        give_up({stack_bytes, 0, count * stack_bytes, errno});
    ::madvise(memory, count * stack_bytes, MADV_NOHUGEPAGE);
    std::vector<context::fcontext_t> contexts;
    contexts.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        std::byte* const top = static_cast<std::byte*>(memory) + (index + 1) * stack_bytes;
        contexts.push_back(context::make_fcontext(top, stack_bytes, [](context::transfer_t from) {
            for (;;)
                from = context::jump_fcontext(from.fctx, nullptr);
        }));
    }
    double const least_ns = least_ns_per_switch(count, [&] {
        for (context::fcontext_t& context : contexts)
            context = context::jump_fcontext(context, nullptr).fctx;
    });
    ::munmap(memory, count * stack_bytes);
    return least_ns;
}

/// Switches alone: resume() and park() of one fiber after the other.
double bare_switch_ns(std::size_t count, StackOptions const& options) {
    StackPool pool(options);
    std::deque<Fiber> fibers;
    for (std::size_t index = 0; index < count; ++index) {
        auto stack = pool.take();
        if (!stack)
            give_up(stack.error());
        fibers.emplace_back(std::move(*stack), "bench", [] {
            for (;;)
                Fiber::park();
        });
        fibers.back().resume();
    }
    return least_ns_per_switch(count, [&] {
        for (Fiber& fiber : fibers)
            fiber.resume();
    });
}

struct Line {
    double spawn_ns = 0;
    double again_ns = 0;  ///< spawn on a stack that was used before
    double yield_ns = 0;
    double memory_bytes = 0;
    StackMemory stacks;
};

/// A scheduler as programs see it: everyone yields once, then the loop has its turn.
Line with_scheduler(std::size_t count, StackOptions const& options) {
    Line line;
    double const before_bytes = memory_bytes();
    Scheduler scheduler(options);
    bool stop = false;
    std::vector<Scheduler::Task*> tasks;
    tasks.reserve(count);
    auto const program = [&] {
        tasks.push_back(&scheduler.current());
        while (!stop)
            scheduler.park();
    };
    auto const spawn_all = [&] {
        tasks.clear();
        stop = false;
        double const start_ns = cpu_ns();
        for (std::size_t index = 0; index < count; ++index) {
            if (auto const spawned = scheduler.spawn("bench", program); !spawned)
                give_up(spawned.error());
        }
        scheduler.run_until_idle();
        return (cpu_ns() - start_ns) / static_cast<double>(count);
    };
    auto const wake_all = [&] {
        for (Scheduler::Task* const task : tasks)
            scheduler.wake(*task);
        scheduler.run_until_idle();
    };
    line.spawn_ns = spawn_all();
    line.memory_bytes = memory_bytes() - before_bytes;
    line.stacks = scheduler.stacks().measure();
    line.yield_ns = least_ns_per_switch(count, wake_all);
    stop = true;
    wake_all();
    line.again_ns = spawn_all();
    return line;
}

void print(std::size_t count, char const* guards, StackOptions const& options) {
    double const floor_ns = jump_ns(count);
    double const bare_ns = bare_switch_ns(count, options);
    Line const line = with_scheduler(count, options);
    fmt::print("{:>9} {:>8} {:>8.1f} {:>12.1f} {:>16.1f} {:>11.0f} {:>11.0f} {:>13.0f} {:>12.0f} {:>10}\n", count,
               guards, floor_ns, bare_ns, line.yield_ns, line.spawn_ns, line.again_ns,
               line.memory_bytes / static_cast<double>(count),
               static_cast<double>(line.stacks.resident_bytes) / static_cast<double>(count), line.stacks.deepest_bytes);
    std::fflush(stdout);
}

int run(std::vector<std::size_t> counts) {
    if (counts.empty())
        counts = {1'000, 100'000, 1'000'000};
    fmt::print("{:>9} {:>8} {:>8} {:>12} {:>16} {:>11} {:>11} {:>13} {:>12} {:>10}\n", "fibers", "guards", "jump",
               "ns / switch", "ns / switch with", "ns / first", "ns / later", "bytes / fiber", "of these in",
               "deepest");
    fmt::print("{:>9} {:>8} {:>8} {:>12} {:>16} {:>11} {:>11} {:>13} {:>12} {:>10}\n", "", "", "alone", "bare",
               "wake and queue", "spawn", "spawn", "all in all", "stacks", "bytes");
    for (std::size_t const count : counts) {
        print(count, "light", {.max_stacks = count});
        print(count, "canary", {.max_stacks = count, .guards = GuardPolicy::canary});
    }
    return 0;
}

}  // namespace
}  // namespace ronde::fiber

int main(int argc, char** argv) {
    std::vector<std::size_t> counts;
    for (int index = 1; index < argc; ++index) {
        std::size_t const count = std::strtoull(argv[index], nullptr, 10);
        if (count == 0) {
            fmt::print(stderr,
                       "ronde_fiber_bench: '{}' is no number of fibers; usage: ronde_fiber_bench [fibers ...]\n",
                       argv[index]);
            return 2;
        }
        counts.push_back(count);
    }
    return ronde::fiber::run(std::move(counts));
}
