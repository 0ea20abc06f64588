/// Explains the signs of a picture below it: samples with their names, in rows as wide as the picture.
#pragma once

#include "svg/svg.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ronde::viz {

class Legend {
public:
    /// Draws a sample around `middle`, at most kSampleWidth wide.
    using Sample = std::function<void(Svg&, Place middle)>;
    static constexpr Tenths kSampleWidth = 300;
    static constexpr Tenths kRowHeight = 190;

    /// Rows are at most `width` wide.
    explicit Legend(Tenths width) : width_(width) {}

    void add(std::string name, Sample sample);
    [[nodiscard]] Tenths height() const { return items_.empty() ? 0 : (items_.back().row + 1) * kRowHeight; }
    void draw(Svg& svg, Place corner) const;

private:
    struct Item {
        std::string name;
        Sample sample;
        Tenths x;
        Tenths row;
    };
    Tenths width_;
    Tenths next_x_ = 0;
    std::vector<Item> items_;
};

}  // namespace ronde::viz
