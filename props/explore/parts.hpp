/// Moves that touch nothing but a part of a process: one door and its connection, or one link. Such a move commutes
/// with whatever else can happen to its process before it, so it is enough to look at it alone.
///
/// Unlike the independence of different processes, which follows from how worlds are made, this one is a property of
/// the machines. docs/checking.md says what it rests on; tests/explore/parts_test.cpp holds it to every world of small
/// jobs.
#pragma once

#include "explore/world.hpp"

namespace ronde::explore {

class PartFinder {
public:
    /// `plan` must outlive it. `links`: while nobody has a reason to fail, any move on a connection is taken for one
    /// that touches only a part.
    PartFinder(MachineRoom const& room, FaultPlan const& plan, bool links);

    /// Whether the move, one of those that are possible now, commutes with everything that can come before it.
    [[nodiscard]] bool is_local(World const& world, Move move) const;

private:
    [[nodiscard]] bool fault_may_interfere(World const& world, Move move) const;
    [[nodiscard]] bool is_local_at_root(World const& world, Move move) const;
    [[nodiscard]] bool is_local_at_rank(World const& world, Move move) const;
    [[nodiscard]] bool finds_its_door(World const& world, Connection const& connection) const;
    [[nodiscard]] bool is_only_stranger(World const& world, Connection const& connection) const;
    [[nodiscard]] bool calls_no_more(World const& world, Node caller) const;
    [[nodiscard]] bool is_contended(World const& world, Connection const& connection) const;
    [[nodiscard]] protocol::FrameKind next_frame(World const& world, Move move) const;
    [[nodiscard]] std::uint32_t strangers_to_come(World const& world, Node node, bool claims) const;

    MachineRoom const& room_;
    Job const& job_;
    FaultPlan const& plan_;
    bool links_;
    bool calm_;     ///< whatever happens, nobody has a reason to fail
    bool lingers_;  ///< a root that has ended goes on answering at its doors
};

}  // namespace ronde::explore
