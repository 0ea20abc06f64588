/// What `ronde shrink` has to say, for programs.
#pragma once

#include "shrink/known_minimum.hpp"

namespace ronde::props {

struct ShrinkReport {
    std::string script;   ///< what was made small
    std::string small;    ///< where the small one is
    std::string test;     ///< ... and the test of it
    std::string picture;  ///< empty: none
    Shrunk shrunk;
    FailureSize before;
    FailureSize after;
    KnownMinimum known;
    std::optional<CriticalStep> critical;
};

[[nodiscard]] std::string shrink_json(ShrinkReport const& report);

}  // namespace ronde::props
