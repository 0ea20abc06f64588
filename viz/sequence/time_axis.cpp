#include "sequence/time_axis.hpp"

#include "timeline/time_text.hpp"

#include <algorithm>

namespace ronde::viz {
namespace {

using protocol::TimeNs;

constexpr Tenths kFoldHeight = 360;
constexpr Tenths kHeightOfMoment = 300;
constexpr Tenths kLeastHeight = 3'800;
constexpr Tenths kMostHeight = 22'000;

std::vector<TimeNs> gaps_between(std::vector<TimeNs> const& moments) {
    std::vector<TimeNs> gaps;
    for (std::size_t i = 1; i < moments.size(); ++i)
        gaps.push_back(moments[i] - moments[i - 1]);
    return gaps;
}

/// Gaps of so many ns are folded, kNever: none. A gap is idle when it takes as much room as half of all that is
/// shorter, and most gaps are shorter: a picture of few moments, all far apart, is to scale.
TimeNs folded_from(std::vector<TimeNs> gaps) {
    constexpr std::size_t kLeastMoments = 4;
    std::sort(gaps.begin(), gaps.end());
    TimeNs shorter_ns = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        if (i >= kLeastMoments && i >= gaps.size() / 2 && gaps[i] >= shorter_ns / 2)
            return gaps[i];
        shorter_ns += gaps[i];
    }
    return protocol::kNever;
}

TimeNs rounded_down(TimeNs time_ns, TimeNs grain_ns) { return time_ns - time_ns % std::max<TimeNs>(1, grain_ns); }

}  // namespace

TimeAxis::TimeAxis(std::vector<TimeNs> moments, Tenths top) {
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    std::vector<TimeNs> const gaps = gaps_between(moments);
    TimeNs const fold_ns = folded_from(gaps);

    TimeNs scaled_ns = 0;
    for (TimeNs const gap : gaps)
        scaled_ns += gap < fold_ns ? gap : 0;
    scaled_time_ns_ = std::max<TimeNs>(1, scaled_ns);
    scaled_height_ = std::clamp(static_cast<Tenths>(moments.size()) * kHeightOfMoment, kLeastHeight, kMostHeight);

    pieces_.push_back({moments.front(), moments.front(), top, top, false});
    for (std::size_t i = 0; i < gaps.size(); ++i)
        add_piece(moments[i + 1], gaps[i] >= fold_ns);
}

void TimeAxis::add_piece(TimeNs until_ns, bool folded) {
    if (folded || pieces_.back().folded) {
        Piece const last = pieces_.back();
        pieces_.push_back({last.until_ns, last.until_ns, last.bottom, last.bottom, folded});
    }
    // From the piece's beginning, so that errors of rounding do not add up.
    Piece& piece = pieces_.back();
    piece.until_ns = until_ns;
    piece.bottom = piece.top + (folded ? kFoldHeight : (until_ns - piece.from_ns) * scaled_height_ / scaled_time_ns_);
}

Tenths TimeAxis::at(TimeNs time_ns) const {
    if (time_ns < pieces_.front().from_ns)
        return top() - (pieces_.front().from_ns - time_ns) * scaled_height_ / scaled_time_ns_;
    auto const piece =
        std::find_if(pieces_.begin(), pieces_.end(), [time_ns](Piece const& each) { return time_ns <= each.until_ns; });
    if (piece == pieces_.end())
        return bottom() + (time_ns - pieces_.back().until_ns) * scaled_height_ / scaled_time_ns_;
    if (piece->from_ns == piece->until_ns)
        return piece->top;
    return piece->top + (time_ns - piece->from_ns) * (piece->bottom - piece->top) / (piece->until_ns - piece->from_ns);
}

std::vector<TimeAxis::Tick> TimeAxis::ticks(Tenths least_distance) const {
    TimeNs const step_ns = round_step(std::max<TimeNs>(1, least_distance * 2 * scaled_time_ns_ / scaled_height_));
    std::vector<Tick> ticks;
    auto const add = [&](TimeNs at_ns, TimeNs text_ns) {
        Tenths const y = at(at_ns);
        if (ticks.empty() || y - ticks.back().y >= least_distance)
            ticks.push_back({at_ns, y, text_ns == 0 ? "0" : exact_time(text_ns)});
    };
    add(pieces_.front().from_ns, rounded_down(pieces_.front().from_ns, step_ns / 10));
    for (Piece const& piece : pieces_) {
        if (piece.folded) {
            add(piece.until_ns, rounded_down(piece.until_ns, step_ns / 10));
            continue;
        }
        for (TimeNs at_ns = (piece.from_ns / step_ns + 1) * step_ns; at_ns <= piece.until_ns; at_ns += step_ns)
            add(at_ns, at_ns);
    }
    return ticks;
}

}  // namespace ronde::viz
