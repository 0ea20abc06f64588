/// The search itself: from the first world through every order of events, each world once.
#pragma once

#include "explore/judge.hpp"
#include "explore/moves.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <set>

namespace ronde::explore {

struct SearchCounts {
    std::uint64_t states = 0;         ///< distinct worlds visited
    std::uint64_t transitions = 0;    ///< moves made, those to a known world included
    std::uint64_t possible = 0;       ///< moves there were, those that the reduction left out included
    std::uint64_t rests = 0;          ///< worlds in which nothing happens any more
    std::uint64_t reduced = 0;        ///< worlds of which only one node's moves were made
    std::uint64_t depth = 0;          ///< longest path
    std::uint64_t bytes = 0;          ///< most memory that the worlds of one search took
    std::uint64_t node_states = 0;    ///< distinct states of single processes
    std::uint64_t machine_steps = 0;  ///< steps that the real machines took
    /// Expected worlds that a fingerprint mistook for another one, times 2^65: the sum of n^2 over all searches.
    long double mistaken_2_65 = 0;
};

struct Counterexample {
    Broken broken;
    std::vector<Move> path;  ///< from the first world
    FaultPlan plan;
};

enum class Answer : std::uint8_t { holds, broken, gave_up };

/// Asked now and then: how far it is, and whether to go on.
using KeepGoing = std::function<bool(SearchCounts const&)>;

/// One search with one plan of faults.
class Search {
public:
    Search(MachineRoom& room, FaultPlan const& plan, ExploreSettings const& settings, KeepGoing keep_going);

    /// Breadth first, no path longer than `most_depth`, which may become smaller meanwhile.
    Answer breadth_first(std::atomic<std::uint64_t> const& most_depth);
    /// Depth first; notices circles.
    Answer depth_first();

    [[nodiscard]] SearchCounts const& counts() const { return counts_; }
    /// Breadth first: the counts when all worlds of a depth had been looked at.
    [[nodiscard]] std::vector<SearchCounts> const& counts_by_depth() const { return counts_by_depth_; }
    [[nodiscard]] std::optional<Counterexample> const& found() const { return found_; }
    [[nodiscard]] std::set<std::string> const& outcomes() const { return outcomes_; }
    [[nodiscard]] std::string const& gave_up_why() const { return gave_up_why_; }
    [[nodiscard]] bool out_of_time() const { return out_of_time_; }
    /// After breadth_first that holds: whether no move leads back to where it came from. `unknown`: there were more
    /// moves than it keeps.
    enum class Circles : std::uint8_t { none, some, unknown };
    [[nodiscard]] Circles circles() const;

private:
    static constexpr std::uint32_t kNoParent = 0xffff'ffffU;
    struct Record {
        std::uint32_t parent;
        std::uint32_t move;
    };
    struct Level {
        std::vector<std::byte> bytes;
        std::uint32_t first = 0;
    };
    struct Frame;

    /// A world that a move led to.
    struct Successor {
        std::size_t at;  ///< in `successors_bytes_`
        std::size_t size;
        std::uint64_t fingerprint;
        std::uint32_t move;
    };

    std::uint32_t number_of(std::span<std::byte const> world, std::uint64_t fingerprint, bool& fresh);
    /// All that the moves lead to, so that the table can be fetched for them at once. False: a rule was broken.
    bool make_successors(std::span<std::byte const> from, Moves const& moves, std::uint32_t number);
    Answer expand(std::span<std::byte const> from, std::uint32_t number, Level& next);
    bool may_go_on();
    /// Whether the first steps, those of the roots before anybody begins, break no rule.
    bool begins_well();
    Answer look_at_rest(World const& world, std::function<std::vector<Move>()> const& path);
    [[nodiscard]] std::vector<Move> path_to(std::uint32_t number) const;
    Answer give_up(std::string why);

    MachineRoom& room_;
    ExploreSettings const& settings_;
    KeepGoing keep_going_;
    MoveFinder finder_;
    FingerprintIndex visited_;
    std::vector<Record> records_;          ///< breadth first: how each world was reached
    std::vector<std::byte> worlds_;        ///< exact: all of them
    std::vector<std::uint64_t> world_at_;  ///< exact: where each begins
    std::uint32_t numbers_ = 0;
    std::uint64_t since_asked_ = 0;
    bool graded_ = true;                    ///< each move led from one depth to the next
    bool keeps_arcs_ = true;                ///< breadth first: not yet too many
    std::vector<std::uint32_t> arcs_;       ///< ... where all moves lead, in the order of the worlds that they leave
    std::vector<std::uint64_t> arcs_from_;  ///< ... where those of each world begin
    World world_;                           ///< where moves are made
    Moves moves_;
    std::vector<Successor> successors_;
    std::vector<std::byte> successors_bytes_;
    SearchCounts counts_;
    std::vector<SearchCounts> counts_by_depth_;
    bool out_of_time_ = false;
    std::optional<Counterexample> found_;
    std::set<std::string> outcomes_;
    std::string gave_up_why_;
};

}  // namespace ronde::explore
