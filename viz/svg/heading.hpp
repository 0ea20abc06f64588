/// What stands above a picture: its title, the verdict, and what kind of run it was.
#pragma once

#include "svg/svg.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ronde::viz {

struct HeadingText {
    std::string_view title;
    std::string_view subtitle;
    std::string_view verdict;  ///< left out of the subtitle, where it is the end of that
    bool good = true;          ///< otherwise the verdict is an alarm
};

class Heading {
public:
    static constexpr Tenths kMargin = 200;

    /// Lines are broken so that a picture of `width` holds them.
    Heading(HeadingText const& text, Tenths width);
    [[nodiscard]] Tenths height() const;
    /// From the upper left corner of the picture.
    void draw(Svg& svg) const;

private:
    std::string title_;
    std::vector<std::string> verdict_;
    std::vector<std::string> subtitle_;
    bool good_;
};

}  // namespace ronde::viz
