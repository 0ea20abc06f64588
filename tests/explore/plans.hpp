/// Short ways to say what is explored.
#pragma once

#include "explore/explore.hpp"

#include <gtest/gtest.h>

namespace ronde::explore {

inline constexpr std::uint32_t kAllKinds = (1U << kFaultKinds) - 1U;

inline ExploreSettings job_of(std::uint32_t nranks, protocol::Profile profile = protocol::Profile::ronde) {
    ExploreSettings settings;
    settings.nranks = nranks;
    settings.policies = protocol::policies_of(profile);
    settings.keep_outcomes = true;
    return settings;
}

constexpr std::uint32_t bit(FaultKind kind) { return 1U << static_cast<unsigned>(kind); }

inline ExploreSettings with_faults(ExploreSettings settings, std::uint32_t faults, std::uint32_t kinds) {
    settings.faults = faults;
    settings.kinds = kinds;
    return settings;
}

inline ExploreSettings given(ExploreSettings settings, std::initializer_list<std::string_view> faults) {
    for (std::string_view const text : faults)
        settings.given.push_back(fault_from(text, settings).value());
    return settings;
}

/// Every property holds; otherwise the story of how it breaks is the message.
inline Exploration expect_all_holds(ExploreSettings const& settings) {
    Exploration exploration = explore(settings);
    EXPECT_EQ(exploration.answer, Answer::holds) << exploration_text(exploration);
    return exploration;
}

/// One property is broken, this one.
inline Exploration expect_broken(ExploreSettings const& settings, Property property) {
    Exploration exploration = explore(settings);
    EXPECT_EQ(exploration.answer, Answer::broken) << exploration_text(exploration);
    Property const broken = exploration.found ? exploration.found->broken.property : Property::none;
    EXPECT_EQ(name_of(broken), name_of(property)) << exploration_text(exploration);
    return exploration;
}

}  // namespace ronde::explore
