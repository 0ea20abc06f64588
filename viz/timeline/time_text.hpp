/// Times and counts as people read them.
#pragma once

#include "protocol/units.hpp"

#include <cstdint>
#include <string>

namespace ronde::viz {

/// Three digits: "850 ns", "20.0 us", "2.32 ms", "12.4 s". Not negative.
[[nodiscard]] std::string about_time(protocol::TimeNs time_ns);
/// All digits that are not trailing zeros: "1.00004 s", "250 us".
[[nodiscard]] std::string exact_time(protocol::TimeNs time_ns);
/// "98 304".
[[nodiscard]] std::string in_groups(std::uint64_t count);

/// The least of 1, 2, 5, 10, 20, 50 ... that is `least` or more; least >= 1.
[[nodiscard]] std::int64_t round_step(std::int64_t least);

}  // namespace ronde::viz
