#include "explore/machine_room.hpp"

#include <algorithm>
#include <utility>

namespace ronde::explore {
namespace {

/// A state's number says which process it is a state of, once it is known whether that is a root.
constexpr std::uint64_t kOfRoot = std::uint64_t{1} << 63U;
constexpr TimeNs kCrashed = -1;
constexpr std::uint64_t kNoLink = 0xfffU;

}  // namespace

MachineRoom::MachineRoom(Job const& job) : job_(job) { check_root_layout(); }

StateNumber MachineRoom::number_of(ProcessState const& state, Origin const& origin) {
    StateNumber const number = processes_.number_of(state);
    if (number == process_facts_.size()) {
        process_facts_.push_back(facts_of(job_, state));
        process_origins_.push_back(origin);
    }
    return number;
}

StateNumber MachineRoom::number_of(RootState const& state, Origin const& origin) {
    StateNumber const number = roots_.number_of(state);
    if (number == root_facts_.size()) {
        root_facts_.push_back(facts_of(job_, state));
        root_origins_.push_back(origin);
    }
    return number;
}

StateNumber MachineRoom::unborn(Node node) {
    Origin const origin{Origin::How::unborn, node, 0, 0, 0};
    return job_.is_root(node) ? number_of(unborn_root(job_, node), origin)
                              : number_of(unborn_process(job_, node), origin);
}

template <class State>
Outcome MachineRoom::outcome_of(Performed<State>&& performed, Origin const& origin) {
    Outcome outcome;
    outcome.held = performed.held;
    outcome.ready = performed.ready;
    outcome.after = number_of(performed.after, origin);
    outcome.effects_at = static_cast<std::uint32_t>(effects_.size());
    outcome.effects = static_cast<std::uint16_t>(performed.effects.size());
    effects_.insert(effects_.end(), performed.effects.begin(), performed.effects.end());
    for (std::size_t i = 0; i < performed.effects.size(); ++i) {
        Effect const& effect = performed.effects[i];
        if (effect.kind != Effect::Kind::send || effect.message < message_origins_.size())
            continue;
        message_origins_.resize(effect.message);  // what nobody said before is a stranger's
        message_origins_.push_back(origin);
        message_origins_.back().effect = static_cast<std::uint16_t>(i);
    }
    if (performed.broken) {
        broken_.push_back(std::move(performed.broken));
        outcome.broken = static_cast<std::uint32_t>(broken_.size());
    }
    return outcome;
}

PackedInput MachineRoom::packed(Node node, Input const& input) const {
    std::uint64_t const link = input.link.value == protocol::Link{}.value
                                   ? kNoLink
                                   : (static_cast<std::uint64_t>(input.link.link_class()) << 8U) | input.link.index();
    return input.message | link << 32U | static_cast<std::uint64_t>(input.kind) << 44U |
           static_cast<std::uint64_t>(input.listener) << 50U | static_cast<std::uint64_t>(input.failure) << 52U |
           static_cast<std::uint64_t>(input.authentic) << 60U | (job_.is_root(node) ? kOfRoot : 0);
}

Input MachineRoom::unpacked(PackedInput packed) {
    auto const bits = [packed](unsigned from, unsigned count) {
        return packed >> from & ((std::uint64_t{1} << count) - 1U);
    };
    Input input;
    input.message = static_cast<std::uint32_t>(packed);
    if (std::uint64_t const link = bits(32, 12); link != kNoLink)
        input.link =
            protocol::Link{static_cast<protocol::LinkClass>(link >> 8U), static_cast<std::uint32_t>(link & 0xffU)};
    input.kind = static_cast<protocol::EventKind>(bits(44, 6));
    input.listener = static_cast<protocol::Listener>(bits(50, 2));
    input.failure = static_cast<protocol::Failure>(bits(52, 8));
    input.authentic = bits(60, 1) != 0;
    return input;
}

void MachineRoom::take_step(Node node, StateNumber state, Input const& input) {
    Origin const origin{Origin::How::step, node, 0, state, packed(node, input)};
    outcomes_.push_back(job_.is_root(node) ? outcome_of(perform(job_, mail_, roots_[state], input), origin)
                                           : outcome_of(perform(job_, mail_, processes_[state], input), origin));
    held_.push_back(outcomes_.back().held ? 1U : 0U);
}

template <class Make>
StateNumber MachineRoom::changed(Node node, StateNumber state, TimeNs elapsed_ns, Make const& make) {
    // Times are far from their ends, so the root's bit turns one into another that is no time.
    std::uint32_t const number =
        changes_.find_or_add(static_cast<std::uint64_t>(elapsed_ns) ^ (job_.is_root(node) ? kOfRoot : 0), state,
                             static_cast<std::uint32_t>(after_change_.size()));
    if (number == after_change_.size())
        after_change_.push_back(make());
    return after_change_[number];
}

StateNumber MachineRoom::dead(Node node, StateNumber state) {
    Origin const origin{Origin::How::dead, node, 0, state, 0};
    return changed(node, state, kCrashed, [&] {
        return job_.is_root(node) ? number_of(buried(roots_[state], Life::dead), origin)
                                  : number_of(buried(processes_[state], Life::dead), origin);
    });
}

StateNumber MachineRoom::aged(Node node, StateNumber state, TimeNs elapsed_ns) {
    if (elapsed_ns == 0)
        return state;
    Origin const origin{Origin::How::aged, node, 0, state, static_cast<std::uint64_t>(elapsed_ns)};
    return changed(node, state, elapsed_ns, [&] {
        return job_.is_root(node) ? number_of(explore::aged(job_, roots_[state], elapsed_ns), origin)
                                  : number_of(explore::aged(job_, processes_[state], elapsed_ns), origin);
    });
}

bool MachineRoom::never_returns() const {
    // States of processes first, then those of roots.
    std::uint32_t const states = processes_.size() + roots_.size();
    struct Arc {
        std::uint32_t from;
        std::uint32_t to;
    };
    std::vector<Arc> arcs;
    bool mute = true;
    auto const add = [&](std::uint64_t of, StateNumber from, StateNumber to) {
        std::uint32_t const first = (of & kOfRoot) != 0 ? processes_.size() : 0;
        if (from != to)
            arcs.push_back({first + from, first + to});
        return from != to;
    };
    steps_.for_each([&](PackedInput input, StateNumber state, std::uint32_t number) {
        Outcome const& outcome = outcomes_[number];
        if (add(input, state, outcome.after))
            return;
        for (Effect const& effect : effects_of(outcome))
            mute = mute && effect.kind != Effect::Kind::send && effect.kind != Effect::Kind::connect;
    });
    changes_.for_each([&](std::uint64_t time, StateNumber state, std::uint32_t number) {
        // Times are not negative but for one, so the bit says the opposite there.
        bool const crashed =
            time == static_cast<std::uint64_t>(kCrashed) || time == (static_cast<std::uint64_t>(kCrashed) ^ kOfRoot);
        add(crashed ? ~time : time, state, after_change_[number]);
    });
    if (!mute)
        return false;
    // Taken away one after the other: states to which nothing leads any more.
    std::vector<std::uint32_t> into(states);
    std::vector<std::uint32_t> from(states + 1U);
    for (Arc const arc : arcs) {
        ++into[arc.to];
        ++from[arc.from + 1U];
    }
    for (std::uint32_t state = 0; state < states; ++state)
        from[state + 1U] += from[state];
    std::vector<std::uint32_t> to(arcs.size());
    std::vector<std::uint32_t> next(from.begin(), from.end() - 1);
    for (Arc const arc : arcs)
        to[next[arc.from]++] = arc.to;
    std::vector<std::uint32_t> free;
    for (std::uint32_t state = 0; state < states; ++state) {
        if (into[state] == 0)
            free.push_back(state);
    }
    std::uint32_t taken = 0;
    while (!free.empty()) {
        std::uint32_t const state = free.back();
        free.pop_back();
        ++taken;
        for (std::uint32_t at = from[state]; at < from[state + 1U]; ++at) {
            if (--into[to[at]] == 0)
                free.push_back(to[at]);
        }
    }
    return taken == states;
}

std::vector<Step> MachineRoom::steps_from(std::uint64_t first) const {
    std::vector<Step> steps(this->steps() - std::min(first, this->steps()));
    steps_.for_each([&](PackedInput input, StateNumber state, std::uint32_t number) {
        if (number >= first)
            steps[number - first] = {state, input};
    });
    return steps;
}

Node MachineRoom::node_of(Step const& step) const {
    return (step.input & kOfRoot) != 0 ? roots_[step.before].root : processes_[step.before].process;
}

protocol::Verdict MachineRoom::verdict_of_root(StateNumber state) const {
    RootState copy = roots_[state];
    return machine_of(job_, copy).verdict();
}

void MachineRoom::retell(Node node, StateNumber state, Input const& input, Listening const& listening) {
    if (job_.is_root(node))
        static_cast<void>(perform(job_, mail_, roots_[state], input, listening));
    else
        static_cast<void>(perform(job_, mail_, processes_[state], input, listening));
}

}  // namespace ronde::explore
