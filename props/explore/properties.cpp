#include "explore/properties.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ronde::explore {
namespace {

struct Words {
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<Words, kProperties> kWords{{
    {"none", "nothing"},
    {"S1", "a ready rank holds exactly N entries, entry i as rank i registered it"},
    {"S2", "all ready ranks hold the same table"},
    {"S3", "the links form one cycle in rank order, and nobody is ready before everyone holds both hands"},
    {"S4", "each rank is counted once, and a second process does not displace the first"},
    {"S5", "a stranger, or a call that gets lost, changes nothing"},
    {"S6", "bounds hold"},
    {"S8", "two ranks on one device: everyone fails, and both are named"},
    {"S9", "tables come from the check-ins of this job alone"},
    {"L1", "when nothing goes wrong, everyone is ready"},
    {"L2", "nobody waits for ever"},
    {"L3", "an error names the guilty"},
    {"L4", "every world comes to rest"},
    {"seam", "the machine keeps to the contract of its driver"},
}};

}  // namespace

std::string_view name_of(Property property) noexcept { return kWords[static_cast<std::size_t>(property)].name; }

std::optional<Property> property_named(std::string_view name) noexcept {
    auto const same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (std::size_t i = 1; i < kWords.size(); ++i) {
        if (std::equal(name.begin(), name.end(), kWords[i].name.begin(), kWords[i].name.end(), same))
            return static_cast<Property>(i);
    }
    return std::nullopt;
}

std::string_view meaning_of(Property property) noexcept { return kWords[static_cast<std::size_t>(property)].meaning; }

}  // namespace ronde::explore
