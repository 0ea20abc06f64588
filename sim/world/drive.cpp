/// The seam: events into machines, actions out of them. See protocol/seam.hpp for the contract.
#include "engine/draw.hpp"
#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <algorithm>

namespace ronde::sim {

// --- machines -------------------------------------------------------------------------------------------------------

/// Healthy ranks differ in their number and their seed alone, so that all of them share one configuration: it is theirs
/// from this call to the next one.
protocol::Rank& WorldState::wear(ProcessId process) {
    if (worn_.rank != process && !processes_[process].has(Process::kOwnConfig)) {
        worn_.rank = process;
        worn_.seed = draw(plan_.seed, static_cast<std::uint64_t>(Choice::seed), process);
    }
    return ranks_[process];
}

protocol::Rank const& WorldState::rank(RankId rank) { return wear(rank); }

RankId WorldState::rank_of(ProcessId process) const {
    if (process < plan_.nranks)
        return process;
    auto const extra = extras_.find(process);
    return extra == extras_.end() ? kNoRank : extra->second.rank;
}

protocol::Reception WorldState::reception(ProcessId process, Link link, Frame const& frame) {
    if (processes_[process].kind == ProcessKind::root)
        return root_of(process).machine.reception(link, frame);
    return wear(process).reception(link, frame);
}

TimeNs WorldState::machine_deadline(ProcessId process) {
    if (processes_[process].kind == ProcessKind::root)
        return root_of(process).machine.deadline();
    return processes_[process].has(Process::kOver) ? kNever : wear(process).deadline();
}

void WorldState::plan_timer(ProcessId id) {
    Process& process = processes_[id];
    if (!process.alive())
        return;
    TimeNs const due_ns = std::max(machine_deadline(id), now_ns_);
    if (due_ns >= process.timer_ns)
        return;
    if (kSweeps && process.timer_ns != kNever && ++forgotten_ >= std::max(kFewForgotten, queue_.size() / 8))
        sweep_forgotten();
    process.timer_ns = due_ns;
    queue_.push(due_ns, kTimerSlot | id);
}

/// A timer is planned anew when it gets an earlier time; a later one waits until the earlier has come up. The queue
/// gives nothing back, so what was planned before stays in it, forgotten.
bool WorldState::is_forgotten(TimeNs at_ns, Slot slot) const {
    if ((slot & kTimerSlot) == 0)
        return false;
    Process const& process = processes_[slot & ~kTimerSlot];
    return process.has(Process::kStarted) && process.timer_ns != at_ns;
}

/// Nobody notices whether that happens, and when: what is forgotten is passed over when it comes up.
void WorldState::sweep_forgotten() {
    queue_.remove_if([this](TimeNs at_ns, Slot slot) { return is_forgotten(at_ns, slot); });
    forgotten_ = 0;
}

// --- events in ------------------------------------------------------------------------------------------------------

/// Feeds one event and what the driver itself answers to it.
void WorldState::feed(ProcessId id, Event const& event) {
    auto const hears = [&] {
        Process const& process = processes_[id];
        return process.alive() && (!process.has(Process::kOver) || process.kind == ProcessKind::root);
    };
    if (hears())
        step(id, event);
    arriving_ = kNoSlot;
    while (!later_.empty()) {
        Event const own = later_.front();
        later_.pop_front();
        if (hears())
            step(id, own);
    }
    if (processes_[id].has(Process::kHolding))
        ask_held_again(id);
    plan_timer(id);
}

void WorldState::step(ProcessId id, Event const& event) {
    if (dependencies_)
        note_dependency(id, event);
    std::uint8_t const before = processes_[id].phase;
    if (programs_ != nullptr)
        programs_->on_event(id, event);
    do {
        step_again_ = false;
        step_machine(id, event, actions_.clear());
        perform_all(id);
    } while (step_again_);
    while (actions_.more()) {
        step_machine(id, Event::resume(stamp_ns_), actions_.clear());
        perform_all(id);
    }
    after_step(id, event, before);
}

void WorldState::step_machine(ProcessId id, Event const& event, Actions& actions) {
    ++steps_;
    if (processes_[id].kind == ProcessKind::root)
        root_of(id).machine.step(event, actions);
    else
        wear(id).step(event, actions);
}

/// A frame has reached its process: it is read, or stays where it is when the machine does not want it yet.
void WorldState::take_frame(ProcessId id, Slot slot, EndOf end, Link link) {
    if (!end.exists()) {
        Route const route = route_of(id, link);
        if (!route.exists())
            return forget(slot);
        end = route.end;
        if (end.exists()) {
            Occurrence& occurrence = occurrences_[slot];
            occurrence.kind = Happening::frame;
            occurrence.connection = end.connection;
            occurrence.side = end.side & 1U;
            ++connections_[end.connection].references;
        }
    }
    if (end.exists()) {
        Side& side = connections_[end.connection].sides[end.side];
        if (!side.has(Side::kAttached) || side.process != id)
            return forget(slot);
        link = side.link;
        if (side.is_not_read())
            return append(side.unread, slot);
        index_.take_in_hand(end);
    }
    Frame const frame = occurrences_[slot].frame;
    if ((occurrences_[slot].marks & Occurrence::kNonsense) != 0) {
        close_end(end.connection, end.side, true);
        feed(id, Event::closed(stamp_ns_, link, Failure::malformed));
        return forget(slot);
    }
    arriving_as_ = reception(id, link, frame);
    if (arriving_as_.kind == Reception::Kind::hold) {
        if (!end.exists()) {
            end = wake_connection(id, link);
            Occurrence& occurrence = occurrences_[slot];
            occurrence.kind = Happening::frame;
            occurrence.connection = end.connection;
            occurrence.side = end.side & 1U;
            ++connections_[end.connection].references;
        }
        Side& side = connections_[end.connection].sides[end.side];
        side.set(Side::kHeld);
        processes_[id].set(Process::kHolding);
        held_[id].push_back(end);
        return append(side.unread, slot);
    }
    bool authentic = true;
    if (end.exists()) {
        Connection& connection = connections_[end.connection];
        consumed(end.connection, end.side, occurrences_[slot]);
        bool const fits = (occurrences_[slot].marks & Occurrence::kForged) == 0;
        if (frame.kind == FrameKind::hello)
            connection.sides[1U - end.side].set(Side::kSaidHello);
        if (frame.kind == FrameKind::challenge || frame.kind == FrameKind::proof)
            authentic = fits && connection.sides[0].has(Side::kSaidHello);
    }
    bool const shown = arriving_as_.kind != Reception::Kind::refuse;
    if (arriving_as_.kind == Reception::Kind::take && arriving_as_.source == protocol::Source::operation)
        place_bytes(id, arriving_as_, occurrences_[slot].content);
    arriving_ = slot;
    std::span<const std::byte> const payload = shown ? payload_for(occurrences_[slot]) : std::span<const std::byte>{};
    feed(id, Event::arrived(stamp_ns_, link, frame, payload, authentic));
    arriving_ = kNoSlot;
    forget(slot);
}

/// The machine has moved on: what it did not want before, it may want now.
void WorldState::ask_held_again(ProcessId id) {
    processes_[id].reset(Process::kHolding);
    std::vector<EndOf> const held = std::move(held_[id]);
    held_.erase(id);
    for (EndOf const end : held) {
        Side& side = connections_[end.connection].sides[end.side];
        if (side.process != id || !side.has(Side::kHeld) || side.unread.empty())
            continue;
        Frame const& frame = occurrences_[side.unread.head].frame;
        if (reception(id, side.link, frame).kind == Reception::Kind::hold) {
            held_[id].push_back(end);
            processes_[id].set(Process::kHolding);
            continue;
        }
        side.reset(Side::kHeld);
        hand_over_unread(end.connection, end.side, true);
    }
}

// --- actions out ----------------------------------------------------------------------------------------------------

void WorldState::perform_all(ProcessId id) {
    for (Observer* const observer : observers_)
        observer->on_actions(id, actions_);
    for (Action const& action : actions_)
        perform(id, action);
}

void WorldState::perform(ProcessId id, Action const& action) {
    using protocol::ActionKind;
    if (programs_ != nullptr)
        programs_->on_action(id, action);
    switch (action.kind) {
    case ActionKind::listen: return perform_listen(id, action.listener);
    case ActionKind::accept:
        listener_of(id, action.listener).credits = action.count & ListenerState::kMostCredits;
        return knock(id, action.listener);
    case ActionKind::admit: return perform_admit(id, action);
    case ActionKind::connect: return perform_connect(id, action);
    case ActionKind::send: return perform_send(id, action);
    case ActionKind::learn: return perform_learn(id, action);
    case ActionKind::pause:
    case ActionKind::unpause: {
        EndOf const end = find(id, action.link);
        if (!end.exists())
            return;
        Side& side = connections_[end.connection].sides[end.side];
        if (action.kind == ActionKind::pause)
            return side.set(Side::kPaused);
        side.reset(Side::kPaused);
        return hand_over_unread(end.connection, end.side, true);
    }
    case ActionKind::close:
        later_.erase_if([&](Event const& event) { return event.link == action.link; });
        if (EndOf const end = find(id, action.link); end.exists())
            close_end(end.connection, end.side, false);
        return;
    case ActionKind::deafen: return drop_listener(id, action.listener);
    case ActionKind::inspect: return perform_inspect();
    case ActionKind::collect: return perform_collect(id, action);
    case ActionKind::park: return perform_park(id);
    case ActionKind::reserve: return perform_reserve(id, action.count);
    case ActionKind::complete: return program_looks_again(id);
    case ActionKind::ready: processes_[id].set(Process::kReady); return program_looks_again(id);
    case ActionKind::finish: return perform_finish(id);
    }
}

void WorldState::perform_listen(ProcessId id, Listener which) {
    ListenerState& listener = listener_of(id, which);
    Hardship const* const hard = hardship(id);
    if (hard != nullptr && hard->listen_fails)
        return later_.push_back(Event::listen_failed(stamp_ns_, which, Failure::address_in_use));
    listener.bound = 1;
    ++processes_[id].descriptors;
    if (which == Listener::root)
        out_.storm.backlog = backlog_of(id, which);
    later_.push_back(Event::listening(stamp_ns_, which));
}

void WorldState::perform_connect(ProcessId id, Action const& action) {
    Link const link = action.link;
    LinkClass const link_class = link.link_class();
    if (exists(id, link)) {
        RONDE_CHECK(link_class == LinkClass::mail_out, "a link is connected once at a time");
        return later_.push_back(Event::connected(stamp_ns_, link, true));
    }
    auto const refuse = [&](Failure failure) { later_.push_back(Event::connect_failed(stamp_ns_, link, failure)); };
    ProcessId target = kNoProcess;
    Listener listener = Listener::ring;
    switch (link_class) {
    case LinkClass::root:
    case LinkClass::previous_root:
        target = action.rank < plan_.nroots ? plan_.nranks + action.rank : kNoProcess;
        listener = Listener::root;
        break;
    case LinkClass::callback:
        target = holder_at_root(id, action.rank);
        listener = Listener::callback;
        break;
    default: target = contents_.holder(id, action.rank); break;
    }
    if (target == kNoProcess)
        return refuse(Failure::bad_address);
    if (hardship(id) != nullptr) {
        Hardship& hard = hardship_of(id);
        for (auto const& [left, failure] :
             {std::pair{&hard.no_descriptors, Failure::no_descriptors}, std::pair{&hard.no_ports, Failure::no_ports},
              std::pair{&hard.unreachable, Failure::unreachable}}) {
            if (*left == 0)
                continue;
            --*left;
            return refuse(failure);
        }
    }
    if (link_class == LinkClass::mail_out)
        mail_links_[id].push_back(link);
    if (Failure const failure = call(id, link, target, listener); failure != Failure::none)
        refuse(failure);
}

void WorldState::perform_admit(ProcessId id, Action const& action) {
    EndOf const end = index_.find(id, action.link);
    RONDE_CHECK(end.exists() && action.link.link_class() == LinkClass::pending,
                "a machine admits whom it has just heard");
    RONDE_CHECK(!exists(id, action.to), "a link is admitted once at a time");
    Listener const listener = connections_[end.connection].listener;
    index_.remove(id, action.link);
    connections_[end.connection].sides[end.side].link = action.to;
    index_.put(end);
    index_.take_in_hand(end);
    for (Event& event : later_) {
        if (event.link == action.link)
            event.link = action.to;
    }
    if (action.to.link_class() == LinkClass::mail_in)
        mail_links_[id].push_back(action.to);
    free_door(id, action.link.index(), listener);
}

void WorldState::perform_send(ProcessId id, Action const& action) {
    Route const route = route_of(id, action.link);
    if (!route.exists())
        return;  // the machine hears `closed` next
    if (skips_ring_ && is_ring_frame(action.link, action.frame))
        return;
    std::uint8_t marks = 0;
    if (Hardship const* const hard = hardship(id); hard != nullptr && hard->stale_id)
        marks = Occurrence::kForged;
    std::uint32_t const content = content_of(id, action);
    transmit_on(route, id, action.link, action.frame, content, action.notify, marks);
}

/// A root that has finished keeps its listener, to tell late comers how the round ended.
void WorldState::perform_finish(ProcessId id) {
    processes_[id].set(Process::kOver);
    bool const root = processes_[id].kind == ProcessKind::root;
    for (EndOf const end : ends_of(id)) {
        bool const door = connections_[end.connection].sides[end.side].link.link_class() == LinkClass::pending;
        if (!root || !door)
            close_end(end.connection, end.side, false);
    }
    if (root)
        return;
    later_.clear();
    if (programs_ != nullptr)
        program_looks_again(id);
    for (Listener const listener : {Listener::ring, Listener::callback}) {
        if (listener == Listener::ring || !callback_listeners_.empty())
            drop_listener(id, listener);
    }
}

void WorldState::perform_reserve(ProcessId id, std::uint32_t count) {
    RootProcess& root = root_of(id);
    root.records.resize(std::max<std::size_t>(root.records.size(), count));
    root.device_index.resize(std::max<std::size_t>(root.device_index.size(), protocol::RootRoom::index_size(count)));
    if (root.table.size() < count)
        root.table.resize(count, kNoProcess);
    root.machine.provide({root.records, root.device_index});
    step_again_ = true;
}

void WorldState::tell_later(ProcessId id, Happening kind) {
    append(processes_[id].inbox, tell(id, kind));
    wake(id);
}

/// Something that the program of a process may wait for has come.
void WorldState::program_looks_again(ProcessId id) {
    if (programs_ != nullptr || operations_left_.contains(id))
        tell_later(id, Happening::operate);
}

void WorldState::next_operation(ProcessId id) {
    auto const left = operations_left_.find(id);
    if (left == operations_left_.end() || processes_[id].has(Process::kOver))
        return;
    if (left->second == 0) {
        operations_left_.erase(left);
        return;
    }
    --left->second;
    protocol::Operation operation;
    operation.kind = protocol::OperationKind::all_gather;
    operation.slice_bytes = plan_.gather_slice_bytes;
    feed(id, Event::operate(stamp_ns_, operation));
}

// --- after a step ---------------------------------------------------------------------------------------------------

void WorldState::after_step(ProcessId id, Event const& event, std::uint8_t before) {
    Process& process = processes_[id];
    process.enter(process.kind == ProcessKind::root ? static_cast<std::uint8_t>(root_of(id).machine.phase())
                                                    : static_cast<std::uint8_t>(ranks_[id].phase()));
    bool const verdict = event.kind == EventKind::frame && event.frame.kind == FrameKind::verdict;
    if (verdict && process.kind == ProcessKind::rank && event.payload.size() == protocol::kVerdictBytes) {
        protocol::Verdict const heard = protocol::decode_verdict(event.payload);
        if (heard.error == ranks_[id].error())
            heard_[id] = heard;
    }
    note_step(id, event, actions_, before, process.phase);
    if (process.phase == before)
        return;
    if (programs_ != nullptr && process.kind == ProcessKind::rank)
        programs_->on_phase(id, static_cast<Phase>(process.phase));
    note_phase(id, before, process.phase);
    if (processes_[id].has(Process::kTriggers))
        phase_entered(id);
}

}  // namespace ronde::sim
