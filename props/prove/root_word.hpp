/// What a root promises, whatever its size: when it answers, and when it lets all go.
#pragma once

#include "prove/cut.hpp"

#include <optional>

namespace ronde::prove {

/// The needs of a root as docs/protocol.md states them (5.2, 5.4, 5.8). Small roots are explored and held against this;
/// large ones are taken at this word. None for roots that call back: they do one thing at a time, in the order in which
/// ranks came.
[[nodiscard]] std::optional<Findings> word_of_root(Shape const& shape, std::vector<Conversation> const& all,
                                                   std::uint32_t root);

}  // namespace ronde::prove
