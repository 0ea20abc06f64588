/// The search itself: from the first world through every order of events, each world once.
#pragma once

#include "explore/judge.hpp"
#include "explore/moves.hpp"
#include "explore/pack.hpp"
#include "explore/rotation_keys.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <set>

namespace ronde::explore {

struct SearchCounts {
    std::uint64_t states = 0;         ///< distinct worlds visited
    std::uint64_t turned = 0;         ///< ... with those that they stand for, which are turned versions of them
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
    /// Breadth first, one of several turned worlds only: why that was wrong, in which case nothing else that this
    /// search says is of use. Empty: it was right.
    [[nodiscard]] std::string why_not_turned();
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
    struct Frame;

    /// A world to be looked at.
    struct Known {
        std::uint32_t const* packed;
        std::uint64_t fingerprint;
        std::uint32_t number;
    };
    /// A world whose moves were made, and whose neighbours are not yet looked up.
    struct Expanded {
        std::uint32_t const* packed;
        std::uint32_t number;
        bool again;
        std::size_t successors;  ///< up to which of `successors_` they are its own
    };
    struct Successor {
        Neighbour neighbour;
        SleepSet asleep;  ///< behind this move
        std::uint32_t move;
        std::uint32_t versions;  ///< how many worlds it stands for
    };
    struct Arc {
        std::uint32_t from;
        std::uint32_t to;
    };

    /// `packed` is looked at where worlds are compared exactly.
    std::uint32_t number_of(std::uint64_t fingerprint, std::span<std::uint32_t const> packed, bool& fresh);
    void first_level(WordLog& level);
    /// Looks at all worlds of one depth, the first of which has this number.
    Answer through_level(WordLog& level, std::uint32_t& number, WordLog& next);
    /// Looks again at worlds in which something has woken up, until nothing does any more.
    Answer through_woken(WordLog& next, std::uint32_t next_first);
    /// Looks at one world and makes its moves. What they lead to is looked up later, together with that of others, when
    /// the table has come into the caches.
    Answer expand(Known const& world);
    /// Makes the moves that slept when the world was looked at, and those whose followers slept because of them.
    Answer expand_again(Known const& world, SleepSet woken);
    Answer make(Known const& from, Move move, SleepSet asleep);
    /// Looks up what `expanded_` led to. What is new goes into the next level.
    void enter(WordLog& next, std::uint32_t next_first);
    /// A known world is reached once more, with these moves asleep. Which of its moves wake up.
    SleepSet wake(std::uint32_t number, SleepSet asleep);
    std::size_t write(std::uint32_t* words, Expanded const& from, Neighbour const& neighbour);
    void keep_woken(Expanded const& from, Neighbour const& neighbour, std::uint32_t number, SleepSet woken);
    bool may_go_on();
    /// Whether the first steps, those of the roots before anybody begins, break no rule.
    bool begins_well();
    Answer look_at_rest(World const& world, std::function<std::vector<Move>()> const& path);
    [[nodiscard]] std::vector<Move> path_to(std::uint32_t number) const;
    Answer give_up(std::string why);
    /// Gives the last successor the fingerprint that all its turned versions have.
    void turn(std::uint32_t const* packed, Change const& change);
    [[nodiscard]] std::size_t exact_bytes() const { return worlds_.size() * sizeof(std::uint32_t); }

    MachineRoom& room_;
    ExploreSettings const& settings_;
    KeepGoing keep_going_;
    MoveFinder finder_;
    MoveNames names_;
    Packer packer_;
    std::optional<RotationKeys> keys_;  ///< when one of several turned worlds is enough
    RotationKeys::Lanes lanes_{};       ///< ... of the world that is looked at
    bool sleeps_ = false;               ///< breadth first: moves sleep
    FingerprintIndex visited_;
    Column<Record> records_;               ///< breadth first: how each world was reached
    Column<SleepSet> asleep_;              ///< ... and which of its moves sleep
    std::vector<std::uint32_t> worlds_;    ///< exact: all of them
    std::vector<std::uint64_t> world_at_;  ///< exact: where each begins
    std::uint32_t numbers_ = 0;
    std::uint64_t since_asked_ = 0;
    bool graded_ = true;             ///< each move led from one depth to the next
    bool keeps_arcs_ = true;         ///< breadth first: not yet too many
    Column<std::uint32_t> arcs_;     ///< ... where all moves lead, in the order of the worlds that they leave
    Column<std::uint16_t> arcs_of_;  ///< ... how many there are of each
    Column<Arc> late_arcs_;          ///< ... and those of moves that have woken up
    World world_;                    ///< where moves are made
    Moves moves_;
    std::span<Prospect const* const> prospects_;  ///< of the world that is looked at
    WordLog::Pool pool_;
    WordLog woken_{pool_};         ///< worlds that are looked at again: fingerprint, number, what woke up, packed
    std::uint32_t looked_at_ = 0;  ///< worlds that were looked at, the first of all worlds
    std::vector<Expanded> expanded_;
    std::vector<Successor> successors_;
    Differences differences_;            ///< of successors
    std::vector<std::uint32_t> packed_;  ///< depth first, exact: what is looked up
    SearchCounts counts_;
    std::vector<SearchCounts> counts_by_depth_;
    bool out_of_time_ = false;
    std::optional<Counterexample> found_;
    std::set<std::string> outcomes_;
    std::string gave_up_why_;
};

}  // namespace ronde::explore
