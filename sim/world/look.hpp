/// A look into a pretend world: what its processes hold, whom they know, and who is at the other end. Changes nothing.
#pragma once

#include "protocol/entry.hpp"
#include "protocol/rank.hpp"
#include "protocol/root.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ronde::sim {

class WorldState;

/// One process, from outside.
struct ProcessFacts {
    enum class Kind : std::uint8_t { rank, root, stranger };
    Kind kind = Kind::rank;
    RankId rank = kNoRank;  ///< whom it claims to be; roots and strangers: kNoRank
    std::uint32_t host = 0;
    bool started = false;
    bool dead = false;      ///< ended by a fault
    bool over = false;      ///< its machine has finished
    bool ready = false;     ///< it was ready once
    bool endless = false;   ///< a rank whose policies know no deadline
    bool outsider = false;  ///< cannot prove that it belongs here: a stranger, or a member with another job's id
    bool busy = false;      ///< its program has begun an operation that is not complete, or will begin one
};

/// What a process has of its kernel, and whether it still waits for a time.
struct Holdings {
    std::uint32_t descriptors = 0;  ///< as its books count them
    std::uint32_t connections = 0;  ///< ends that it has a name for, those at its doors included
    std::uint32_t calls = 0;        ///< ... of which it made: each has a port
    std::uint32_t listeners = 0;
    std::uint32_t at_the_doors = 0;  ///< accepted, neither admitted nor dropped
    std::uint32_t records = 0;       ///< roots: check-ins that memory was taken for
    TimeNs deadline_ns = kNever;     ///< of its machine
};

/// The other end of a connection.
struct OtherEnd {
    ProcessId process = kNoProcess;     ///< kNoProcess: there is no such connection
    protocol::Link link;                ///< the other process's name for it; none: it has none (yet, or any more)
    std::uint32_t syn_retransmits = 0;  ///< that it took to make the call
};

/// One of the things that may happen next, where a plan leaves their order open (WorldPlan::any_order).
struct Enabled {
    std::string_view what;           ///< "start", "timer", "syn", "frame" ...: what happens
    ProcessId process = kNoProcess;  ///< to whom, or where it arrives; kNoProcess: to nobody in particular
    ProcessId from = kNoProcess;     ///< packets: from whom, as far as that is known
    std::optional<protocol::FrameKind> frame;
};

class Look {
public:
    explicit Look(WorldState const& state) noexcept : state_(&state) {}

    [[nodiscard]] WorldPlan const& plan() const;
    [[nodiscard]] Policies const& policies() const;  ///< resolved
    /// Ranks, then roots, then those that faults have added so far.
    [[nodiscard]] std::uint32_t processes() const;
    [[nodiscard]] ProcessFacts facts(ProcessId id) const;
    [[nodiscard]] Holdings holdings(ProcessId id) const;
    /// State of a rank, first, second or returned.
    [[nodiscard]] protocol::RankState const& rank(ProcessId process) const;
    [[nodiscard]] protocol::Root const& root(std::uint32_t index) const;
    /// Entries of other ranks are kept one by one (up to Contents::kExactRanks ranks).
    [[nodiscard]] bool exact() const;
    /// How many entries a rank has learned, its own included.
    [[nodiscard]] std::uint32_t known(ProcessId id) const;
    /// Whose entry `reader` holds at `rank`; kNoProcess: none.
    [[nodiscard]] ProcessId holder(ProcessId reader, RankId rank) const;
    /// The same of all ranks; empty when `reader` holds no entry. Valid until the next step.
    [[nodiscard]] std::span<ProcessId const> table(ProcessId reader) const;
    /// What a process registers, or would.
    [[nodiscard]] protocol::Entry entry_of(ProcessId process) const;
    [[nodiscard]] OtherEnd other_end(ProcessId id, protocol::Link link) const;
    [[nodiscard]] std::uint32_t hosts() const;
    /// What its listeners went through so far.
    [[nodiscard]] Storm const& storm() const;
    /// What the oracle is choosing among, in the order of its numbers. Only while it picks a Choice::order.
    [[nodiscard]] std::vector<Enabled> enabled() const;
    /// Those of connections, without TIME_WAIT.
    [[nodiscard]] std::uint32_t ports_in_use(std::uint32_t host) const;
    /// Nothing more can happen.
    [[nodiscard]] bool at_rest() const;

private:
    WorldState const* state_;
};

}  // namespace ronde::sim
