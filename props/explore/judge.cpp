#include "explore/judge.hpp"

#include "protocol/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::explore {
namespace {

using namespace protocol;

/// Who may be named, and what may have happened, according to the faults of this world.
struct Guilt {
    std::uint32_t nodes = 0;    ///< bit per node that a fault befell
    bool harmless_only = true;  ///< nothing but what everybody must survive
    bool time = false;          ///< a timer came early, so "late" proves nothing
    bool any = false;
    [[nodiscard]] bool is_guilty(Node node) const { return (nodes >> node & 1U) != 0; }
};

Guilt guilt_in(Job const& job, FaultPlan const& plan, World const& world) {
    Guilt guilt;
    for (std::uint8_t const spent : world.spent) {
        if (spent == 0)
            continue;
        Fault const& fault = plan.list[spent - 1U];
        guilt.any = true;
        if (fault.kind == FaultKind::drop || fault.kind == FaultKind::stranger)
            continue;
        guilt.harmless_only = false;
        guilt.time = guilt.time || fault.kind == FaultKind::timeout || fault.kind == FaultKind::haste;
        guilt.nodes |= 1U << fault.node;
        if (fault.kind == FaultKind::reset)
            guilt.nodes |= 1U << other_end_of(job, fault);
    }
    return guilt;
}

/// The verdict that a failed process ended with: its error, and the ranks that came along.
Verdict verdict_of(MachineRoom const& room, ProcessState const& state) {
    Verdict verdict;
    if (state.verdict != 0)
        verdict = room.mail()[state.verdict - 1U].verdict;
    verdict.error = state.machine.error;
    return verdict;
}

/// Whether the error names somebody whom a fault befell, and nobody who is well. A list of the missing may go on with
/// ranks that ended before they came: that is what it says of them.
bool names_the_guilty(MachineRoom const& room, World const& world, Guilt const& guilt, Verdict const& verdict) {
    Job const& job = room.job();
    Error const& error = verdict.error;
    auto const guilty_rank = [&](RankId rank) {
        for (Node process = 0; process < job.processes; ++process) {
            if (job.rank_of(process) == rank && guilt.is_guilty(process))
                return true;
        }
        return false;
    };
    auto const is_well = [&](RankId rank) {
        ProcessState const& state = room.process(world.states[rank]);
        return state.life != Life::dead && state.machine.phase != Phase::failed;
    };
    switch (error.code) {
    case Code::root_lost:
    case Code::root_silent:
        for (std::uint32_t root = 0; root < job.nroots; ++root) {
            if (guilt.is_guilty(job.root_node(root)))
                return true;
        }
        return false;
    case Code::ranks_missing: {
        bool somebody = false;
        for (std::uint32_t i = 0; i < verdict.range_count; ++i) {
            for (RankId rank = verdict.ranges[i].first; rank <= verdict.ranges[i].last; ++rank) {
                somebody = somebody || guilty_rank(rank);
                if (is_well(rank))
                    return false;
            }
        }
        return somebody;
    }
    case Code::rank_lost:
    case Code::peer_unreachable:
    case Code::deadline: return error.about != kNoRank && guilty_rank(error.about);
    default: return false;
    }
}

std::string error_text(MachineRoom const& room, ProcessState const& state) { return describe(verdict_of(room, state)); }

/// Whether the job itself has a flaw, which ends the round.
bool is_planned(Job const& job) {
    return job.settings.twin.has_value() || job.settings.same_device.has_value() || job.settings.told.has_value();
}

Broken judge_process(MachineRoom const& room, World const& world, Guilt const& guilt, Node node) {
    Job const& job = room.job();
    ProcessState const& state = room.process(world.states[node]);
    std::string const who = job.name_of(node);
    Phase const phase = state.machine.phase;
    if (state.life == Life::dead || state.life == Life::unborn)  // a second process may never come
        return {};
    if (phase != Phase::ready && phase != Phase::failed)
        return {Property::l2, fmt::format("{} waits for ever, {}", who, name_of(phase))};
    bool const planned = is_planned(job);
    if (phase == Phase::ready || planned)
        return {};
    if (guilt.harmless_only) {
        Property const property = guilt.any ? Property::s5 : Property::l1;
        return {property, fmt::format("{} fails: {}", who, error_text(room, state))};
    }
    if (!guilt.time && !names_the_guilty(room, world, guilt, verdict_of(room, state)))
        return {Property::l3, fmt::format("{} does not name the guilty: {}", who, error_text(room, state))};
    return {};
}

/// A second process, a device claimed twice, or two numbers of ranks: the round ends for everyone, with the right
/// names.
Broken judge_planned(MachineRoom const& room, World const& world, Guilt const& guilt) {
    Job const& job = room.job();
    if (guilt.any)
        return {};
    for (Node process = 0; process < job.processes; ++process) {
        ProcessState const& state = room.process(world.states[process]);
        Error const& error = state.machine.error;
        bool const failed = state.machine.phase == Phase::failed;
        if (job.settings.same_device) {
            auto const [low, high] = std::minmax(job.settings.same_device->first, job.settings.same_device->second);
            if (!failed || error.code != Code::duplicate_device || error.about != high || error.other != low) {
                return {Property::s8, fmt::format("ranks {} and {} share a device, and {} {}", low, high,
                                                  job.name_of(process), failed ? error_text(room, state) : "is ready")};
            }
            continue;
        }
        if (job.settings.told) {
            RankId const rank = job.settings.told->first;
            bool const named = error.code == Code::mismatch && error.field == Field::nranks &&
                               (error.about == rank || error.other == rank);
            if (!failed || !named)
                return {Property::l3, fmt::format("rank {} was told another number of ranks, and {} {}", rank,
                                                  job.name_of(process), failed ? error_text(room, state) : "is ready")};
            continue;
        }
        // The second process may come when the others have their ring already: then it alone is told so.
        bool const late = error.code == Code::id_consumed;
        bool const named = error.code == Code::duplicate_rank && error.about == *job.settings.twin;
        if (failed && !late && !named)
            return {Property::s4, fmt::format("rank {} is there twice, and {} says: {}", *job.settings.twin,
                                              job.name_of(process), error_text(room, state))};
    }
    return {};
}

}  // namespace

Broken judge_at_rest(MachineRoom const& room, FaultPlan const& plan, World const& world) {
    Job const& job = room.job();
    Guilt const guilt = guilt_in(job, plan, world);
    bool somebody_ready = false;
    for (Node process = 0; process < job.processes; ++process) {
        ProcessState const& state = room.process(world.states[process]);
        somebody_ready = somebody_ready || (state.history & ProcessState::kWasReady) != 0;
        if (Broken broken = judge_process(room, world, guilt, process); is_wanted(job.settings, broken))
            return broken;
    }
    if (is_planned(job)) {
        if (Broken broken = judge_planned(room, world, guilt); is_wanted(job.settings, broken))
            return broken;
    }
    bool const agreed = job.policies.commit == Commit::root || job.policies.commit == Commit::chords;
    ProcessState const* first_ready = nullptr;
    for (Node process = 0; process < job.processes; ++process) {
        ProcessState const& state = room.process(world.states[process]);
        bool const one_of_all = job.rank_of(process) == process;  // of a rank that is there twice, the first
        if (somebody_ready && agreed && one_of_all && !job.settings.twin &&
            (state.history & ProcessState::kHeldAll) == 0 && is_asked(job.settings, Property::s3))
            return {Property::s3, fmt::format("somebody was ready although {} never held table and both hands",
                                              job.name_of(process))};
        if (state.life == Life::dead || state.machine.phase != Phase::ready)
            continue;
        bool const differs = first_ready != nullptr && first_ready->table != state.table;
        if (differs && is_asked(job.settings, Property::s2))
            return {Property::s2, "two ready ranks hold different tables"};
        first_ready = &state;
    }
    return {};
}

std::string outcome_of(MachineRoom const& room, FaultPlan const& plan, World const& world) {
    Job const& job = room.job();
    std::string text;
    auto const add_error = [&](Verdict const& verdict) {
        Error const& error = verdict.error;
        text += fmt::format(" failed {}", name_of(error.code));
        if (error.about != kNoRank)
            text += fmt::format(" about {}", error.about);
        if (error.other != kNoRank)
            text += fmt::format(" and {}", error.other);
        if (verdict.range_count > 0)
            text += fmt::format(" ({})", describe_ranges(verdict));
    };
    for (Node process = 0; process < job.processes; ++process) {
        ProcessState const& state = room.process(world.states[process]);
        text +=
            fmt::format("{}{}", process == 0 ? "" : " | ", process < job.nranks ? fmt::format("{}", process) : "twin");
        if (state.life == Life::dead)
            text += (state.history & ProcessState::kWasReady) != 0 ? " died ready" : " died";
        else if (state.machine.phase == Phase::failed)
            add_error(verdict_of(room, state));
        else
            text += fmt::format(" {}", name_of(state.machine.phase));
    }
    for (std::uint32_t root = 0; root < job.nroots; ++root) {
        Node const node = job.root_node(root);
        NodeFacts const& facts = room.facts(node, world.states[node]);
        text += fmt::format(" | root{}", root);
        if (facts.life == Life::dead) {
            text += " died";
            continue;
        }
        Verdict const verdict = room.verdict_of_root(world.states[node]);
        if (verdict.error.is_ok())
            text += fmt::format(" {}", name_of(static_cast<RootPhase>(facts.phase)));
        else
            add_error(verdict);
    }
    std::vector<std::string> happened;
    for (std::uint8_t const spent : world.spent) {
        if (spent != 0)
            happened.push_back(text_of(plan.list[spent - 1U], job.settings));
    }
    std::sort(happened.begin(), happened.end());
    for (std::string const& fault : happened)
        text += " | " + fault;
    return text;
}

}  // namespace ronde::explore
