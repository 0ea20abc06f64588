#include "sequence/kind_style.hpp"

#include <array>

namespace ronde::viz {
namespace {

constexpr std::array<KindStyle, kKindGroups> kStyles{{
    {"hello, challenge, proof", Paint::soft, Dash::dotted, 9, 4},
    {"check_in, roll_call", Paint::blue, Dash::solid, 12, 1},
    {"successor", Paint::orange, Dash::solid, 12, 1},
    {"slices, length", Paint::ink, Dash::solid, 12, 2},
    {"done, commit, bye", Paint::green, Dash::dashed, 12, 3},
    {"verdict", Paint::alarm, Dash::dashed, 14, 0},
    {"message", Paint::purple, Dash::solid, 12, 2},
}};

}  // namespace

KindGroup group_of(protocol::FrameKind kind) noexcept {
    using protocol::FrameKind;
    switch (kind) {
    case FrameKind::hello:
    case FrameKind::challenge:
    case FrameKind::proof: return KindGroup::handshake;
    case FrameKind::check_in:
    case FrameKind::roll_call: return KindGroup::check_in;
    case FrameKind::successor: return KindGroup::answer;
    case FrameKind::slices:
    case FrameKind::length: return KindGroup::table;
    case FrameKind::done:
    case FrameKind::commit:
    case FrameKind::bye: return KindGroup::ending;
    case FrameKind::verdict: return KindGroup::verdict;
    case FrameKind::message: return KindGroup::message;
    }
    return KindGroup::message;
}

KindStyle const& style_of(KindGroup group) noexcept { return kStyles[static_cast<std::size_t>(group)]; }

}  // namespace ronde::viz
