/// What stands above a picture: its title, the verdict, and what kind of run it was.
#pragma once

#include "chronicle/chronicle.hpp"
#include "svg/svg.hpp"

#include <string>
#include <vector>

namespace ronde::viz {

class Heading {
public:
    static constexpr Tenths kMargin = 200;

    /// Lines are broken so that a picture of `width` holds them.
    Heading(Chronicle const& chronicle, Tenths width);
    [[nodiscard]] Tenths height() const;
    /// From the upper left corner of the picture.
    void draw(Svg& svg) const;

private:
    std::string title_;
    std::vector<std::string> verdict_;
    std::vector<std::string> subtitle_;
    bool ready_;
};

}  // namespace ronde::viz
