/// From steps, in the order of time, to steps, messages and calls: who sent what to whom, when it came, and which call
/// led to which connection. The sources of a chronicle feed it; they differ only in how they know the other end.
#pragma once

#include "chronicle/chronicle.hpp"
#include "protocol/seam.hpp"

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ronde::viz {

/// The other end of a connection.
struct Peer {
    ProcessIndex process = kNobody;  ///< kNobody: there is no such connection, or nobody knows
    protocol::Link link;             ///< the other process's name for it
    std::uint32_t retransmissions = 0;
};

/// What a source knows about connections at the time of the call.
class Peers {
public:
    virtual ~Peers() = default;
    [[nodiscard]] virtual Peer other_end(ProcessIndex process, protocol::Link link) const = 0;
};

/// Where a rank's or root's call goes: whom it means, whoever is there.
[[nodiscard]] ProcessIndex callee_of(protocol::Action const& connect, std::uint32_t nranks);

class StoryBuilder {
public:
    /// Adds to `chronicle`, whose nranks is known. Both must outlive the builder.
    StoryBuilder(Chronicle& chronicle, Peers const& peers) : chronicle_(chronicle), peers_(peers) {}

    /// One piece of what a step of `process` asks for, before it is performed. `took` follows.
    void asked(ProcessIndex process, TimeNs now_ns, std::span<const protocol::Action> actions);
    /// The step, after its actions. `story.text` and phases are the caller's. Its number.
    std::uint32_t took(StepStory story, protocol::Event const& event);
    void forget_all();

private:
    using Key = std::uint64_t;
    [[nodiscard]] static Key key_of(ProcessIndex process, protocol::Link link) {
        return std::uint64_t{process} << 32U | link.value;
    }
    void sent(ProcessIndex process, TimeNs now_ns, protocol::Action const& action);
    void called(ProcessIndex process, TimeNs now_ns, protocol::Action const& action);
    void received(StepStory const& story, protocol::Event const& event, std::uint32_t step);
    void answered(StepStory const& story, protocol::Event const& event);
    void accepted(StepStory const& story, protocol::Event const& event);
    void closed(ProcessIndex process, TimeNs now_ns, protocol::Link link);
    void ended(StepStory const& story, protocol::Event const& event);
    [[nodiscard]] std::uint32_t call_behind(ProcessIndex process, protocol::Link link) const;
    [[nodiscard]] Peer peer_of(ProcessIndex process, protocol::Link link) const;
    CallStory* call_of(ProcessIndex process, protocol::Link link);

    /// On its way, as far as anybody knows.
    struct Waiting {
        std::uint32_t message = 0;  ///< index
        std::uint32_t life = 0;     ///< of the connection's name: how often it was called by then
        protocol::Frame frame;
    };
    Chronicle& chronicle_;
    Peers const& peers_;
    std::unordered_map<Key, std::vector<Waiting>> waiting_;  ///< by sender and receiver
    std::unordered_map<Key, std::uint32_t> calls_;           ///< by caller and link: the last one
    std::unordered_map<Key, std::uint32_t> former_calls_;    ///< ... and the one before
    std::unordered_map<Key, std::uint32_t> lives_;           ///< by process and link: how often it was called
    std::vector<std::uint32_t> fresh_calls_;                 ///< of the step under way: the other end is asked after it
    /// By the step under way: the link and its door.
    std::vector<std::pair<protocol::Link, protocol::Link>> admitted_;
    std::vector<std::uint32_t> open_calls_;  ///< not accepted yet, in their order
};

}  // namespace ronde::viz
