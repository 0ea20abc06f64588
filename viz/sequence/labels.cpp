#include "sequence/labels.hpp"

#include "svg/text_size.hpp"

#include <algorithm>

namespace ronde::viz {

Box const* LabelRoom::put(std::string_view text, Tenths size, std::span<const Place> middles) {
    constexpr Tenths kMargin = 20;
    // Where Helvetica is missing another font takes its place, and some of them are wider.
    Tenths const width = text_width(text, size) * 115 / 100 + kMargin;
    Tenths const height = size + kMargin;
    for (Place const& middle : middles) {
        Box const box{middle.x - width / 2, middle.y - height / 2, width, height};
        if (free(box)) {
            taken_.push_back(box);
            return &taken_.back();
        }
    }
    return nullptr;
}

bool LabelRoom::free(Box const& box) const {
    bool const inside = box.x >= page_.x && box.y >= page_.y && box.x + box.width <= page_.x + page_.width &&
                        box.y + box.height <= page_.y + page_.height;
    return inside && std::none_of(taken_.begin(), taken_.end(), [&](Box const& other) { return box.overlaps(other); });
}

}  // namespace ronde::viz
