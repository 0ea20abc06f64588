/// Every state that a process was ever seen in, and every step that was ever taken from one: a world needs only the
/// numbers. A machine is stepped once for each (state, input); after that the answer is looked up.
#pragma once

#include "explore/performer.hpp"

#include <memory>

namespace ronde::explore {

/// A state's number. Processes and roots are numbered apart; which one is meant follows from the node.
using StateNumber = std::uint32_t;

/// An input, and whether it is one to a root: with a state's number it says which step is meant.
using PackedInput = std::uint64_t;

/// What came of a step. Small, since it is read for every move of every world.
struct Outcome {
    StateNumber after = 0;
    std::uint32_t effects_at = 0;
    std::uint16_t effects = 0;
    bool held = false;
    bool ready = false;
    std::uint32_t broken = 0;  ///< number plus one of what it breaks
};

/// How a state came to be that was seen for the first time, or a message.
struct Origin {
    enum class How : std::uint8_t { unknown, unborn, step, aged, dead };
    How how = How::unknown;
    Node node = 0;
    std::uint16_t effect = 0;  ///< of a message: which one of the step said it
    StateNumber before = 0;    ///< what the node was
    std::uint64_t what = 0;    ///< step: its PackedInput; aged: nanoseconds
};

/// A step that was taken.
struct Step {
    StateNumber before = 0;
    PackedInput input = 0;
};

class MachineRoom {
public:
    explicit MachineRoom(Job const& job);

    [[nodiscard]] Job const& job() const { return job_; }
    [[nodiscard]] Mail& mail() { return mail_; }
    [[nodiscard]] Mail const& mail() const { return mail_; }

    [[nodiscard]] StateNumber unborn(Node node);
    Outcome step(Node node, StateNumber state, Input const& input) {
        return outcomes_[number_of_step(node, state, packed(node, input), [&input] { return input; })];
    }
    /// Until the next step.
    [[nodiscard]] std::span<Effect const> effects_of(Outcome const& outcome) const {
        return std::span(effects_).subspan(outcome.effects_at, outcome.effects);
    }
    [[nodiscard]] Broken broken_by(Outcome const& outcome) const {
        return outcome.broken == 0 ? Broken{} : broken_[outcome.broken - 1U];
    }
    [[nodiscard]] PackedInput packed(Node node, Input const& input) const;
    [[nodiscard]] static Input unpacked(PackedInput packed);
    /// Whether a frame is one that the machine cannot take now.
    bool is_held(Node node, StateNumber state, PackedInput input) {
        return held_[number_of_step(node, state, input, [input] { return unpacked(input); })] != 0;
    }
    /// The node's state when it has crashed.
    StateNumber dead(Node node, StateNumber state);
    /// The same state `elapsed_ns` later.
    StateNumber aged(Node node, StateNumber state, TimeNs elapsed_ns);
    [[nodiscard]] NodeFacts const& facts(Node node, StateNumber state) const {
        return job_.is_root(node) ? root_facts_[state] : process_facts_[state];
    }
    [[nodiscard]] ProcessState const& process(StateNumber state) const { return processes_[state]; }
    [[nodiscard]] RootState const& root(StateNumber state) const { return roots_[state]; }
    /// The root's verdict; nothing is wrong while it is ok.
    [[nodiscard]] protocol::Verdict verdict_of_root(StateNumber state) const;

    /// Whether no process that took these steps can come back to a state that it has left, and whatever left a state as
    /// it was said nothing and called nobody. Then there is no circle of worlds either: each of its moves would only
    /// take something away.
    [[nodiscard]] bool never_returns() const;

    [[nodiscard]] Origin const& origin_of(Node node, StateNumber state) const {
        return job_.is_root(node) ? root_origins_[state] : process_origins_[state];
    }
    [[nodiscard]] Origin origin_of_message(std::uint32_t message) const {
        return message < message_origins_.size() ? message_origins_[message] : Origin{};
    }
    /// Steps in the order in which they were taken, without the first ones.
    [[nodiscard]] std::vector<Step> steps_from(std::uint64_t first) const;
    /// Whose step it is.
    [[nodiscard]] Node node_of(Step const& step) const;

    /// Steps again with somebody listening, to tell what happened.
    void retell(Node node, StateNumber state, Input const& input, Listening const& listening);

    /// Distinct states of single processes, and distinct steps of the real machines.
    [[nodiscard]] std::uint64_t states() const { return std::uint64_t{processes_.size()} + roots_.size(); }
    [[nodiscard]] std::uint64_t steps() const { return outcomes_.size(); }

private:
    StateNumber number_of(ProcessState const& state, Origin const& origin);
    StateNumber number_of(RootState const& state, Origin const& origin);
    template <class Unpack>
    std::uint32_t number_of_step(Node node, StateNumber state, PackedInput packed, Unpack const& input) {
        auto const next = static_cast<std::uint32_t>(held_.size());
        std::uint32_t const number = steps_.find_or_add(packed, state, next);
        if (number == next)
            take_step(node, state, input());
        return number;
    }
    /// For the first time.
    void take_step(Node node, StateNumber state, Input const& input);
    template <class State>
    Outcome outcome_of(Performed<State>&& performed, Origin const& origin);
    template <class Make>
    StateNumber changed(Node node, StateNumber state, TimeNs elapsed_ns, Make const& make);

    Job const& job_;
    Mail mail_;
    Interner<ProcessState> processes_;
    Interner<RootState> roots_;
    std::vector<NodeFacts> process_facts_;
    std::vector<NodeFacts> root_facts_;
    std::vector<Origin> process_origins_;
    std::vector<Origin> root_origins_;
    std::vector<Origin> message_origins_;
    KeyIndex steps_;  ///< numbers of (input, state), in step with `outcomes_`
    std::vector<Outcome> outcomes_;
    std::vector<Effect> effects_;
    std::vector<Broken> broken_;
    std::vector<std::uint8_t> held_;  ///< of outcomes, in a place that stays in the caches
    KeyIndex changes_;                ///< numbers of (time, state), in step with `after_change_`
    std::vector<StateNumber> after_change_;
};

}  // namespace ronde::explore
