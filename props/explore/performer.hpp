/// One step of one process: feed an event, do what the machine asks for, feed what the driver answers by itself.
///
/// A pure function of (state, input), and so remembered by the machine room: a machine is stepped once for each pair
/// that is ever met, however many worlds meet it.
#pragma once

#include "explore/node_state.hpp"
#include "explore/properties.hpp"

#include <functional>
#include <vector>

namespace ronde::explore {

/// What the world has for one process.
struct Input {
    protocol::EventKind kind = protocol::EventKind::start;
    protocol::Link link;
    protocol::Listener listener = protocol::Listener::ring;
    protocol::Failure failure = protocol::Failure::none;
    bool authentic = true;
    std::uint32_t message = 0;  ///< of a frame
};

/// What a step does to the world around it, in order.
struct Effect {
    enum class Kind : std::uint8_t { connect, send, admit, close, deafen, finish, pause, unpause };
    Kind kind = Kind::connect;
    protocol::Listener listener = protocol::Listener::ring;
    Node target = 0;       ///< connect
    bool lingers = false;  ///< finish: a root goes on listening, to tell late comers
    bool notify = false;   ///< send: the owner waits until it is out
    protocol::Link link;
    protocol::Link to;  ///< admit
    std::uint32_t message = 0;
};

/// Called for every event that is fed and what the machine asks for in answer.
using Listening = std::function<void(protocol::Event const&, protocol::Actions const&)>;

template <class State>
struct Performed {
    State after;
    std::vector<Effect> effects;
    bool held = false;   ///< the frame cannot be read in this state
    bool ready = false;  ///< the machine said so in this step
    Broken broken;
};

[[nodiscard]] Performed<ProcessState> perform(Job const& job, Mail& mail, ProcessState const& before,
                                              Input const& input, Listening const& listening = {});
[[nodiscard]] Performed<RootState> perform(Job const& job, Mail& mail, RootState const& before, Input const& input,
                                           Listening const& listening = {});

}  // namespace ronde::explore
