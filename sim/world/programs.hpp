/// Programs in a pretended world: who runs them, seen from the processes that they run in.
///
/// Without anybody here a world's ranks start their machines by themselves. With somebody, a process that starts begins
/// its program instead, and the program's calls become events of its machine. The world never runs a program inside of
/// a machine's step: a program goes on when its process notices that a call has ended, as it notices a frame, and what
/// it calls next is fed when it waits again.
#pragma once

#include "protocol/seam.hpp"
#include "world/observer.hpp"

#include <span>
#include <vector>

namespace ronde::sim {

class Programs {
public:
    Programs() = default;
    Programs(Programs const&) = delete;
    Programs& operator=(Programs const&) = delete;
    Programs(Programs&&) = delete;
    Programs& operator=(Programs&&) = delete;
    virtual ~Programs() = default;

    /// A process of `rank` has started; there is more than one when faults add some.
    virtual void begin(ProcessId process, RankId rank) = 0;
    /// The ring stands, an operation is complete, the machine has ended, or the time has come: the program looks again.
    virtual void go_on(ProcessId process) = 0;
    /// The process is dead, and its program with it.
    virtual void end(ProcessId process) = 0;

    // --- bytes of the operation under way ----------------------------------------------------------------------------
    /// Appends `count` slices from `first` of the program's buffer, or all of it, to `bytes`.
    virtual void read(ProcessId process, std::uint32_t first, std::uint32_t count, std::vector<std::byte>& bytes) = 0;
    /// Puts `bytes` where they belong.
    virtual void write(ProcessId process, std::uint32_t first, std::uint32_t count,
                       std::span<const std::byte> bytes) = 0;

    // --- for statistics ----------------------------------------------------------------------------------------------
    virtual void on_event(ProcessId process, protocol::Event const& event) = 0;
    virtual void on_action(ProcessId process, protocol::Action const& action) = 0;
    virtual void on_phase(ProcessId process, protocol::Phase phase) = 0;
};

}  // namespace ronde::sim
