/// Hooks into a pretend world: what a trace, a picture or a property needs to see.
#pragma once

#include "protocol/rank.hpp"
#include "protocol/root.hpp"
#include "world/plan.hpp"

#include <cstdint>

namespace ronde::sim {

/// Names a process: ranks first, then roots, then those that faults add (duplicates, restarts, strangers).
using ProcessId = std::uint32_t;
inline constexpr ProcessId kNoProcess = 0xffff'ffffU;

/// One step of a machine, after its actions were performed.
struct StepSeen {
    TimeNs now_ns = 0;
    std::uint64_t number = 0;  ///< of this step, from 1
    ProcessId process = kNoProcess;
    ProcessId from = kNoProcess;  ///< frame: who sent it
    protocol::Event const* event = nullptr;
    protocol::Actions const* actions = nullptr;  ///< the last piece of a long answer
    protocol::Rank const* rank = nullptr;        ///< one of the two is set
    protocol::Root const* root = nullptr;
    std::uint8_t phase_before = 0;  ///< protocol::Phase or RootPhase
    std::uint8_t phase_after = 0;
};

/// What travels while the oracle is asked for its delay, or whether it is lost.
struct Trip {
    ProcessId from = kNoProcess;
    ProcessId to = kNoProcess;
    bool is_directed = false;             ///< otherwise both live on one host, and it may go the other way
    Distribution const* delay = nullptr;  ///< that the delay is one of
    std::uint32_t loss_per_million = 0;
};

struct Progress {
    TimeNs now_ns = 0;
    std::uint64_t events = 0;
    std::uint32_t nranks = 0;
    std::uint32_t checked_in = 0;  ///< at all roots together
    std::uint32_t settled = 0;     ///< ranks that are ready or have failed
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_step(StepSeen const& seen) = 0;
    /// One piece of what a step asks for, before it is performed; a long answer has several. on_step follows.
    virtual void on_actions(ProcessId, protocol::Actions const&) {}
    /// The world is about to do what a fault says.
    virtual void on_fault(TimeNs, Fault const&) {}

    /// Whether the frames of a gather around the ring are to be played for it one by one, even where nothing disturbs
    /// them. Asked once, when it begins to watch.
    [[nodiscard]] virtual bool wants_every_frame() const { return true; }
    /// The world, watched without those frames, was disturbed: it is played once more, from its beginning and with
    /// them.
    virtual void on_begin_again() {}
};

}  // namespace ronde::sim
