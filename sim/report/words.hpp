/// Numbers as people read them. Rounded; for exact texts see scenario/values.hpp.
#pragma once

#include "protocol/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ronde::sim {

/// "850 ns", "20 us", "2.32 ms", "12.4 s".
[[nodiscard]] std::string about(protocol::TimeNs time_ns);
/// "768 B", "1.4 MiB".
[[nodiscard]] std::string about_bytes(std::uint64_t bytes);
/// "98304", "1.23 M", "4.5 G".
[[nodiscard]] std::string about_count(std::uint64_t count);
/// "1 root", "16 roots".
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view word);
/// "0-6, 8, 10-63, ...": a list that stays readable, cut where it would be longer than 40 letters.
[[nodiscard]] std::string shortened(std::string list);
/// "connecting ring" of connecting_ring.
[[nodiscard]] std::string spaced(std::string_view name);

}  // namespace ronde::sim
