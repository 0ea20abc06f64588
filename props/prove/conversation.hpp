/// What an undisturbed bootstrap says: for each connection what either end says, in which order, and what must come
/// from the other end before. Written from docs/protocol.md and not from the machines, whose word it is held against.
///
/// A conversation is what two neighbours promise each other. `ronde prove` lets one real machine talk to the promises
/// of all its neighbours and checks that it keeps its own.
#pragma once

#include "protocol/frame.hpp"
#include "protocol/policy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ronde::prove {

/// A rank by its number, or a root: nranks + its index.
using Node = std::uint32_t;

/// A job, as far as this matters. `policies` are resolved.
struct Shape {
    std::uint32_t nranks = 2;
    std::uint32_t nroots = 1;
    protocol::Policies policies;

    [[nodiscard]] bool is_root(Node node) const { return node >= nranks; }
    [[nodiscard]] Node root_node(std::uint32_t index) const { return nranks + index; }
    [[nodiscard]] std::uint32_t nodes() const { return nranks + nroots; }
    [[nodiscard]] std::string name_of(Node node) const;
};

/// Numbers of the job that every frame repeats; any would do.
inline constexpr std::uint64_t kSession = 0x5eed;
inline constexpr std::uint32_t kRootsDigest = 77;

/// One thing that one end does.
struct Line {
    enum class Kind : std::uint8_t {
        call,   ///< makes the connection: the caller's first line
        frame,  ///< sends `frame`
        end,    ///< closes the connection, the last line
    };
    Kind kind = Kind::frame;
    std::uint32_t after = 0;  ///< so many lines of the other end come first
    protocol::Frame frame;    ///< `d` of a check-in is the time that is left, and not compared
    /// Says that this rank holds the whole table and both hands: `done` to the root, or a token [clause 5.8].
    bool vouches = false;
};

/// One connection, from the call on.
struct Conversation {
    Node caller = 0;
    Node callee = 0;
    protocol::Link caller_link;
    protocol::Link callee_link;
    protocol::Listener listener = protocol::Listener::ring;
    std::vector<Line> caller_says;
    std::vector<Line> callee_says;
    /// Call-backs: the call comes after so many lines of the callee in another conversation.
    struct Opening {
        std::uint32_t conversation = 0;
        std::uint32_t lines = 0;
    };
    std::optional<Opening> opens_after;
};

/// All of them, ordered by caller and link.
[[nodiscard]] std::vector<Conversation> conversations_of(Shape const& shape);

/// "hello", "slices 3..5 of operation 1": for people.
[[nodiscard]] std::string words_for(Line const& line);

}  // namespace ronde::prove
