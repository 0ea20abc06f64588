/// Small chronicles made by hand, so that each picture's test knows what there is to see.
#pragma once

#include "chronicle/chronicle.hpp"
#include "timeline/sink.hpp"

#include <functional>
#include <string>

namespace ronde::viz::stories {

/// Two ranks and a root. Rank 0 checks in at once. Rank 1's first SYN is lost and sent again after a second; its hello
/// arrives, a roll call of the root to rank 0 does not; the table goes to both; rank 1 cannot reach rank 0; the root is
/// struck.
[[nodiscard]] Chronicle of_two();

/// `nranks` ranks and a root: everybody says hello and checks in at about the same time, gets the table, and sends
/// slices to its successor. More labels than there is room for.
[[nodiscard]] Chronicle of_crowd(std::uint32_t nranks);

/// What a writer puts into its sink.
[[nodiscard]] std::string written(std::function<void(Sink const&)> const& write);

}  // namespace ronde::viz::stories
