#include "observe/property_id.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ronde::props {
namespace {

constexpr std::array<PropertyText, kProperties> kTexts{{
    {PropertyId::s1, "S1", "a ready rank holds exactly N entries, entry i as rank i registered it", "5.4, 5.7, 5.8"},
    {PropertyId::s2, "S2", "all ready tables are byte-identical", "5.7"},
    {PropertyId::s3, "S3", "the links form one cycle in rank order, and each end is the authenticated neighbour",
     "3.1, 3.2, 5.5"},
    {PropertyId::s4, "S4", "each rank is counted once; no duplicate displaces the first, a retry changes nothing",
     "5.2"},
    {PropertyId::s5, "S5", "what an outsider says changes nothing but the count of strangers", "3.3"},
    {PropertyId::s6, "S6", "actions, doors, words of strangers and memory stay within their bounds", "2.3, 3.3"},
    {PropertyId::s7, "S7", "who has ended holds no connection, descriptor, timer or port", "6.5, 7.6"},
    {PropertyId::s8, "S8", "two ranks on one device: nobody is ready, and both are named", "6.4"},
    {PropertyId::s9, "S9", "tables come only from check-ins of this session", "3.2, 5.2"},
    {PropertyId::l1, "L1", "once faults stop and all are present, everyone is ready within a computed bound",
     "3.5, 6.3"},
    {PropertyId::l2, "L2", "every rank ends by its deadline, ready or with an error", "6.2"},
    {PropertyId::l3, "L3", "errors name exactly the ranks that are missing, and blame nobody to whom nothing happened",
     "6.1, 6.2"},
    {PropertyId::l4, "L4", "in a calm world every machine comes nearer to ready with all but a few of its steps",
     "1.1"},
    {PropertyId::d1, "D1", "the same plan and the same choices give the same digest", "3.5"},
    {PropertyId::d2, "D2", "without faults the outcome does not depend on the schedule", "5.5"},
    {PropertyId::d3, "D3", "a ring that is computed as a whole is equal to the events, to the nanosecond", "5.7"},
    {PropertyId::d4, "D4", "a machine that is fed the same events again goes through the same states", "1.1"},
    {PropertyId::r, "R", "every phase, error code and kind of fault is reached", "1, 6.1"},
}};

}  // namespace

std::span<PropertyText const> property_texts() noexcept { return kTexts; }
std::string_view name_of(PropertyId id) noexcept { return kTexts[static_cast<std::size_t>(id)].name; }
std::string_view sentence_of(PropertyId id) noexcept { return kTexts[static_cast<std::size_t>(id)].sentence; }

std::optional<PropertyId> property_named(std::string_view name) noexcept {
    auto const same = [&](PropertyText const& text) {
        return std::equal(name.begin(), name.end(), text.name.begin(), text.name.end(),
                          [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; });
    };
    auto const found = std::find_if(kTexts.begin(), kTexts.end(), same);
    return found == kTexts.end() ? std::nullopt : std::optional(found->id);
}

}  // namespace ronde::props
