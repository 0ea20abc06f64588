/// The part of a run that says most about how it ended, small enough for one sequence diagram.
#pragma once

#include "chronicle/chronicle.hpp"
#include "sequence/scene.hpp"

#include <optional>
#include <string>

namespace ronde::viz {

/// Lifelines that a reader takes in at one look, and messages and calls on either side of the moment that matters;
/// fewer of these where they are far apart.
inline constexpr std::size_t kMostGuiltyLifelines = 12;
inline constexpr std::size_t kMostGuiltyMessages = 40;

struct GuiltyPart {
    SequenceScene scene;
    std::string caption;  ///< why these, and where in the run it is
};

/// Of a run that failed: those who are blamed, the first who blame them, and the roots that they speak with, around the
/// first death or, where nobody died, the first error. Of one that is ready: the end of the critical path. Empty where
/// steps were not kept. The scene points into the chronicle.
[[nodiscard]] std::optional<GuiltyPart> guilty_part(Chronicle const& chronicle);

}  // namespace ronde::viz
