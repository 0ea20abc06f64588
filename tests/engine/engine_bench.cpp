/// What the engine costs, in nanoseconds: printed for people, asserted nowhere. The hold model pops the earliest event
/// and pushes it again a random time later, so that the number of pending events stays what it is.
#include "engine/digest.hpp"
#include "engine/distribution.hpp"
#include "engine/draw.hpp"
#include "engine/event_queue.hpp"
#include "engine/heap_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <queue>
#include <string_view>
#include <vector>

namespace ronde::sim {
namespace {

/// std::priority_queue with the interface of ours; not stable, which makes it cheaper.
class StandardQueue {
public:
    void push(TimeNs at_ns, std::uint32_t slot) { queue_.push({at_ns, slot}); }
    EventQueue::Popped pop() {
        EventQueue::Popped const first = queue_.top();
        queue_.pop();
        return first;
    }
    [[nodiscard]] static std::size_t bytes() { return 0; }

private:
    struct Later {
        bool operator()(EventQueue::Popped const& a, EventQueue::Popped const& b) const { return a.at_ns > b.at_ns; }
    };
    std::priority_queue<EventQueue::Popped, std::vector<EventQueue::Popped>, Later> queue_;
};

/// Processor time of one repetition, best of `kRounds`: other programs of the machine are not what is measured either.
template <class Work>
double ns_each(std::uint64_t repetitions, Work work) {
    constexpr int kRounds = 5;
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int round = 0; round < kRounds; ++round) {
        std::clock_t const start = std::clock();
        for (std::uint64_t i = 0; i < repetitions; ++i)
            work(i);
        best = std::min(best, std::clock() - start);
    }
    return static_cast<double>(best) * (1e9 / CLOCKS_PER_SEC) / static_cast<double>(repetitions);
}

std::uint64_t volatile sink;

/// Delays are drawn beforehand: they are not what is measured.
std::vector<TimeNs> delays_of(Distribution const& distribution) {
    std::vector<TimeNs> delays(1U << 16);
    for (std::uint64_t i = 0; i < delays.size(); ++i)
        delays[i] = distribution.draw(draw(1, 2, i));
    return delays;
}

template <class Queue>
void hold(std::string_view name, std::uint32_t pending, std::vector<TimeNs> const& delays) {
    Queue queue;
    for (std::uint32_t slot = 0; slot < pending; ++slot)
        queue.push(delays[slot % delays.size()], slot);
    std::uint64_t const repetitions = std::max(std::uint64_t{1'000'000}, std::uint64_t{3} * pending);
    double const ns = ns_each(repetitions, [&](std::uint64_t i) {
        auto const [at_ns, slot] = queue.pop();
        queue.push(at_ns + delays[i % delays.size()], slot);
    });
    fmt::print("  {:<22}{:>9} pending {:>7.1f} ns {:>7.1f} bytes an event\n", name, pending, ns,
               static_cast<double>(queue.bytes()) / pending);
}

void queues(std::string_view text) {
    auto const distribution = distribution_from(text);
    fmt::print("pop + push, delay {}\n", text);
    auto const delays = delays_of(*distribution);
    for (std::uint32_t const pending : {16U, 1'000U, 64'000U, 1'000'000U}) {
        hold<EventQueue>("EventQueue", pending, delays);
        hold<HeapQueue>("HeapQueue", pending, delays);
        hold<StandardQueue>("std::priority_queue", pending, delays);
    }
}

void small_things() {
    fmt::print("small things\n");
    auto const print = [](std::string_view name, double ns) { fmt::print("  {:<48}{:>7.2f} ns\n", name, ns); };

    print("a queue: construct, 8 events, destroy", ns_each(1'000'000, [](std::uint64_t i) {
              EventQueue queue;
              for (std::uint32_t slot = 0; slot < 8; ++slot)
                  queue.push(static_cast<TimeNs>(i + slot), slot);
              while (!queue.empty())
                  sink = queue.pop().slot;
          }));
    std::uint64_t sum = 0;
    print("draw(seed, stream, counter), new stream each",
          ns_each(20'000'000, [&](std::uint64_t i) { sum += draw(1, i, 3); }));
    Draws const draws{1, 2};
    print("Draws::at(counter)", ns_each(20'000'000, [&](std::uint64_t i) { sum += draws.at(i); }));
    for (std::string_view const text : {"20us", "uniform 10us..50us", "exponential 1ms", "normal 1.26s 70ms",
                                        "lognormal 20us 300", "bimodal 20us 5s 2%", "empirical 1us 2us 9us"}) {
        auto const distribution = distribution_from(text);
        print(fmt::format("Draws::at and {}", text), ns_each(20'000'000, [&](std::uint64_t i) {
                  sum += static_cast<std::uint64_t>(distribution->draw(draws.at(i)));
              }));
    }
    print("Distribution::log_normal, made", ns_each(1'000'000, [&](std::uint64_t i) {
              sum += static_cast<std::uint64_t>(Distribution::log_normal(static_cast<TimeNs>(i), 300).draw(i));
          }));

    std::array<std::byte, 256> record{};
    for (std::size_t const bytes : {8UL, 64UL, 256UL}) {
        RunningDigest digest;
        print(fmt::format("digest of {} bytes", bytes), ns_each(5'000'000, [&](std::uint64_t i) {
                  record[0] = static_cast<std::byte>(i);
                  digest.absorb(std::span{record}.first(bytes));
              }));
        sum += digest.value().low;
    }
    RunningDigest digest;
    print("digest of a number", ns_each(20'000'000, [&](std::uint64_t i) { digest.absorb(i); }));
    sink = sum + digest.value().low;
}

}  // namespace
}  // namespace ronde::sim

int main() {
    ronde::sim::small_things();
    ronde::sim::queues("exponential 1ms");
    ronde::sim::queues("lognormal 20us 300");
    ronde::sim::queues("exponential 1s");
    ronde::sim::queues("20us");
}
