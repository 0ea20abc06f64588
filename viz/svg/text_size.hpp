/// How much room a text takes, without a font library: good enough to keep labels apart.
#pragma once

#include "svg/place.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::viz {

/// Width of a line of Helvetica (Arial and Liberation Sans are the same to the digit) of `size` tenths, in tenths;
/// bold is taken as a tenth wider. UTF-8; what is not ASCII counts as a wide letter.
[[nodiscard]] Tenths text_width(std::string_view line, Tenths size, bool bold = false);

/// `line`, or its beginning and "…" so that it is at most `room` wide. Never cut within a UTF-8 character.
[[nodiscard]] std::string shortened_to(std::string_view line, Tenths size, Tenths room);

/// Lines that are at most `room` wide, broken at spaces where there are any; a word that is too long alone is cut.
[[nodiscard]] std::vector<std::string> wrapped_to(std::string_view text, Tenths size, Tenths room);

}  // namespace ronde::viz
