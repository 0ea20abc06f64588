/// What may happen next in a world, and which part of it is enough to look at.
#pragma once

#include "explore/world.hpp"

#include <vector>

namespace ronde::explore {

/// Which faults may happen in a search: a list, how many of it, and whether each stands for one.
struct FaultPlan {
    std::vector<Fault> list;
    std::uint32_t at_most = 0;
    bool each_once = false;  ///< every element of the list may happen once; otherwise any of them, again and again
};

struct Moves {
    std::vector<Move> steps;   ///< what happens by itself, timers included
    std::vector<Move> faults;  ///< what may go wrong now
    bool at_rest = false;      ///< nothing happens by itself any more
    bool reduced = false;      ///< only the moves of one node, which are enough
};

class MoveFinder {
public:
    MoveFinder(MachineRoom& room, FaultPlan plan, bool reduction);

    /// Fills `moves`.
    void find(World const& world, Moves& moves);
    [[nodiscard]] FaultPlan const& plan() const { return plan_; }

private:
    void find_steps(World const& world, std::vector<Move>& steps);
    void find_faults(World const& world, std::vector<Move>& faults);
    [[nodiscard]] bool may_begin(World const& world, Node node);
    [[nodiscard]] bool is_left(World const& world, std::size_t fault) const;

    // --- persistent sets ----------------------------------------------------------------------------------------
    void reduce(World const& world, Moves& moves);
    [[nodiscard]] bool is_alone(World const& world, Node node);
    [[nodiscard]] bool faults_keep_out(World const& world, Node node) const;
    [[nodiscard]] bool links_keep_still(World const& world, Node node);
    [[nodiscard]] bool nobody_else_calls(World const& world, Node node) const;
    [[nodiscard]] bool may_call(World const& world, Node caller, Node callee) const;

    MachineRoom& room_;
    Job const& job_;
    FaultPlan plan_;
    bool reduction_;
    std::vector<Move> chosen_;
};

}  // namespace ronde::explore
