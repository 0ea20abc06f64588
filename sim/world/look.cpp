#include "world/look.hpp"

#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {
namespace {

std::string_view name_of(Happening kind) {
    switch (kind) {
    case Happening::syn: return "syn";
    case Happening::syn_again: return "syn_again";
    case Happening::synack: return "synack";
    case Happening::synack_again: return "synack_again";
    case Happening::ack: return "ack";
    case Happening::data_again: return "data_again";
    case Happening::rst: return "rst";
    case Happening::fin: return "fin";
    case Happening::frame:
    case Happening::quiet_frame: return "frame";
    case Happening::fault: return "fault";
    case Happening::ring_begun: return "ring_begun";
    case Happening::start: return "start";
    case Happening::timer: return "timer";
    case Happening::work: return "work";
    case Happening::knock: return "knock";
    case Happening::connected: return "connected";
    case Happening::connect_failed: return "connect_failed";
    case Happening::closed: return "closed";
    case Happening::sent: return "sent";
    case Happening::operate: return "operate";
    case Happening::ring_done: return "ring_done";
    case Happening::give_up: return "give_up";
    }
    return "?";
}

Enabled enabled_by(Occurrence const& occurrence, ProcessId from, Connection const* connection) {
    Enabled one{.what = name_of(occurrence.kind), .process = occurrence.process, .from = from, .frame = {}};
    if (connection != nullptr)
        one.process = connection->sides[occurrence.side].process;
    if (one.what == "frame")
        one.frame = occurrence.frame.kind;
    if (occurrence.kind == Happening::fault)
        one.process = kNoProcess;
    return one;
}

}  // namespace

WorldPlan const& Look::plan() const { return state_->plan_; }
Policies const& Look::policies() const { return state_->policies_; }
std::uint32_t Look::processes() const { return static_cast<std::uint32_t>(state_->processes_.size()); }

ProcessFacts Look::facts(ProcessId id) const {
    Process const& process = state_->processes_[id];
    Hardship const* const hard = state_->hardship(id);
    ProcessFacts facts;
    facts.kind = process.kind == ProcessKind::rank   ? ProcessFacts::Kind::rank
                 : process.kind == ProcessKind::root ? ProcessFacts::Kind::root
                                                     : ProcessFacts::Kind::stranger;
    facts.rank = facts.kind == ProcessFacts::Kind::rank ? state_->rank_of(id) : kNoRank;
    facts.host = process.host;
    facts.endless = facts.kind == ProcessFacts::Kind::rank &&
                    state_->ranks_[id].config().policies.deadlines == protocol::Deadlines::none;
    facts.started = process.has(Process::kStarted);
    facts.dead = process.has(Process::kDead);
    facts.over = process.has(Process::kOver);
    facts.ready = process.has(Process::kReady);
    facts.outsider = process.kind == ProcessKind::stranger || (hard != nullptr && hard->stale_id);
    facts.busy = state_->operations_left_.contains(id);
    return facts;
}

Holdings Look::holdings(ProcessId id) const {
    Process const& process = state_->processes_[id];
    Holdings holdings;
    holdings.descriptors = process.descriptors;
    auto const add = [&](protocol::Link link) {
        if (!state_->exists(id, link))
            return;
        ++holdings.connections;
        EndOf const end = state_->index_.find(id, link);
        bool const calls = end.exists() ? end.side == 0
                                        : link.link_class() == protocol::LinkClass::chord_out ||
                                              link.link_class() == protocol::LinkClass::root;
        holdings.calls += calls ? 1U : 0U;
    };
    auto const add_listener = [&](ListenerState const& listener) {
        holdings.listeners += listener.bound;
        holdings.at_the_doors += listener.pending;
    };
    if (process.kind == ProcessKind::root) {
        RootProcess const& root = *state_->roots_[id - state_->plan_.nranks];
        holdings.records = static_cast<std::uint32_t>(root.records.size());
        holdings.deadline_ns = root.machine.deadline();
        for (std::uint32_t i = 0; i < holdings.records; ++i)
            add(protocol::member(i));
        root.each_door([&](std::uint32_t i) { add(protocol::pending(i)); });
        add(protocol::kCallbackLink);
        add_listener(root.listener);
        return holdings;
    }
    if (process.kind == ProcessKind::stranger) {
        add(protocol::mail_out(0));  // strangers.cpp: its only connection
        return holdings;
    }
    for (protocol::Link const link : {protocol::kRootLink, protocol::kPreviousRootLink, protocol::kCallbackLink})
        add(link);
    std::uint32_t const chords = std::max(1U, protocol::log2_ceil(state_->plan_.nranks));
    for (std::uint32_t k = 0; k < chords; ++k) {
        add(protocol::chord_out(k));
        add(protocol::chord_in(k));
    }
    for (std::uint32_t i = 0; i < protocol::RankState::kDoors; ++i)
        add(protocol::pending(i));
    if (auto const mails = state_->mail_links_.find(id); mails != state_->mail_links_.end()) {
        for (protocol::Link const link : mails->second)
            add(link);
    }
    add_listener(process.ring);
    if (!state_->callback_listeners_.empty())
        add_listener(state_->callback_listeners_[id]);
    bool const machine = process.kind == ProcessKind::rank && process.alive() && !process.has(Process::kOver);
    holdings.deadline_ns = machine ? state_->ranks_[id].deadline() : kNever;
    return holdings;
}

protocol::RankState const& Look::rank(ProcessId process) const { return state_->ranks_[process].state(); }
protocol::Root const& Look::root(std::uint32_t index) const { return state_->roots_[index]->machine; }
bool Look::exact() const { return state_->contents_.exact(); }

std::uint32_t Look::known(ProcessId id) const {
    Process const& process = state_->processes_[id];
    return std::min(state_->plan_.nranks, std::max(process.known, 1U) + process.known_below);
}

ProcessId Look::holder(ProcessId reader, RankId rank) const { return state_->contents_.holder(reader, rank); }
std::span<ProcessId const> Look::table(ProcessId reader) const { return state_->contents_.table(reader); }
protocol::Entry Look::entry_of(ProcessId process) const { return state_->entry_of(process); }

OtherEnd Look::other_end(ProcessId id, protocol::Link link) const {
    EndOf const end = state_->index_.find(id, link);
    if (!end.exists()) {
        auto const peer = state_->quiet_peer(id, link);
        return {peer.process, peer.link, 0};
    }
    Connection const& connection = state_->connections_[end.connection];
    Side const& other = connection.sides[1U - end.side];
    return {other.process, other.has(Side::kAttached) ? other.link : protocol::Link{}, connection.syn_tries};
}

Storm const& Look::storm() const { return state_->out_.storm; }
std::uint32_t Look::hosts() const { return state_->hosts_.count(); }
std::uint32_t Look::ports_in_use(std::uint32_t host) const { return state_->hosts_.ports_in_use(host); }
bool Look::at_rest() const { return state_->at_rest(); }

std::vector<Enabled> Look::enabled() const {
    std::vector<Enabled> all;
    for (std::uint32_t const first : state_->firsts_) {
        Slot const slot = state_->tied_[first].slot;
        if ((slot & WorldState::kTimerSlot) != 0) {
            all.push_back({name_of(state_->own_happening(slot)), slot & ~WorldState::kTimerSlot, kNoProcess, {}});
            continue;
        }
        Occurrence const& occurrence = state_->occurrences_[slot];
        bool const packet = occurrence.connection != kNoConnection;
        all.push_back(enabled_by(occurrence, state_->sender_of(occurrence),
                                 packet ? &state_->connections_[occurrence.connection] : nullptr));
    }
    return all;
}

}  // namespace ronde::sim
