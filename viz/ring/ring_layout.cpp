#include "ring/ring_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ronde::viz {
namespace {

constexpr Tenths kSmallestRadius = 1'100;
/// Above this, numbers do not fit into nodes.
constexpr std::uint32_t kNumbersInside = 100;
/// Numbers outside of a large ring, about.
constexpr std::uint32_t kNumbersOutside = 32;

Tenths node_for(std::uint32_t ranks) {
    if (ranks <= 16)
        return 380;
    return ranks <= kNumbersInside ? 260 : 120;
}

/// The radius at which nodes have room for an arrow between them, or in a large ring just a little room.
Tenths radius_for(std::uint32_t ranks, Tenths node) {
    Tenths const percent = ranks <= 16 ? 180 : ranks <= kNumbersInside ? 160 : 133;
    Tenths const circumference = static_cast<Tenths>(ranks) * node * percent / 100;
    return std::max(kSmallestRadius, circumference * 1'000 / 6'283);
}

std::uint32_t power_of_two_from(std::uint32_t value) {
    std::uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

}  // namespace

RingLayout::RingLayout(std::uint32_t count)
    : ranks(count), radius(radius_for(count, node_for(count))), node(node_for(count)),
      font(count <= 16               ? 15
           : count <= kNumbersInside ? 11
                                     : 0),
      text(static_cast<std::uint32_t>(std::max<Tenths>(12, radius / 330))),
      title(static_cast<std::uint32_t>(std::max<Tenths>(18, radius / 190))), numbers_inside(count <= kNumbersInside),
      number_every(power_of_two_from(std::max(1U, count / kNumbersOutside))) {}

Place RingLayout::around(std::uint32_t step, std::uint32_t steps, Tenths out) const {
    double const angle = 2.0 * std::numbers::pi * static_cast<double>(step) / static_cast<double>(steps);
    auto const length = static_cast<double>(radius + out);
    return {std::llround(length * std::sin(angle)), std::llround(length * std::cos(angle))};
}

std::string pinned(Place place) {
    auto const number = [](Tenths value) {
        return fmt::format("{}{}.{}", value < 0 ? "-" : "", std::abs(value) / 10, std::abs(value) % 10);
    };
    return fmt::format("{},{}!", number(place.x), number(place.y));
}

std::string inches(Tenths length) {
    Tenths const thousandths = length * 100 / 72;
    return fmt::format("{}.{:03}", thousandths / 1'000, thousandths % 1'000);
}

}  // namespace ronde::viz
