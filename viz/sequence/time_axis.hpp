/// Time downwards: to scale where something happens, folded where nothing does.
#pragma once

#include "protocol/units.hpp"
#include "svg/place.hpp"

#include <span>
#include <string>
#include <vector>

namespace ronde::viz {

class TimeAxis {
public:
    struct Piece {
        protocol::TimeNs from_ns = 0;
        protocol::TimeNs until_ns = 0;
        Tenths top = 0;
        Tenths bottom = 0;
        bool folded = false;  ///< idle, and not to scale
    };
    struct Tick {
        protocol::TimeNs at_ns = 0;
        Tenths y = 0;
        std::string text;  ///< "120 us"
    };

    /// From `top` down. `moments`: when something happens, in any order, at least one.
    TimeAxis(std::vector<protocol::TimeNs> moments, Tenths top);

    /// Before the first moment and after the last one the scale goes on.
    [[nodiscard]] Tenths at(protocol::TimeNs time_ns) const;
    [[nodiscard]] std::span<const Piece> pieces() const noexcept { return pieces_; }
    [[nodiscard]] Tenths top() const noexcept { return pieces_.front().top; }
    [[nodiscard]] Tenths bottom() const noexcept { return pieces_.back().bottom; }
    /// Round times, and where the axis goes on after a fold; at least `least_distance` apart.
    [[nodiscard]] std::vector<Tick> ticks(Tenths least_distance) const;

private:
    void add_piece(protocol::TimeNs until_ns, bool folded);

    std::vector<Piece> pieces_;
    Tenths scaled_height_ = 0;             ///< of all pieces that are to scale ...
    protocol::TimeNs scaled_time_ns_ = 1;  ///< ... and how much time they are
};

}  // namespace ronde::viz
