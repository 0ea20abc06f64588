/// What goes wrong, and when.
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

TimeNs end_of(TimeNs now_ns, TimeNs duration_ns) {
    return duration_ns >= kNever - now_ns ? kNever : now_ns + duration_ns;
}

}  // namespace

Hardship const* WorldState::find_hardship(ProcessId process) const {
    auto const found = hardships_.find(process);
    return found == hardships_.end() ? nullptr : &found->second;
}

std::vector<ProcessId> WorldState::targets_of(Fault const& fault) const {
    std::vector<ProcessId> targets;
    switch (fault.target) {
    case Target::ranks:
        for (RankRange const& range : fault.ranks) {
            for (RankId rank = range.first; rank < range.first + range.count && rank < plan_.nranks; ++rank)
                targets.push_back(rank);
        }
        break;
    case Target::root:
        if (fault.index < plan_.nroots)
            targets.push_back(plan_.nranks + fault.index);
        break;
    case Target::host:
        for (ProcessId process = 0; process < processes_.size(); ++process) {
            if (processes_[process].host == fault.index && processes_[process].kind != ProcessKind::stranger)
                targets.push_back(process);
        }
        break;
    }
    // Those that replaced a dead rank are meant too.
    for (auto const& [process, extra] : extras_) {
        bool const replaces = processes_[process].kind == ProcessKind::rank && fault.target == Target::ranks &&
                              std::find(targets.begin(), targets.end(), extra.rank) != targets.end();
        if (replaces)
            targets.push_back(process);
    }
    return targets;
}

// --- before the start -----------------------------------------------------------------------------------------------

void WorldState::prepare_faults() {
    for (std::uint32_t number = 0; number < plan_.faults.size(); ++number)
        prepare(number);
}

void WorldState::prepare(std::uint32_t number) {
    Fault const& fault = plan_.faults[number];
    for (ProcessId const id : targets_of(fault)) {
        processes_[id].set(Process::kCareful);
        if (!is_from_birth(fault.kind))
            continue;
        Hardship& hard = hardship_of(id);
        auto const own = [&]() -> protocol::RankConfig& {
            auto& config = own_configs_[id];
            if (!config) {
                (void)wear(id);
                config = std::make_unique<protocol::RankConfig>(worn_);
                ranks_[id] = Machine(*config);
                processes_[id].set(Process::kOwnConfig);
            }
            return *config;
        };
        bool const rank = id < plan_.nranks;
        switch (fault.kind) {
        case FaultKind::never: processes_[id].set(Process::kAbsent); break;
        case FaultKind::late: hard.late_ns += fault.duration_ns; break;
        case FaultKind::address_in_use: hard.listen_fails = true; break;
        case FaultKind::same_device: hard.device_of = static_cast<RankId>(fault.amount); break;
        case FaultKind::wrong_nranks:
            if (rank)
                own().nranks = static_cast<std::uint32_t>(fault.amount);
            break;
        case FaultKind::wrong_roots:
            if (rank)
                own().roots_digest = worn_.roots_digest + 1U;
            break;
        case FaultKind::wrong_profile:
            if (rank) {
                Policies const other = protocol::policies_of(static_cast<protocol::Profile>(fault.amount));
                own().policies = protocol::resolve(other, plan_.nranks, plan_.nroots);
                if (own().policies.reply == protocol::Reply::callback)
                    callback_listeners_.resize(processes_.size());
            }
            break;
        case FaultKind::wrong_version:
            if (rank)
                own().version = static_cast<std::uint8_t>(fault.amount);
            break;
        case FaultKind::stale_id:
            hard.stale_id = true;
            if (rank)
                own().session = worn_.session + 2U;
            break;
        default: break;
        }
    }
    if (is_from_birth(fault.kind))
        return;
    Trigger const& when = fault.when;
    if (when.rank == kNoRank) {
        occurrences_[plan_at(when.at_ns, Happening::fault, kNoProcess)].content = number;
        return;
    }
    if (when.rank < plan_.nranks) {
        triggers_.emplace(when.rank, number);
        processes_[when.rank].set(Process::kTriggers);
    }
}

/// A process has entered a phase for which a fault was waiting.
void WorldState::phase_entered(ProcessId id) {
    RankId const rank = rank_of(id);
    auto const [first, last] = triggers_.equal_range(rank);
    for (auto at = first; at != last;) {
        Fault const& fault = plan_.faults[at->second];
        if (fault.when.phase != static_cast<Phase>(processes_[id].phase)) {
            ++at;
            continue;
        }
        occurrences_[plan_at(std::max(stamp_ns_, fault.when.at_ns), Happening::fault, kNoProcess)].content = at->second;
        at = triggers_.erase(at);
    }
}

// --- the blow -------------------------------------------------------------------------------------------------------

void WorldState::strike(std::uint32_t number) {
    Fault const fault = plan_.faults[number];
    for (Observer* const observer : observers_)
        observer->on_fault(now_ns_, fault);
    for (ProcessId const id : targets_of(fault))
        strike_process(id, fault);
}

void WorldState::strike_process(ProcessId id, Fault const& fault) {
    Hardship& hard = hardship_of(id);
    processes_[id].set(Process::kCareful);
    TimeNs const until_ns = end_of(now_ns_, fault.duration_ns);
    switch (fault.kind) {
    case FaultKind::slow:
        hard.slowness = static_cast<std::uint32_t>(std::max<std::uint64_t>(fault.amount, 1));
        hard.slow_until_ns = until_ns;
        processes_[id].set(Process::kSlow);
        break;
    case FaultKind::pause: hard.paused_until_ns = until_ns; break;
    case FaultKind::crash: kill(id, fault.death); break;
    case FaultKind::restart: {
        kill(id, fault.death);
        if (processes_[id].kind != ProcessKind::rank || fault.duration_ns == kNever)
            break;
        ProcessId const fresh = add_process(rank_of(id), processes_[id].host);
        plan_at(until_ns, Happening::start, fresh);
        break;
    }
    case FaultKind::abort:
        if (processes_[id].alive())
            tell_later(id, Happening::give_up);
        break;
    case FaultKind::reset: {
        std::uint64_t left = fault.amount == 0 ? ~std::uint64_t{0} : fault.amount;
        for (EndOf const end : ends_of(id)) {
            if (left == 0)
                break;
            --left;
            ++connections_[end.connection].references;
            for (std::uint8_t side = 0; side < 2; ++side)
                plan_for(now_ns_, Happening::rst, end.connection, side);
            release(end.connection);
        }
        break;
    }
    case FaultKind::refuse: hard.refuses_until_ns = until_ns; break;
    case FaultKind::hang: hard.hangs_until_ns = until_ns; break;
    case FaultKind::ghost: hard.ghosts_until_ns = until_ns; break;
    case FaultKind::partition: hard.cut_until_ns = until_ns; break;
    case FaultKind::one_way: hard.mute_until_ns = until_ns; break;
    case FaultKind::expire: hard.expires_ns = fault.duration_ns; break;
    case FaultKind::trickle:
        hard.piece_bytes = fault.amount;
        hard.piece_every_ns = fault.duration_ns;
        break;
    case FaultKind::no_descriptors: hard.no_descriptors += fault.amount; break;
    case FaultKind::no_ports: hard.no_ports += fault.amount; break;
    case FaultKind::unreachable: hard.unreachable += fault.amount; break;
    case FaultKind::interrupted: hard.interrupted += fault.amount; break;
    case FaultKind::stranger: stranger_comes(fault, id); break;
    case FaultKind::duplicate: {
        if (processes_[id].kind != ProcessKind::rank)
            break;
        ProcessId const second = add_process(rank_of(id), processes_[id].host);
        plan_at(now_ns_, Happening::start, second);
        break;
    }
    default: break;
    }
    // What was asleep looks again at once.
    if (fault.kind == FaultKind::pause && !processes_[id].inbox.empty())
        wake(id);
}

/// A system call is interrupted by a signal, and made again: nobody may notice.
void WorldState::interrupt(ProcessId id) {
    if (hardship(id) == nullptr || hardship_of(id).interrupted == 0)
        return;
    --hardship_of(id).interrupted;
    ++out_.storm.interrupted_calls;
}

/// A new process that claims `rank`.
ProcessId WorldState::add_process(RankId rank, std::uint32_t host) {
    auto const id = static_cast<ProcessId>(processes_.size());
    processes_.emplace_back();
    Process& process = processes_.back();
    process.host = host;
    process.set(Process::kCareful);
    process.set(Process::kOwnConfig);
    if (!callback_listeners_.empty())
        callback_listeners_.emplace_back();
    extras_[id].rank = rank;
    auto config = std::make_unique<protocol::RankConfig>(worn_);
    config->rank = rank;
    config->seed = worn_.seed ^ id;
    ranks_.emplace_back(*config);
    own_configs_[id] = std::move(config);
    return id;
}

void WorldState::kill(ProcessId id, Death death) {
    Process& process = processes_[id];
    if (process.has(Process::kDead))
        return;
    process.set(Process::kStarted);  // it will not start any more
    process.set(Process::kDead);
    if (programs_ != nullptr && process.kind == ProcessKind::rank)
        programs_->end(id);
    if (death == Death::silent)
        process.set(Process::kVanished);
    for (EndOf const end : ends_of(id)) {
        if (death == Death::silent)
            vanish_end(end.connection, end.side);
        else
            close_end(end.connection, end.side, death == Death::reset);
    }
    if (process.kind == ProcessKind::root) {
        drop_listener(id, Listener::root);
        return;
    }
    drop_listener(id, Listener::ring);
    if (!callback_listeners_.empty())
        drop_listener(id, Listener::callback);
}

// --- the way --------------------------------------------------------------------------------------------------------

TimeNs WorldState::way_open_ns(ProcessId from, ProcessId to) const {
    if (processes_[from].host == processes_[to].host)
        return stamp_ns_;
    TimeNs open_ns = stamp_ns_;
    if (Hardship const* const hard = hardship(from); hard != nullptr)
        open_ns = std::max({open_ns, hard->cut_until_ns, hard->mute_until_ns});
    if (Hardship const* const hard = hardship(to); hard != nullptr)
        open_ns = std::max(open_ns, hard->cut_until_ns);
    return open_ns;
}

std::vector<EndOf> WorldState::ends_of(ProcessId process) {
    std::vector<EndOf> ends;
    auto const add = [&](Link link) {
        if (EndOf const end = find(process, link); end.exists())
            ends.push_back(end);
    };
    if (processes_[process].kind == ProcessKind::root) {
        for (std::uint32_t i = 0; i < root_of(process).records.size(); ++i)
            add(protocol::member(i));
        root_of(process).each_door([&](std::uint32_t i) { add(protocol::pending(i)); });
        add(protocol::kCallbackLink);
        return ends;
    }
    for (Link const link : {protocol::kRootLink, protocol::kPreviousRootLink, protocol::kCallbackLink})
        add(link);
    for (std::uint32_t k = 0; k < protocol::kMaxChords; ++k) {
        add(protocol::chord_out(k));
        add(protocol::chord_in(k));
    }
    for (std::uint32_t i = 0; i < protocol::RankState::kDoors; ++i)
        add(protocol::pending(i));
    if (auto const mails = mail_links_.find(process); mails != mail_links_.end()) {
        for (Link const link : mails->second)
            add(link);
    }
    return ends;
}

}  // namespace ronde::sim
