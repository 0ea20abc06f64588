/// Every state that a process was ever seen in, and every step that was ever taken from one: a world needs only the
/// numbers. A machine is stepped once for each (state, input); after that the answer is looked up.
#pragma once

#include "explore/performer.hpp"

#include <deque>
#include <memory>

namespace ronde::explore {

/// A state's number. Processes and roots are numbered apart; which one is meant follows from the node.
using StateNumber = std::uint32_t;

struct Outcome {
    StateNumber after = 0;
    bool held = false;
    bool ready = false;
    std::vector<Effect> effects;
    Broken broken;
};

class MachineRoom {
public:
    explicit MachineRoom(Job const& job);

    [[nodiscard]] Job const& job() const { return job_; }
    [[nodiscard]] Mail& mail() { return mail_; }
    [[nodiscard]] Mail const& mail() const { return mail_; }

    [[nodiscard]] StateNumber unborn(Node node);
    /// References stay valid.
    Outcome const& step(Node node, StateNumber state, Input const& input);
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

    /// Steps again with somebody listening, to tell what happened.
    void retell(Node node, StateNumber state, Input const& input, Listening const& listening);

    /// Distinct states of single processes, and distinct steps of the real machines.
    [[nodiscard]] std::uint64_t states() const { return std::uint64_t{processes_.size()} + roots_.size(); }
    [[nodiscard]] std::uint64_t steps() const { return outcomes_.size(); }

private:
    StateNumber number_of(ProcessState const& state);
    StateNumber number_of(RootState const& state);
    template <class State>
    Outcome outcome_of(Performed<State>&& performed);
    template <class Make>
    StateNumber changed(Node node, StateNumber state, TimeNs elapsed_ns, Make const& make);

    Job const& job_;
    Mail mail_;
    Interner<ProcessState> processes_;
    Interner<RootState> roots_;
    std::vector<NodeFacts> process_facts_;
    std::vector<NodeFacts> root_facts_;
    KeyIndex steps_;  ///< numbers of (input, state), in step with `outcomes_`
    std::deque<Outcome> outcomes_;
    KeyIndex changes_;  ///< numbers of (time, state), in step with `after_change_`
    std::vector<StateNumber> after_change_;
};

}  // namespace ronde::explore
