/// A run as a row of events, each with the states that it changes: what a player shows, forwards and backwards.
///
/// Where steps were kept, a state follows from them: a rank that has to check in once more is seen to do so. The ring
/// of `ronde draw` knows the first time at which a phase was entered only, and shows how far a rank ever came.
#pragma once

#include "chronicle/chronicle.hpp"
#include "ring/ring_stage.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ronde::viz {

struct StateChange {
    ProcessIndex process = 0;  ///< a rank, or a root
    std::uint32_t state = 0;   ///< RankState, or protocol::RootPhase and kRootLost
    friend bool operator==(StateChange const&, StateChange const&) = default;
};

struct PlayEvent {
    TimeNs at_ns = 0;
    ProcessIndex process = kNobody;  ///< who acts, or is struck
    ProcessIndex from = kNobody;     ///< of a frame: who sent it
    std::string text;                ///< as in a trace, without the name of the process
    std::vector<StateChange> changes;
};

struct Playback {
    /// Every step of every machine. Otherwise only those that change a phase: there were too many for a page, or steps
    /// were not kept.
    bool every_step = false;
    std::vector<std::uint32_t> first;  ///< the states before the first event: ranks, then roots
    std::vector<PlayEvent> events;     ///< in the order of time; the last one is the end
    std::size_t failure = 0;           ///< the event that is the first failure; events.size(): there is none
};

/// Of at most kMostStageRanks ranks.
[[nodiscard]] Playback playback_of(Chronicle const& chronicle, std::size_t most_events = 20'000);

/// Of ranks, then roots, after the first `count` events.
[[nodiscard]] std::vector<std::uint32_t> states_after(Playback const& playback, std::size_t count);

/// One line of JSON in which no character needs an escape in HTML; docs/pictures.md does not promise its shape.
[[nodiscard]] std::string playback_json(Chronicle const& chronicle, Playback const& playback);

}  // namespace ronde::viz
