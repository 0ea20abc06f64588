/// One pretended world: what it is, and what it cost.
#pragma once

#include "protocol/policy.hpp"

#include <cstdint>

namespace ronde::bench {

struct SimLine {
    protocol::Profile profile = protocol::Profile::ronde;
    std::uint32_t nranks = 0;
    std::uint32_t nroots = 1;
    bool fast_forward = true;
};

/// Plain bytes, for a pipe.
struct SimMeasured {
    std::uint64_t ready = 0;
    double wall_s = 0;
    double cpu_s = 0;
    std::uint64_t events = 0;
    std::uint64_t messages = 0;  ///< played one by one
    std::uint64_t skipped_frames = 0;
    std::int64_t table_ns = 0;
    std::uint64_t accounted_bytes = 0;
    std::uint64_t peak_bytes = 0;
    std::uint64_t digest_high = 0;
    std::uint64_t digest_low = 0;
};

/// In this process.
[[nodiscard]] SimMeasured measure(SimLine const& line);

/// "--world PROFILE RANKS ROOTS FORWARD": measures it and writes SimMeasured to standard output. An exit status.
[[nodiscard]] int measure_for_parent(int argc, char** argv);

/// By a program that answers as above, so that its memory is that of this world alone. False: it failed.
[[nodiscard]] bool measure_by(char const* program, SimLine const& line, SimMeasured& measured);

}  // namespace ronde::bench
