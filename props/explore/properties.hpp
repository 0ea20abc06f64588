/// The properties that an exploration holds every world to, under their names in docs/checking.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ronde::explore {

enum class Property : std::uint8_t {
    none,
    s1,    ///< a ready rank holds exactly N entries, entry i as rank i registered it
    s2,    ///< all ready ranks hold the same table
    s3,    ///< the links form one cycle in rank order, and when somebody is ready, everyone has held both hands
    s4,    ///< each rank is counted once; a second process never displaces the first
    s5,    ///< a stranger changes nothing
    s6,    ///< bounds hold
    s8,    ///< two ranks on one device: everyone fails, both are named
    s9,    ///< tables come from check-ins of this job alone
    l1,    ///< when nothing went wrong, everyone is ready
    l2,    ///< nobody waits for ever
    l3,    ///< an error names the guilty
    l4,    ///< every world comes to rest
    seam,  ///< the machine keeps to the contract of protocol/seam.hpp
};
inline constexpr std::uint32_t kProperties = 14;

/// "S1" .. "L4", "seam".
[[nodiscard]] std::string_view name_of(Property property) noexcept;
/// Inverse of name_of, in either case; nothing for another text.
[[nodiscard]] std::optional<Property> property_named(std::string_view name) noexcept;
/// One line: what it says.
[[nodiscard]] std::string_view meaning_of(Property property) noexcept;

/// A property that does not hold, and why; `none` when nothing is wrong.
struct Broken {
    Property property = Property::none;
    std::string why;
    explicit operator bool() const { return property != Property::none; }
};

}  // namespace ronde::explore
