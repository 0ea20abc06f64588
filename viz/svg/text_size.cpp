#include "svg/text_size.hpp"

#include <algorithm>
#include <array>

namespace ronde::viz {
namespace {

/// Thousandths of the size, for ' ' to '~': the advance widths of Helvetica's metrics.
constexpr std::array<std::uint16_t, 95> kAdvance = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  // space to /
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // @ to O
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // P to _
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // ` to o
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};      // p to ~
constexpr Tenths kWide = 1'000;

/// A byte that goes on with a character of UTF-8.
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

Tenths advance_of(char c) {
    auto const code = static_cast<unsigned char>(c);
    if (code >= 0x80U)
        return goes_on(c) ? 0 : kWide;
    return code >= 0x20U && code < 0x7fU ? kAdvance[code - 0x20U] : 0;
}

/// How many bytes of `line` fit into `room`, whole characters only.
std::size_t bytes_that_fit(std::string_view line, Tenths size, Tenths room) {
    Tenths thousandths = 0;
    std::size_t end = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        thousandths += advance_of(line[i]);
        if (thousandths * size / 1'000 > room)
            break;
        if (i + 1 == line.size() || !goes_on(line[i + 1]))
            end = i + 1;
    }
    return end;
}

}  // namespace

Tenths text_width(std::string_view line, Tenths size, bool bold) {
    Tenths thousandths = 0;
    for (char const c : line)
        thousandths += advance_of(c);
    return thousandths * size / (bold ? 909 : 1'000);
}

std::string shortened_to(std::string_view line, Tenths size, Tenths room) {
    if (text_width(line, size) <= room)
        return std::string(line);
    constexpr std::string_view kMore = "…";
    std::size_t const end = bytes_that_fit(line, size, room - text_width(kMore, size));
    return std::string(line.substr(0, end)) + std::string(kMore);
}

std::vector<std::string> wrapped_to(std::string_view text, Tenths size, Tenths room) {
    std::vector<std::string> lines;
    while (text_width(text, size) > room) {
        std::size_t const fits = std::max<std::size_t>(1, bytes_that_fit(text, size, room));
        std::size_t cut = text.rfind(' ', fits);
        if (cut == std::string_view::npos || cut == 0)
            cut = fits;
        lines.emplace_back(text.substr(0, cut));
        text.remove_prefix(cut);
        text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    }
    if (!text.empty())
        lines.emplace_back(text);
    return lines;
}

}  // namespace ronde::viz
