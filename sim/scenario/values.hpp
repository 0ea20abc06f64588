/// The values of a scenario as text: what stands in a file, on a command line and in a report is one and the same.
///
/// Every `*_from` gives the value or one line that says what was given and what is expected, without naming the key.
/// Every `*_text` writes the shortest text that reads back as exactly the same value. No floating point: "1.5k" is
/// read digit by digit, and "0.3" of something indivisible is refused.
#pragma once

#include "world/plan.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {

template <class T>
using Read = tl::expected<T, std::string>;

/// "98304", "98k", "1.5M", "64Ki": k and M count in thousands, Ki and Mi in 1024s.
[[nodiscard]] Read<std::uint64_t> count_from(std::string_view text, std::uint64_t least, std::uint64_t most);
[[nodiscard]] std::string count_text(std::uint64_t count);

/// "64", "64B", "4KiB", "2.5MB", "1GiB".
[[nodiscard]] Read<std::uint64_t> size_from(std::string_view text, std::uint64_t least, std::uint64_t most);
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// Bytes per second: "1.25GB/s", "10Gbit/s", "800MiB/s"; "0" for no limit.
[[nodiscard]] Read<std::uint64_t> rate_from(std::string_view text);
[[nodiscard]] std::string rate_text(std::uint64_t bytes_per_second);

/// Parts of a million: "2%", "0.05%", "300ppm".
[[nodiscard]] Read<std::uint32_t> share_from(std::string_view text);
[[nodiscard]] std::string share_text(std::uint32_t per_million);

/// "20us", "1.5ms", "2s", "1m", "1h", within least..most; "never" is kNever where `never_allowed`.
[[nodiscard]] Read<TimeNs> time_from(std::string_view text, TimeNs least_ns, TimeNs most_ns, bool never_allowed);
[[nodiscard]] std::string time_text(TimeNs time_ns);

[[nodiscard]] Read<bool> flag_from(std::string_view text);

/// "0-15, 17": ascending or not, each rank at most once.
[[nodiscard]] Read<std::vector<RankRange>> ranks_from(std::string_view text);
[[nodiscard]] std::string ranks_text(std::vector<RankRange> const& ranges);

/// "8" or "8, 4, 2": each 1..most.
[[nodiscard]] Read<std::vector<std::uint32_t>> counts_from(std::string_view text, std::uint32_t most);
[[nodiscard]] std::string counts_text(std::vector<std::uint32_t> const& counts);

/// "rank 5 enters connecting_ring": the rank and the phase of a trigger, its time stays as it is.
[[nodiscard]] Read<Trigger> trigger_from(std::string_view text);
[[nodiscard]] std::string trigger_text(Trigger const& trigger);

}  // namespace ronde::sim
