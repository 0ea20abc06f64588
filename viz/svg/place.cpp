#include "svg/place.hpp"

#include <charconv>
#include <cmath>
#include <numbers>

namespace ronde::viz {

void append_length(std::string& out, Tenths length) {
    char digits[24];
    if (length < 0) {
        out += '-';
        length = -length;
    }
    auto const end = std::to_chars(digits, digits + sizeof digits, length / 10).ptr;
    out.append(digits, end);
    if (length % 10 != 0) {
        out += '.';
        out += static_cast<char>('0' + length % 10);
    }
}

std::string length_text(Tenths length) {
    std::string out;
    append_length(out, length);
    return out;
}

Place on_circle(Place middle, Tenths radius, std::int64_t part, std::int64_t parts) {
    double const angle = 2.0 * std::numbers::pi * static_cast<double>(part) / static_cast<double>(parts);
    auto const length = static_cast<double>(radius);
    return {middle.x + std::llround(length * std::sin(angle)), middle.y - std::llround(length * std::cos(angle))};
}

}  // namespace ronde::viz
