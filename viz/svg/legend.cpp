#include "svg/legend.hpp"

#include "svg/text_size.hpp"

#include <utility>

namespace ronde::viz {
namespace {

constexpr Tenths kNameSize = 105;
constexpr Tenths kGap = 60;

}  // namespace

void Legend::add(std::string name, Sample sample) {
    Tenths const width = kSampleWidth + kGap + text_width(name, kNameSize) + 4 * kGap;
    Tenths row = items_.empty() ? 0 : items_.back().row;
    if (next_x_ != 0 && next_x_ + width > width_) {
        next_x_ = 0;
        ++row;
    }
    items_.push_back({std::move(name), std::move(sample), next_x_, row});
    next_x_ += width;
}

void Legend::draw(Svg& svg, Place corner) const {
    for (Item const& item : items_) {
        Place const at{corner.x + item.x, corner.y + item.row * kRowHeight + kRowHeight / 2};
        item.sample(svg, {at.x + kSampleWidth / 2, at.y});
        svg.text({at.x + kSampleWidth + kGap, at.y + kNameSize / 3}, item.name, {.size = kNameSize});
    }
}

}  // namespace ronde::viz
