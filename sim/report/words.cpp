#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::sim {
namespace {

/// `value` / `unit` with three digits at least, in integers: 2.32, 23.2, 232.
std::string ratio(std::uint64_t value, std::uint64_t unit, std::string_view name) {
    if (value >= unit * 100)
        return fmt::format("{} {}", (value + unit / 2) / unit, name);
    // Rounding may lead to the next size up: 9.996 is 10.0, not 10.00.
    std::uint64_t const hundredths = value * 100 / unit + (value * 100 % unit * 2 >= unit ? 1 : 0);
    if (hundredths >= 9'995)
        return fmt::format("100 {}", name);
    if (hundredths >= 1'000)
        return fmt::format("{}.{} {}", (hundredths + 5) / 100, (hundredths + 5) / 10 % 10, name);
    return fmt::format("{}.{:02} {}", hundredths / 100, hundredths % 100, name);
}

}  // namespace

std::string about(protocol::TimeNs time_ns) {
    auto const ns = static_cast<std::uint64_t>(time_ns);
    if (ns < 1'000)
        return fmt::format("{} ns", ns);
    if (ns < 1'000'000)
        return ratio(ns, 1'000, "us");
    if (ns < 1'000'000'000)
        return ratio(ns, 1'000'000, "ms");
    return ratio(ns / 1'000, 1'000'000, "s");
}

std::string about_bytes(std::uint64_t bytes) {
    if (bytes < 1'024)
        return fmt::format("{} B", bytes);
    if (bytes < (1U << 20))
        return ratio(bytes, 1U << 10, "KiB");
    if (bytes < (1U << 30))
        return ratio(bytes, 1U << 20, "MiB");
    return ratio(bytes >> 10, 1U << 20, "GiB");
}

std::string about_count(std::uint64_t count) {
    if (count < 1'000'000)
        return fmt::format("{}", count);
    if (count < 1'000'000'000)
        return ratio(count, 1'000'000, "M");
    return ratio(count / 1'000, 1'000'000, "G");
}

std::string plural(std::uint64_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string shortened(std::string list) {
    constexpr std::size_t kLongest = 40;
    if (list.size() <= kLongest)
        return list;
    auto const cut = list.rfind(", ", kLongest);
    return list.substr(0, cut == std::string::npos ? kLongest : cut) + ", ...";
}

std::string spaced(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

}  // namespace ronde::sim
