/// Finds room for labels: each is put where nothing else lies, or left out.
#pragma once

#include "svg/place.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ronde::viz {

class LabelRoom {
public:
    /// Nothing may lie outside of `page`.
    explicit LabelRoom(Box const& page) : page_(page) {}

    /// From now on nothing is put there.
    void occupy(Box const& box) { taken_.push_back(box); }
    /// A box for `text` around the first of `middles` that is free. nullptr: there is none. Valid until the next call.
    [[nodiscard]] Box const* put(std::string_view text, Tenths size, std::span<const Place> middles);

private:
    [[nodiscard]] bool free(Box const& box) const;

    Box page_;
    std::vector<Box> taken_;
};

}  // namespace ronde::viz
