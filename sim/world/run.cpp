/// Time: what happens next, who has CPU to notice it, and when.
#include "forward/frame_key.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>
#include <utility>

namespace ronde::sim {
namespace {

/// How often a progress line is worth its time.
constexpr std::uint64_t kProgressEvery = 1U << 16;

bool is_noticed_by_a_process(Happening kind) { return kind >= Happening::start; }

}  // namespace

// --- the loop -------------------------------------------------------------------------------------------------------

void WorldState::run() {
    while (advance()) {
        if (report_progress && events_ % kProgressEvery == 0) {
            std::uint32_t checked_in = 0;
            for (auto const& root : roots_)
                checked_in += root->machine.checked_in();
            report_progress({now_ns_, events_, plan_.nranks, checked_in, settled_});
        }
    }
}

bool WorldState::advance() {
    if (tied_.empty() && !queue_.has_by(plan_.simulated_limit_ns))
        return false;
    WorldQueue::Popped popped;
    if (plan_.any_order) {
        if (!choose_next(popped))
            return true;
    } else {
        popped = queue_.pop();
        if (is_forgotten(popped.at_ns, popped.slot))
            return true;
    }
    auto const [at_ns, slot] = popped;
    fetch_ahead();
    now_ns_ = at_ns;
    stamp_ns_ = at_ns;
    ++events_;
    cause_ = Dependencies::kNoNode;
    if ((slot & kTimerSlot) == 0)
        dispatch(slot);
    else
        submit(tell(slot & ~kTimerSlot, own_happening(slot)));
    return true;
}

Happening WorldState::own_happening(Slot slot) const {
    return processes_[slot & ~kTimerSlot].has(Process::kStarted) ? Happening::timer : Happening::start;
}

/// What may not be overtaken by what: everything that arrives at one end of a connection, and what a process does by
/// itself.
std::uint64_t WorldState::channel_of(Slot slot) const {
    constexpr std::uint64_t own = std::uint64_t{1} << 62U;
    constexpr std::uint64_t nameless = std::uint64_t{1} << 63U;
    if ((slot & kTimerSlot) != 0)
        return own | (own_happening(slot) == Happening::timer ? nameless : 0U) | (slot & ~kTimerSlot);
    Occurrence const& occurrence = occurrences_[slot];
    if (occurrence.connection != kNoConnection) {
        Side const& side = connections_[occurrence.connection].sides[occurrence.side];
        if (side.has(Side::kAttached))
            return std::uint64_t{side.process} << 32U | side.link.value;
        return nameless | std::uint64_t{occurrence.connection} << 1U | occurrence.side;
    }
    if (occurrence.kind == Happening::quiet_frame)
        return std::uint64_t{occurrence.process} << 32U | occurrence.link.value;
    if (is_noticed_by_a_process(occurrence.kind))
        return own | occurrence.process;
    return own | std::uint64_t{1} << 48U | static_cast<std::uint64_t>(occurrence.kind) << 32U;
}

/// The next of those that happen at the earliest time, as the oracle says. False: nothing but what is forgotten.
bool WorldState::choose_next(WorldQueue::Popped& popped) {
    if (tied_.empty())
        tied_.push_back(queue_.pop());
    while (!queue_.empty() && queue_.next_ns() == tied_.front().at_ns)
        tied_.push_back(queue_.pop());
    std::erase_if(tied_, [this](WorldQueue::Popped const& one) { return is_forgotten(one.at_ns, one.slot); });
    if (tied_.empty())
        return false;
    channels_.clear();
    firsts_.clear();
    for (std::uint32_t i = 0; i < tied_.size(); ++i) {
        std::uint64_t const channel = channel_of(tied_[i].slot);
        if (std::find(channels_.begin(), channels_.end(), channel) != channels_.end())
            continue;
        channels_.push_back(channel);
        firsts_.push_back(i);
    }
    std::uint32_t const chosen = firsts_[oracle_->pick_among(Choice::order, orders_++, channels_)];
    popped = tied_[chosen];
    tied_.erase(tied_.begin() + chosen);
    return true;
}

/// What comes into being now was set in motion by the step under way.
void WorldState::note_cause(Slot slot) {
    if (!dependencies_)
        return;
    if (slot >= causes_.size()) {
        causes_.resize(slot + std::size_t{1}, Dependencies::kNoNode);
        there_ns_.resize(slot + std::size_t{1}, 0);
    }
    causes_[slot] = cause_;
    there_ns_[slot] = now_ns_;
}

void WorldState::dispatch(Slot slot) {
    if (dependencies_) {
        cause_ = causes_[slot];
        there_ns_[slot] = now_ns_;
    }
    Occurrence const& occurrence = occurrences_[slot];
    if (is_noticed_by_a_process(occurrence.kind) && occurrence.kind != Happening::work)
        return submit(slot);
    ConnectionId const id = occurrence.connection;
    switch (occurrence.kind) {
    case Happening::syn: on_syn(id); break;
    case Happening::syn_again: on_syn_again(id); break;
    case Happening::synack: on_synack(id); break;
    case Happening::synack_again: on_synack_again(id); break;
    case Happening::ack: on_ack(id); break;
    case Happening::data_again: on_data_again(id); break;
    case Happening::rst: on_rst(id, occurrence.side); break;
    case Happening::fin: return on_fin(slot);
    case Happening::frame: return on_frame(slot);
    case Happening::quiet_frame: return on_quiet_frame(slot);
    case Happening::fault: strike(occurrence.content); break;
    case Happening::ring_begun: skip_ring(); break;
    case Happening::work: {
        ProcessId const process = occurrence.process;
        forget(slot);
        return on_work(process);
    }
    default: break;
    }
    forget(slot);
}

Slot WorldState::plan_at(TimeNs at_ns, Happening kind, ProcessId process) {
    Slot const slot = occurrences_.make();
    Occurrence& occurrence = occurrences_[slot];
    occurrence.kind = kind;
    occurrence.process = process;
    note_cause(slot);
    queue_.push(at_ns, slot);
    return slot;
}

Slot WorldState::plan_for(TimeNs at_ns, Happening kind, ConnectionId connection, std::uint8_t side) {
    Slot const slot = occurrences_.make();
    Occurrence& occurrence = occurrences_[slot];
    occurrence.kind = kind;
    occurrence.connection = connection;
    occurrence.side = side & 1U;
    ++connections_[connection].references;
    note_cause(slot);
    queue_.push(at_ns, slot);
    return slot;
}

/// Ends an occurrence, and what only it kept alive.
void WorldState::forget(Slot slot) {
    Occurrence const& occurrence = occurrences_[slot];
    if (occurrence.kind == Happening::frame || occurrence.kind == Happening::quiet_frame)
        forget_content(occurrence);
    ConnectionId const connection = occurrence.connection;
    occurrences_.free(slot);
    if (connection != kNoConnection)
        release(connection);
}

void WorldState::append(SlotList& list, Slot slot) {
    occurrences_[slot].next = kNoSlot;
    if (list.empty())
        list.head = slot;
    else
        occurrences_[list.tail].next = slot;
    list.tail = slot;
}

Slot WorldState::take_first(SlotList& list) {
    Slot const slot = list.head;
    list.head = occurrences_[slot].next;
    if (list.head == kNoSlot)
        list.tail = kNoSlot;
    return slot;
}

// --- CPU ------------------------------------------------------------------------------------------------------------
// A process does one thing at a time, in the order in which it could notice them. Whatever it does takes its service
// time on one core; what comes out of it leaves at the end of that time.

Slot WorldState::tell(ProcessId process, Happening kind) {
    Slot const slot = occurrences_.make();
    Occurrence& occurrence = occurrences_[slot];
    occurrence.kind = kind;
    occurrence.process = process;
    note_cause(slot);
    return slot;
}

void WorldState::submit(Slot slot) {
    ProcessId const id = occurrences_[slot].process;
    Process& process = processes_[id];
    if (process.has(Process::kDead))
        return forget(slot);
    if (process.inbox.empty() && can_work(id))
        return handle(slot);
    append(process.inbox, slot);
    wake(id);
}

bool WorldState::can_work(ProcessId id) const {
    Process const& process = processes_[id];
    if (process.busy_until_ns > now_ns_ || hosts_.core_free_ns(process.host, now_ns_) > now_ns_)
        return false;
    Hardship const* const hard = hardship(id);
    return hard == nullptr || hard->paused_until_ns <= now_ns_;
}

void WorldState::wake(ProcessId id) {
    Process& process = processes_[id];
    if (process.has(Process::kWorking))
        return;
    process.set(Process::kWorking);
    TimeNs at_ns = std::max({process.busy_until_ns, hosts_.core_free_ns(process.host, now_ns_), now_ns_});
    if (Hardship const* const hard = hardship(id); hard != nullptr)
        at_ns = std::max(at_ns, hard->paused_until_ns);
    if (at_ns != kNever)
        plan_at(at_ns, Happening::work, id);
}

void WorldState::on_work(ProcessId id) {
    processes_[id].reset(Process::kWorking);
    while (!processes_[id].inbox.empty()) {
        if (processes_[id].has(Process::kDead)) {
            forget(take_first(processes_[id].inbox));
            continue;
        }
        if (!can_work(id))
            return wake(id);
        handle(take_first(processes_[id].inbox));
    }
}

TimeNs WorldState::service_ns(Occurrence const& occurrence) {
    bool const knock = occurrence.kind == Happening::knock;
    bool const frame = occurrence.kind == Happening::frame;
    if (!knock && !frame && occurrence.kind != Happening::quiet_frame)
        return 0;
    HostPlan const& host = hosts_.plan_of(processes_[occurrence.process].host);
    TimeNs cost_ns = knock ? host.accept_service_ns : host.message_service_ns;
    if (cost_ns == 0)
        return 0;
    if (frame && connections_[occurrence.connection].sides[occurrence.side].is_not_read())
        return 0;
    if (processes_[occurrence.process].has(Process::kSlow)) {
        Hardship const& hard = hardship_of(occurrence.process);
        cost_ns *= now_ns_ < hard.slow_until_ns ? hard.slowness : 1U;
    }
    return cost_ns;
}

void WorldState::handle(Slot slot) {
    Occurrence& occurrence = occurrences_[slot];
    ProcessId const id = occurrence.process;
    Process& process = processes_[id];
    stamp_ns_ = now_ns_ + service_ns(occurrence);
    if (stamp_ns_ > now_ns_) {
        process.busy_until_ns = stamp_ns_;
        hosts_.occupy_core(process.host, stamp_ns_);
    }
    noticed_ = slot;
    if (dependencies_)
        cause_ = causes_[slot];
    if (process.kind == ProcessKind::stranger)
        return stranger_notices(id, slot);
    switch (occurrence.kind) {
    case Happening::start:
        process.set(Process::kStarted);
        process.phase_since_ns = stamp_ns_;
        if (programs_ != nullptr && process.kind == ProcessKind::rank)
            programs_->begin(id, rank_of(id));
        else
            feed(id, Event::start(stamp_ns_));
        break;
    case Happening::timer: {
        if (process.timer_ns <= now_ns_)
            process.timer_ns = kNever;
        TimeNs const due_ns = machine_deadline(id);
        if (process.alive() && due_ns <= stamp_ns_)
            feed(id, Event::timer(stamp_ns_));
        else
            plan_timer(id);
        break;
    }
    case Happening::knock: accept_one(id, occurrence.listener); break;
    case Happening::frame: return take_frame(id, slot, {occurrence.connection, occurrence.side}, occurrence.link);
    case Happening::quiet_frame: return take_frame(id, slot, {}, occurrence.link);
    case Happening::connected:
    case Happening::connect_failed:
    case Happening::closed:
    case Happening::sent: {
        // The machine may have ended the connection before it could notice this.
        ConnectionId const connection = occurrence.connection;
        if (connection != kNoConnection) {
            Side& side = connections_[connection].sides[occurrence.side];
            if (!side.has(Side::kAttached) || side.process != id)
                break;
            bool const end_of_stream =
                occurrence.kind == Happening::closed && occurrence.failure == Failure::end_of_stream;
            if (end_of_stream && side.is_not_read())  // the end comes after what was said before
                return append(side.unread, slot);
            Link const link = side.link;
            if (occurrence.kind == Happening::connected) {
                index_.take_in_hand({connection, occurrence.side});
                feed(id, Event::connected(stamp_ns_, link));
            } else if (occurrence.kind == Happening::sent) {
                feed(id, Event::sent(stamp_ns_, link));
            } else {
                Failure const failure = occurrence.failure;
                bool const failed = occurrence.kind == Happening::connect_failed;
                close_end(connection, occurrence.side, failure == Failure::reset);
                feed(id, failed ? Event::connect_failed(stamp_ns_, link, failure)
                                : Event::closed(stamp_ns_, link, failure));
            }
        }
        break;
    }
    case Happening::operate:
        if (programs_ != nullptr)
            programs_->go_on(id);
        else
            next_operation(id);
        break;
    case Happening::ring_done: end_ring(id, slot); break;
    case Happening::give_up:
        if (process.alive() && !process.has(Process::kOver))
            feed(id, Event::abort(stamp_ns_));
        break;
    default: RONDE_CHECK(false, "a process notices nothing else");
    }
    forget(slot);
}

// --- trips ----------------------------------------------------------------------------------------------------------

TimeNs WorldState::delay_ns(Connection& connection, std::uint32_t from_host, std::uint32_t to_host) {
    Distribution const& distance = hosts_.distance(from_host, to_host);
    if (distance.is_constant())
        return distance.least_ns();
    std::uint64_t const key = next_draw(connection);
    on_trip_ = {&connection, from_host, to_host};
    return distance.among(oracle_->pick(Choice::delay, key, kQuantiles), kQuantiles);
}

bool WorldState::is_lost(Connection& connection, std::uint32_t from_host, std::uint32_t to_host) {
    std::uint32_t const loss_per_million = hosts_.loss_per_million(from_host, to_host);
    if (loss_per_million == 0)
        return false;
    on_trip_ = {&connection, from_host, to_host};
    bool const lost = oracle_->pick(Choice::loss, next_draw(connection), 1'000'000) < loss_per_million;
    out_.storm.packets_lost += lost ? 1U : 0U;
    return lost;
}

Trip WorldState::trip() const {
    auto const& [connection, from_host, to_host] = on_trip_;
    if (connection == nullptr)
        return {};
    bool const from_caller = processes_[connection->sides[0].process].host == from_host;
    return {connection->sides[from_caller ? 0 : 1].process, connection->sides[from_caller ? 1 : 0].process,
            from_host != to_host, &hosts_.distance(from_host, to_host), hosts_.loss_per_million(from_host, to_host)};
}

}  // namespace ronde::sim
