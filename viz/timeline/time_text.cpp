#include "timeline/time_text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace ronde::viz {
namespace {

using protocol::TimeNs;

struct Unit {
    TimeNs ns;
    std::string_view name;
};
constexpr std::array<Unit, 4> kUnits{
    {{protocol::kSecondNs, "s"}, {protocol::kMillisecondNs, "ms"}, {protocol::kMicrosecondNs, "us"}, {1, "ns"}}};

Unit const& unit_of(TimeNs time_ns) {
    for (Unit const& unit : kUnits) {
        if (time_ns >= unit.ns)
            return unit;
    }
    return kUnits.back();
}

}  // namespace

std::string about_time(TimeNs time_ns) {
    Unit const* unit = &unit_of(time_ns);
    if (unit->ns == 1)
        return fmt::format("{} ns", time_ns);
    // A thousand of a unit after rounding is one of the next: 999.96 us is 1.00 ms.
    for (;;) {
        TimeNs const whole = time_ns / unit->ns;
        int const decimals = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
        TimeNs parts = 1;
        for (int i = 0; i < decimals; ++i)
            parts *= 10;
        TimeNs const grain = unit->ns / parts;
        TimeNs const rounded = (time_ns + grain / 2) / grain;
        if (rounded / parts >= 1'000 && unit->ns != protocol::kSecondNs) {
            --unit;
            continue;
        }
        if (decimals == 0)
            return fmt::format("{} {}", rounded, unit->name);
        return fmt::format("{}.{:0{}} {}", rounded / parts, rounded % parts, decimals, unit->name);
    }
}

std::string exact_time(TimeNs time_ns) {
    Unit const& unit = unit_of(time_ns);
    std::string text = fmt::format("{}", time_ns / unit.ns);
    if (TimeNs const rest = time_ns % unit.ns; rest != 0) {
        std::string fraction = fmt::format("{}", unit.ns + rest).substr(1);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        text += "." + fraction;
    }
    return fmt::format("{} {}", text, unit.name);
}

std::string in_groups(std::uint64_t count) {
    std::string text = fmt::format("{}", count);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), " ");
    return text;
}

std::int64_t round_step(std::int64_t least) {
    for (std::int64_t ten = 1;; ten *= 10) {
        for (std::int64_t const digit : {1, 2, 5}) {
            if (digit * ten >= least)
                return digit * ten;
        }
    }
}

}  // namespace ronde::viz
