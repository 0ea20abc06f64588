/// How the arrow of a message looks: frames that do the same job look the same.
#pragma once

#include "protocol/frame.hpp"
#include "svg/svg.hpp"

#include <cstdint>
#include <string_view>

namespace ronde::viz {

enum class KindGroup : std::uint8_t { handshake, check_in, answer, table, ending, verdict, message };
inline constexpr std::uint32_t kKindGroups = 7;

struct KindStyle {
    std::string_view name;  ///< for the legend: the kinds that it stands for
    Paint paint;
    Dash dash;
    Tenths width;
    std::uint32_t priority;  ///< whose label is placed first where there is no room for all; 0 is the first
};

[[nodiscard]] KindGroup group_of(protocol::FrameKind kind) noexcept;
[[nodiscard]] KindStyle const& style_of(KindGroup group) noexcept;

}  // namespace ronde::viz
