/// Sleep sets: a move that was made in a world before need not be made again behind moves that it commutes with, since
/// both orders lead to the same world. What sleeps in a world is a set of names; a name stays the same while the move
/// sleeps. docs/checking.md has the proof; tests/explore/sleep_test.cpp compares both orders of every pair of moves
/// that this relies on, in every world of small jobs.
#pragma once

#include "explore/world.hpp"

#include <span>
#include <vector>

namespace ronde::explore {

/// Names for what may happen next: to a process by itself, at one of its ends of a connection, or as a fault. They are
/// given in the order of first sight. Each belongs to one process; when there are no more, two of one process share a
/// bit, and whoever finds both in one world lets neither sleep.
class MoveNames {
public:
    /// `plan` must outlive it.
    MoveNames(MachineRoom const& room, FaultPlan const& plan);

    /// Names of what may happen at each end.
    [[nodiscard]] std::array<std::uint8_t, 2> names_at(Connection const& connection);

    /// The bit of a move that is possible now; 0: it never sleeps. `prospects`: of the world's connections.
    [[nodiscard]] SleepSet name_of(World const& world, std::span<Prospect const* const> prospects, Move move) const {
        switch (move.kind) {
        case Move::Kind::start: return of_self(move.node);
        case Move::Kind::timer: return moves_time(world, move.node) ? 0 : of_self(move.node);
        case Move::Kind::arrive:
        case Move::Kind::accept: return prospects[move.connection]->name(1);
        case Move::Kind::connected:
        case Move::Kind::refused: return prospects[move.connection]->name(0);
        case Move::Kind::deliver:
        case Move::Kind::ending: return prospects[move.connection]->name(move.detail);
        case Move::Kind::fault: return Prospect::bit_of(of_fault_[move.detail]);
        case Move::Kind::sent: return 0;
        }
        return 0;
    }
    /// ... of a process that begins, or whose timer is due.
    [[nodiscard]] SleepSet of_self(Node node) const { return Prospect::bit_of(of_self_[node]); }
    /// Bits that two of these moves have. All that are possible must be there.
    [[nodiscard]] SleepSet shared(World const& world, std::span<Prospect const* const> prospects,
                                  std::span<Move const> steps, std::span<Move const> faults) const;
    /// The names of all moves that may not commute with this one, its own among them.
    [[nodiscard]] SleepSet woken_by(World const& world, Move move) const {
        bool const one_process = move.kind != Move::Kind::fault && move.kind != Move::Kind::sent &&
                                 !(move.kind == Move::Kind::timer && moves_time(world, move.node));
        return one_process ? of_node_[move.node] : woken_by_many(world, move);
    }

private:
    static constexpr std::uint8_t kNames = 64;

    [[nodiscard]] bool moves_time(World const& world, Node node) const {
        return room_.facts(node, world.states[node]).deadline_ns > 0;
    }
    [[nodiscard]] SleepSet woken_by_many(World const& world, Move move) const;
    std::uint8_t new_name(Node owner);
    std::uint8_t name_under(std::uint64_t key, Node owner);

    MachineRoom const& room_;
    Job const& job_;
    FaultPlan const& plan_;
    KeyIndex keys_;
    std::vector<std::uint8_t> names_;  ///< by number of the key
    std::uint8_t given_ = 0;
    std::array<SleepSet, kMostNodes> of_node_{};
    std::array<std::uint8_t, kMostNodes> sharers_{};  ///< how many names of a process have shared a bit
    std::array<std::uint8_t, kMostNodes> of_self_{};  ///< start, and a timer that is due
    std::vector<std::uint8_t> of_fault_;              ///< by number in the plan
};

}  // namespace ronde::explore
