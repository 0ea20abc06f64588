/// The list of properties. Their ids are used in code, output and docs/properties.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ronde::props {

enum class PropertyId : std::uint8_t {
    s1,  ///< a ready rank's table is whole and true
    s2,  ///< all ready tables are equal
    s3,  ///< both hands hold the authenticated neighbours
    s4,  ///< each rank is counted once
    s5,  ///< strangers change nothing
    s6,  ///< bounds hold
    s7,  ///< what is over holds nothing
    s8,  ///< two ranks on one device never become ready
    s9,  ///< tables come from check-ins of this session
    l1,  ///< once faults stop everyone is ready within a bound
    l2,  ///< every rank ends by its deadline
    l3,  ///< errors name whom they should
    l4,  ///< a measure decreases
    d1,  ///< same seed, same digest
    d2,  ///< without faults the outcome does not depend on the schedule
    d3,  ///< the computed ring is equal to the played one
    d4,  ///< a machine is a function of its events
    r,   ///< everything is reached
};
inline constexpr std::uint32_t kProperties = 18;

/// A row of docs/properties.md.
struct PropertyText {
    PropertyId id;
    std::string_view name;      ///< "S1"
    std::string_view sentence;  ///< what holds
    std::string_view clause;    ///< of docs/protocol.md that it guards
};

/// All of them, in the order of PropertyId.
[[nodiscard]] std::span<PropertyText const> property_texts() noexcept;
[[nodiscard]] std::string_view name_of(PropertyId id) noexcept;
[[nodiscard]] std::string_view sentence_of(PropertyId id) noexcept;
/// "S1", in either case; nothing for another text.
[[nodiscard]] std::optional<PropertyId> property_named(std::string_view name) noexcept;

/// Some properties.
class PropertySet {
public:
    constexpr PropertySet() = default;
    [[nodiscard]] static constexpr PropertySet all() { return PropertySet((1U << kProperties) - 1U); }
    template <class... Ids>
    [[nodiscard]] static constexpr PropertySet of(Ids... ids) {
        return PropertySet((0U | ... | bit(ids)));
    }
    [[nodiscard]] constexpr bool has(PropertyId id) const { return (bits_ & bit(id)) != 0; }
    [[nodiscard]] constexpr PropertySet with(PropertyId id) const { return PropertySet(bits_ | bit(id)); }
    [[nodiscard]] constexpr PropertySet without(PropertySet other) const { return PropertySet(bits_ & ~other.bits_); }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
    friend constexpr bool operator==(PropertySet, PropertySet) = default;

private:
    explicit constexpr PropertySet(std::uint32_t bits) : bits_(bits) {}
    [[nodiscard]] static constexpr std::uint32_t bit(PropertyId id) { return 1U << static_cast<std::uint32_t>(id); }
    std::uint32_t bits_ = 0;
};

}  // namespace ronde::props
