/// What may happen next in a world, and which part of it is enough to look at.
#pragma once

#include "explore/parts.hpp"
#include "explore/sleep.hpp"

#include <vector>

namespace ronde::explore {

struct Moves {
    std::vector<Move> steps;   ///< what happens by itself, timers included
    std::vector<Move> faults;  ///< what may go wrong now
    bool at_rest = false;      ///< nothing happens by itself any more
    bool reduced = false;      ///< only the moves of one node, or one move, which are enough
    std::size_t possible = 0;  ///< how many there were before that
    SleepSet shared = 0;       ///< names that two of those have, where moves have names
};

class MoveFinder {
public:
    MoveFinder(MachineRoom& room, FaultPlan plan, Reduction reduction);
    MoveFinder(MoveFinder const&) = delete;
    MoveFinder& operator=(MoveFinder const&) = delete;
    ~MoveFinder() = default;

    /// From now on moves have names. `names` must outlive it.
    void name_moves(MoveNames const& names) { names_ = &names; }

    /// Fills `moves`.
    void find(World const& world, Moves& moves);
    /// ... where the prospects of the world's connections are known.
    void find(World const& world, std::span<Prospect const* const> prospects, Moves& moves);
    [[nodiscard]] FaultPlan const& plan() const { return plan_; }

private:
    void find_timers(World const& world, std::vector<Move>& steps) const;
    /// Names that two of them have.
    SleepSet find_steps(World const& world, std::span<Prospect const* const> prospects, std::vector<Move>& steps);
    void find_faults(World const& world, std::vector<Move>& faults);
    [[nodiscard]] bool may_begin(World const& world, Node node);

    // --- persistent sets ----------------------------------------------------------------------------------------
    void reduce(World const& world, Moves& moves);
    [[nodiscard]] bool is_alone(World const& world, Node node);
    [[nodiscard]] bool faults_keep_out(World const& world, Node node) const;
    /// One pass over the connections, for all processes.
    void look_at_links(World const& world);
    [[nodiscard]] bool nobody_else_calls(World const& world, Node node) const;
    [[nodiscard]] bool lasts(World const& world, Connection const& connection) const;
    [[nodiscard]] bool may_call(World const& world, Node caller, Node callee) const;

    MachineRoom& room_;
    Job const& job_;
    FaultPlan plan_;
    Reduction reduction_;
    PartFinder parts_;
    MoveNames const* names_ = nullptr;

    // What `look_at_links` saw: bit per process.
    std::uint32_t restless_ = 0;                              ///< something may come to it first
    std::array<std::uint32_t, kMostNodes> calls_own_root_{};  ///< by caller: whom it has called so
    std::array<std::uint32_t, kMostNodes> calls_other_root_{};
    static constexpr std::uint32_t kChords = 3;
    static_assert(kMostRanks <= 1U << kChords);
    std::array<std::array<std::uint32_t, kChords>, kMostNodes> calls_chord_{};
};

}  // namespace ronde::explore
