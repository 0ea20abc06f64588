#include "explore/node_state.hpp"

#include "protocol/check.hpp"

#include <cstring>

namespace ronde::explore {
namespace {

using namespace protocol;

static_assert(std::has_unique_object_representations_v<ProcessState>);
static_assert(std::has_unique_object_representations_v<RootState>);

std::byte* bytes_of(Root& root) { return reinterpret_cast<std::byte*>(&root); }
std::byte const* bytes_of(Root const& root) { return reinterpret_cast<std::byte const*>(&root); }
constexpr std::size_t kDoorsAt = kRootPointerBytes + kRootCoreBytes;

}  // namespace

Rank machine_of(Job const& job, ProcessState const& state) {
    Rank machine(job.ranks[state.process]);
    // A Rank is its configuration and its state, both trivially copyable; it has no other way to take a state over.
    std::memcpy(const_cast<RankState*>(&machine.state()), &state.machine, sizeof(RankState));
    return machine;
}

Root machine_of(Job const& job, RootState& state) {
    Root machine(job.roots[state.root - job.processes]);
    machine.provide({state.records, state.device_index});
    std::memcpy(bytes_of(machine) + kRootPointerBytes, state.core.data(), kRootCoreBytes);
    std::memcpy(bytes_of(machine) + kDoorsAt, state.doors.data(), sizeof(state.doors));
    return machine;
}

void keep(ProcessState& state, Rank const& machine) { state.machine = machine.state(); }

void keep(RootState& state, Root const& machine) {
    std::memcpy(state.core.data(), bytes_of(machine) + kRootPointerBytes, kRootCoreBytes);
    std::memcpy(state.doors.data(), bytes_of(machine) + kDoorsAt, sizeof(state.doors));
}

void check_root_layout() {
    // Two roots that differ in nothing but where their configuration and their records are.
    RootConfig const configs[2];
    RootRecord records[2];
    std::uint32_t index[2] = {};
    Root first(configs[0]);
    Root second = first;
    Root const moved(configs[1]);
    std::memcpy(bytes_of(second), bytes_of(moved), sizeof(void*));  // its configuration
    first.provide({std::span(&records[0], 1), std::span(&index[0], 1)});
    second.provide({std::span(&records[1], 1), std::span(&index[1], 1)});
    std::byte const* const a = bytes_of(first);
    std::byte const* const b = bytes_of(second);
    RONDE_CHECK(std::memcmp(a, b, kRootPointerBytes) != 0, "a root begins with its pointers");
    RONDE_CHECK(std::memcmp(a + kRootPointerBytes, b + kRootPointerBytes, sizeof(Root) - kRootPointerBytes) == 0,
                "behind its first 40 bytes a root has no pointer");
    RootDoor const door;
    RONDE_CHECK(std::memcmp(a + kDoorsAt, &door, sizeof(RootDoor)) == 0 &&
                    std::memcmp(a + sizeof(Root) - sizeof(RootDoor), &door, sizeof(RootDoor)) == 0,
                "a root ends with its doors");
}

ProcessState unborn_process(Job const& job, Node process) {
    ProcessState state;
    state.process = process;
    state.table[job.rank_of(process)] = static_cast<Whose>(process + 1U);
    return state;
}

RootState unborn_root(Job const& job, Node root) {
    RootState state;
    std::memset(static_cast<void*>(&state), 0, sizeof(state));
    state.doors.fill(RootDoor{});
    state.records.fill(RootRecord{});
    state.root = root;
    Root const machine(job.roots[root - job.processes]);
    keep(state, machine);
    return state;
}

ProcessState buried(ProcessState const& state, Life life) {
    ProcessState rest;
    rest.process = state.process;
    rest.life = life;
    rest.history = state.history;
    if (life != Life::ended)
        return rest;
    rest.machine.phase = state.machine.phase;
    rest.machine.error = state.machine.error;
    rest.verdict = state.verdict;
    return rest;
}

RootState buried(RootState const& state, Life life) {
    RootState rest;
    std::memset(static_cast<void*>(&rest), 0, sizeof(rest));
    rest.root = state.root;
    rest.life = life;
    if (life == Life::ended)
        rest.core = state.core;  // the verdict is in it, and no time: a finished root waits for nothing
    return rest;
}

ProcessState aged(Job const& job, ProcessState const& state, TimeNs elapsed_ns) {
    if (state.life != Life::running)
        return state;
    ProcessState older = state;
    Rank machine = machine_of(job, state);
    machine.set_back(elapsed_ns);
    keep(older, machine);
    return older;
}

RootState aged(Job const& job, RootState const& state, TimeNs elapsed_ns) {
    if (state.life != Life::running)
        return state;
    RootState older = state;
    Root machine = machine_of(job, older);
    machine.set_back(elapsed_ns);
    keep(older, machine);
    return older;
}

NodeFacts facts_of(Job const& job, ProcessState const& state) {
    NodeFacts facts;
    facts.life = state.life;
    facts.bound = state.bound;
    facts.credits = {state.credits[0], state.credits[1], 0};
    facts.phase = static_cast<std::uint8_t>(state.machine.phase);
    facts.finished = state.machine.phase == Phase::failed || state.machine.phase == Phase::closed;
    facts.anonymous = (state.history & ProcessState::kIntroduced) == 0;
    facts.checked_in = (state.machine.flags & RankState::kRootOpen) != 0;
    facts.knows_successor = (state.machine.flags & RankState::kKnowsSuccessor) != 0;
    if (state.life == Life::running)
        facts.deadline_ns = machine_of(job, state).deadline();
    return facts;
}

NodeFacts facts_of(Job const& job, RootState const& state) {
    NodeFacts facts;
    facts.life = state.life;
    facts.bound = state.bound;
    facts.credits = {0, 0, state.credits};
    RootState copy = state;
    Root const machine = machine_of(job, copy);
    facts.phase = static_cast<std::uint8_t>(machine.phase());
    facts.finished = machine.finished();
    if (state.life == Life::running)
        facts.deadline_ns = machine.deadline();
    return facts;
}

}  // namespace ronde::explore
