/// Conversations as one of their two ends sees them.
#pragma once

#include "prove/conversation.hpp"

#include <span>

namespace ronde::prove {

/// A node's share of a conversation.
struct Part {
    std::uint32_t conversation = 0;
    bool calls = false;  ///< it is the caller
    protocol::Link link;
    protocol::Listener listener = protocol::Listener::ring;
    Node other = 0;
    std::span<Line const> mine;
    std::span<Line const> theirs;
    /// The call comes, or is made, after so many lines of the callee in another conversation. Caller: those are heard
    /// in its part of that number; callee: said.
    struct Opening {
        std::uint32_t part = 0;
        std::uint32_t lines = 0;
    };
    std::optional<Opening> opens_after;
};

/// Of one node, in the order of the conversations. They point into `all`, which must outlive them.
[[nodiscard]] std::vector<Part> parts_of(std::vector<Conversation> const& all, Node node);

}  // namespace ronde::prove
