/// Who did not end well, and why: ranks that say the same share a line, whoever caused it comes first.
#pragma once

#include "world/outcome.hpp"

#include <string>
#include <vector>

namespace ronde::sim {

struct Cause {
    std::vector<RankRange> ranks;  ///< ascending
    std::uint32_t count = 0;       ///< ranks in all
    End end = End::failed;
    std::string message;  ///< in the words that most of them use
    std::string remedy;   ///< may be empty
};

/// Not started and dead ranks first, then the largest groups.
[[nodiscard]] std::vector<Cause> causes_of(Outcome const& outcome);

/// What one rank says: the line of its error, or how it ended without one.
[[nodiscard]] std::string message_of(RankEnd const& one);
[[nodiscard]] std::string remedy_of(RankEnd const& one);
/// The name of its error's code, or never_started, killed, hung.
[[nodiscard]] std::string code_of(RankEnd const& one);

/// One line for each cause and one for its remedy, unless that was just said.
[[nodiscard]] std::string causes_text(std::vector<Cause> const& causes);

}  // namespace ronde::sim
