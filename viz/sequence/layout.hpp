/// Where everything of a sequence diagram stands, before it is drawn.
#pragma once

#include "sequence/scene.hpp"
#include "sequence/time_axis.hpp"
#include "svg/phase_style.hpp"
#include "svg/place.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ronde::viz {

/// A message, or as much of it as the window shows.
struct SequenceArrow {
    std::uint32_t message = 0;  ///< index of Chronicle::messages
    Place from;
    Place to;
    bool arrives = false;  ///< `to` is where and when it was received
    bool lost = false;     ///< `to` is somewhere on its way: a cross
};

struct SequenceBand {
    Box box;
    PhaseLook look = PhaseLook::listening;
    std::string title;
};

struct SequenceMark {
    enum class Kind : std::uint8_t { timer, syn_again, call_failed, fault };
    Kind kind = Kind::timer;
    Place at;
    std::string title;
};
inline constexpr std::uint32_t kSequenceMarks = 4;

/// No two labels overlap, and none lies on a lifeline.
struct SequenceLabel {
    Box box;
    std::string text;
    bool alarm = false;
};

struct SequenceLine {
    Place from;
    Place to;
};

struct SequenceLayout {
    explicit SequenceLayout(TimeAxis time) : axis(std::move(time)) {}

    TimeAxis axis;
    std::vector<Tenths> column_x;  ///< by column of the scene
    std::vector<SequenceBand> bands;
    std::vector<SequenceArrow> arrows;   ///< in the order of the messages
    std::vector<SequenceLine> critical;  ///< along lifelines; critical arrows are in `arrows`
    std::vector<SequenceMark> marks;
    std::vector<SequenceLabel> labels;
    std::uint32_t labels_left_out = 0;  ///< there was no room for them
    std::uint32_t folds = 0;
    Tenths width = 0;

    static constexpr Tenths kBandWidth = 100;
    static constexpr Tenths kLabelSize = 95;
    static constexpr Tenths kLeft = 950;  ///< room for the numbers of the axis
};

/// `top`: where time begins.
[[nodiscard]] SequenceLayout lay_out(SequenceScene const& scene, Tenths top);
/// Of the whole picture, for so many columns.
[[nodiscard]] Tenths sequence_width(std::size_t columns);

}  // namespace ronde::viz
