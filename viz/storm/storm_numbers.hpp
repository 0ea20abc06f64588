/// What a root's listener went through, and what its ranks paid for it, in numbers.
#pragma once

#include "chronicle/chronicle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

/// A number that holds from one time until the next.
struct StormPoint {
    TimeNs at_ns = 0;
    std::uint64_t value = 0;
    friend bool operator==(StormPoint const&, StormPoint const&) = default;
};

/// How long the ranks of one class stayed in a phase, from entering it for the first time to entering the next one.
/// Exact: the q-quantile of n ranks is the one with number q * (n - 1), rounded down, in the order of their times.
struct PhaseQuantiles {
    protocol::Phase phase = protocol::Phase::created;
    std::string rank_class;  ///< "all ranks", "first of a block", "others", "hosts of 8 ranks"
    std::uint32_t ranks = 0;
    TimeNs least_ns = 0;
    TimeNs median_ns = 0;
    TimeNs p99_ns = 0;
    TimeNs most_ns = 0;
};

struct StormNumbers {
    std::uint32_t backlog = 0;  ///< 0: not known
    std::uint32_t nranks = 0;
    TimeNs end_ns = 0;                    ///< of the common axis: the last sample, or the last rank that was ready
    TimeNs rate_interval_ns = 0;          ///< over which rates are taken; 0: there are none
    std::vector<StormPoint> queue_depth;  ///< connections that wait to be accepted
    std::vector<StormPoint> accepts_per_second;  ///< one for each interval
    std::vector<StormPoint> syn_drops;           ///< from here on: counts from the beginning
    std::vector<StormPoint> ghosts;
    std::vector<StormPoint> syn_retransmits;
    std::vector<StormPoint> data_retransmits;
    std::vector<StormPoint> checked_in;
    std::vector<std::uint64_t> calls_after_retries;  ///< connections that stood after 0, 1, 2 ... SYNs sent again
    std::vector<PhaseQuantiles> phases;              ///< by phase, then class
};

[[nodiscard]] StormNumbers storm_numbers(Chronicle const& chronicle);

/// All of them, one in a line: what, of what, at which time, value. Times in ns, rates per second; header included.
[[nodiscard]] std::string storm_csv(StormNumbers const& numbers);

}  // namespace ronde::viz
