#include "svg/phase_style.hpp"

#include <array>
#include <utility>

namespace ronde::viz {
namespace {

constexpr std::string_view kInk = "#222222";
constexpr std::string_view kWhite = "#ffffff";

constexpr std::array<PhaseStyle, kPhaseLooks> kStyles = {{
    {"never came", kWhite, "#444444", Shape::circle, "circle", Hatch::none, true},
    {"listening or delayed", "#e8e8e8", kInk, Shape::triangle_down, "invtriangle", Hatch::dots},
    {"checking in", "#f5e663", kInk, Shape::triangle_up, "triangle", Hatch::rising},
    {"awaiting successor", "#e69f00", kInk, Shape::diamond, "diamond", Hatch::none},
    {"connecting ring", "#8fd0f5", kInk, Shape::pentagon, "pentagon", Hatch::falling},
    {"gathering", "#dd9fc3", kInk, Shape::hexagon, "hexagon", Hatch::upright},
    {"committing", "#1f6fb2", kWhite, Shape::square, "square", Hatch::level},
    {"ready", "#00775a", kWhite, Shape::circle, "circle", Hatch::none},
    {"failed", "#c1440e", kWhite, Shape::cross, "octagon", Hatch::crossed},
    {"dead", "#3d3d3d", kWhite, Shape::cross, "octagon", Hatch::grid},
}};

/// Corners around the middle, in thousandths of the radius, y downwards.
using Corner = std::pair<std::int16_t, std::int16_t>;
constexpr Corner kTriangleDown[] = {{-1100, -700}, {1100, -700}, {0, 1200}};
constexpr Corner kTriangleUp[] = {{0, -1200}, {1100, 700}, {-1100, 700}};
constexpr Corner kDiamond[] = {{0, -1200}, {1200, 0}, {0, 1200}, {-1200, 0}};
constexpr Corner kPentagon[] = {{0, -1100}, {1046, -340}, {647, 890}, {-647, 890}, {-1046, -340}};
constexpr Corner kHexagon[] = {{-1060, 0}, {-530, -918}, {530, -918}, {1060, 0}, {530, 918}, {-530, 918}};
constexpr Corner kSquare[] = {{-886, -886}, {886, -886}, {886, 886}, {-886, 886}};
constexpr Corner kCross[] = {{-1000, -600}, {-600, -1000}, {0, -400}, {600, -1000}, {1000, -600}, {400, 0},
                             {1000, 600},   {600, 1000},   {0, 400},  {-600, 1000}, {-1000, 600}, {-400, 0}};

template <std::size_t Count>
std::vector<Place> scaled(Corner const (&corners)[Count], Place middle, Tenths diameter) {
    std::vector<Place> places;
    places.reserve(Count);
    for (auto const& [x, y] : corners)
        places.push_back({middle.x + x * diameter / 2'000, middle.y + y * diameter / 2'000});
    return places;
}

}  // namespace

PhaseStyle const& style_of(PhaseLook look) noexcept { return kStyles[static_cast<std::size_t>(look)]; }

PhaseLook look_of(protocol::Phase phase) noexcept {
    using protocol::Phase;
    switch (phase) {
    case Phase::created:
    case Phase::listening:
    case Phase::delayed: return PhaseLook::listening;
    case Phase::checking_in: return PhaseLook::checking_in;
    case Phase::awaiting_successor: return PhaseLook::awaiting_successor;
    case Phase::connecting_ring: return PhaseLook::connecting_ring;
    case Phase::gathering: return PhaseLook::gathering;
    case Phase::committing: return PhaseLook::committing;
    case Phase::ready:
    case Phase::closed: return PhaseLook::ready;
    case Phase::failed: return PhaseLook::failed;
    }
    return PhaseLook::listening;
}

PhaseLook look_of(protocol::RootPhase phase) noexcept {
    using protocol::RootPhase;
    switch (phase) {
    case RootPhase::created: return PhaseLook::listening;
    case RootPhase::collecting: return PhaseLook::checking_in;
    case RootPhase::handing_out: return PhaseLook::awaiting_successor;
    case RootPhase::committing: return PhaseLook::committing;
    case RootPhase::judging: return PhaseLook::failed;
    case RootPhase::finished: return PhaseLook::ready;
    case RootPhase::failed: return PhaseLook::failed;
    }
    return PhaseLook::listening;
}

std::vector<Place> corners_of(Shape shape, Place middle, Tenths diameter) {
    switch (shape) {
    case Shape::circle: return {};
    case Shape::triangle_down: return scaled(kTriangleDown, middle, diameter);
    case Shape::triangle_up: return scaled(kTriangleUp, middle, diameter);
    case Shape::diamond: return scaled(kDiamond, middle, diameter);
    case Shape::pentagon: return scaled(kPentagon, middle, diameter);
    case Shape::hexagon: return scaled(kHexagon, middle, diameter);
    case Shape::square: return scaled(kSquare, middle, diameter);
    case Shape::cross: return scaled(kCross, middle, diameter);
    }
    return {};
}

}  // namespace ronde::viz
