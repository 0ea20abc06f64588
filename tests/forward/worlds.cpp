#include "forward/worlds.hpp"

#include "engine/draw.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::sim {
namespace {

using protocol::Gather;
using protocol::kSecondNs;
using protocol::TimeNs;
using protocol::Turns;

class Numbers {
public:
    explicit Numbers(std::uint64_t number) : draws_(number, 0x776f'726c'6473U) {}
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(sim::below(draws_.at(counter_++), n)); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

private:
    Draws draws_;
    std::uint64_t counter_ = 0;
};

Distribution random_kind(Numbers& numbers, bool constant) {
    TimeNs const scale_ns = numbers.one_in(6) ? 3 : 1 + numbers.below(40'000);
    switch (constant ? 0U : numbers.below(5)) {
    case 0: return Distribution::constant(numbers.one_in(8) ? 0 : scale_ns);
    case 1: return Distribution::uniform(scale_ns / 2, scale_ns * 3);
    case 2: return Distribution::exponential(scale_ns);
    case 3: return Distribution::log_normal(scale_ns, 100 + numbers.below(900));
    default:  // one frame of many takes longer than 32 bits of nanoseconds can say
        return Distribution::bimodal(scale_ns, numbers.one_in(2) ? 5 * kSecondNs : 200 * scale_ns, 20'000);
    }
}

LinkDelays random_delays(Numbers& numbers, std::uint32_t nranks, bool constant) {
    LinkDelays delays;
    delays.kinds.clear();
    for (std::uint32_t kinds = 1 + numbers.below(3); kinds > 0; --kinds)
        delays.kinds.push_back(random_kind(numbers, constant));
    if (delays.kinds.size() > 1) {
        for (std::uint32_t r = 0; r < nranks; ++r)
            delays.kind_of_link.push_back(
                static_cast<std::uint8_t>(numbers.below(static_cast<std::uint32_t>(delays.kinds.size()))));
    }
    if (numbers.one_in(2)) {
        for (std::uint32_t r = 0; r < nranks; ++r)
            delays.constant_ns.push_back(numbers.below(30'000));
    }
    return delays;
}

}  // namespace

RingForward random_ring(std::uint64_t number, Dice const& dice) {
    Numbers numbers(number);
    RingForward ring;
    ring.seed = number;
    ring.operation = numbers.below(3);
    std::uint32_t const most = numbers.one_in(3) ? dice.largest : std::min(dice.largest, 24U);
    ring.nranks = 1 + numbers.below(most);
    ring.gather = numbers.one_in(2) ? Gather::ring : Gather::ring2;
    constexpr Turns kTurns[] = {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths, Turns::send_then_receive};
    ring.turns = kTurns[numbers.below(4)];
    ring.slice_bytes = numbers.below(5'000);
    if (numbers.one_in(3))
        ring.bytes_per_second = 1'000'000ULL * (1 + numbers.below(500));
    ring.forward = random_delays(numbers, ring.nranks, dice.constant_delays);
    ring.backward = random_delays(numbers, ring.nranks, dice.constant_delays);
    if (!numbers.one_in(3)) {
        TimeNs const skew_ns = numbers.one_in(4) ? 5 : 1'000'000;
        for (std::uint32_t r = 0; r < ring.nranks; ++r)
            ring.start_ns.push_back(numbers.below(static_cast<std::uint32_t>(skew_ns)));
        if (numbers.one_in(4))
            ring.start_ns[numbers.below(ring.nranks)] += 60 * kSecondNs;  // a straggler
    }
    bool const one_way = ring.gather == Gather::ring || ring.nranks <= 2;
    if (dice.service && one_way && numbers.one_in(2)) {
        bool const same = numbers.one_in(2);
        TimeNs const all_ns = numbers.below(20'000);
        for (std::uint32_t r = 0; r < ring.nranks; ++r)
            ring.service_ns.push_back(same ? all_ns : numbers.below(20'000));
    }
    return ring;
}

std::string words(RingForward const& ring) {
    std::string text = fmt::format("{} {}, {} ranks, operation {}, seed {}, {} B/s, {} starts, {} services, forward:",
                                   name_of(ring.gather), name_of(ring.turns), ring.nranks, ring.operation, ring.seed,
                                   ring.bytes_per_second, ring.start_ns.size(), ring.service_ns.size());
    for (Distribution const& kind : ring.forward.kinds)
        text += " (" + to_text(kind) + ")";
    text += ", backward:";
    for (Distribution const& kind : ring.backward.kinds)
        text += " (" + to_text(kind) + ")";
    return text;
}

}  // namespace ronde::sim
