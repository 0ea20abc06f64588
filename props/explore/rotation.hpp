/// A job with one root looks the same from every rank: whoever turns it by one rank has the same job again. If the
/// machines treat all ranks alike, too, then of worlds that are turned versions of each other one is enough.
///
/// Nothing is taken for granted of the machines. What becomes of a state when the job is turned is not read from its
/// bytes but found out: the state came from another one by a step, and the next process takes the same step in its own
/// state. `holds` asks afterwards whether that is consistent: every step that was ever taken, turned, leads to the
/// turned state and says the turned messages over the turned links.
#pragma once

#include "explore/world.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ronde::explore {

class Rotation {
public:
    /// Of a job with one root, each rank there once.
    explicit Rotation(MachineRoom& room) : room_(room), job_(room.job()) {}

    [[nodiscard]] Node next(Node node) const {
        return job_.is_root(node) ? node : static_cast<Node>((node + 1U) % job_.nranks);
    }
    /// What `next(node)` has for a state when `node` has this one.
    [[nodiscard]] StateNumber turned(Node node, StateNumber state);
    /// The connection between the next ones.
    [[nodiscard]] Connection turned(Connection const& connection);

    /// Of a world in which nothing can happen before time passes: ranks draw when their timers are due, each its own.
    void look_at_timers(World const& world);

    /// Whether turning has led to nothing yet that differs in more than who it is. Otherwise nothing else that this
    /// says is of use.
    [[nodiscard]] bool is_possible() const { return why_.empty(); }
    /// The proof, of all that the room knows: it takes steps until it knows all turned ones as well. Turning is then
    /// one to one, comes back after as many turns as there are ranks, and a turned step is the step of what is turned.
    [[nodiscard]] bool holds();
    /// Why not; empty as long as nothing is known against it.
    [[nodiscard]] std::string const& why_not() const { return why_; }

private:
    static constexpr std::uint32_t kUnknown = 0xffff'ffffU;

    [[nodiscard]] protocol::Link turned(Node node, protocol::Link link);
    [[nodiscard]] Input turned(Node node, Input const& input);
    [[nodiscard]] std::uint32_t turned_message(std::uint32_t message);
    /// What the next one says where somebody said this, for the first time.
    [[nodiscard]] std::uint32_t said_instead(std::uint32_t message, Origin const& origin);
    [[nodiscard]] std::uint32_t turned_queue(std::uint32_t queue);
    /// The same step of the next process.
    [[nodiscard]] Outcome turned_step(Node node, StateNumber before, Input const& input);
    [[nodiscard]] std::string_view difference(Node node, StateNumber state, StateNumber other);
    /// Whether what a step did is, turned, what the other one did. The order matters on each link, not between them.
    [[nodiscard]] bool does_the_same(Node node, Outcome const& outcome, Outcome const& other);
    void look_at(Step const& step);
    void go_round();
    [[nodiscard]] bool is_one_to_one();
    void refuse(std::string why) {
        if (why_.empty())
            why_ = std::move(why);
    }

    MachineRoom& room_;
    Job const& job_;
    std::vector<StateNumber> processes_;  ///< by state: the turned one, or kUnknown
    std::vector<StateNumber> roots_;      ///< likewise
    std::vector<std::uint32_t> messages_;
    std::vector<std::uint32_t> queues_;
    std::string why_;
};

}  // namespace ronde::explore
