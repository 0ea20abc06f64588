/// What came of it: digest, phases, storm figures, ends.
#include "engine/record_hash.hpp"
#include "world/world_state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ronde::sim {
namespace {

/// What a step leaves behind, as plain bytes.
struct StepRecord {
    std::int64_t now_ns = 0;
    std::uint32_t process = 0;
    std::uint32_t link = 0;
    protocol::Frame frame;
    std::uint8_t kind = 0;
    std::uint8_t failure = 0;
    std::uint8_t before = 0;
    std::uint8_t after = 0;
    std::uint32_t extra = 0;  ///< roots: check-ins and ends so far
};
static_assert(sizeof(StepRecord) == 56 && std::has_unique_object_representations_v<StepRecord>);

}  // namespace

void WorldState::note_step(ProcessId id, Event const& event, Actions const& actions, std::uint8_t before,
                           std::uint8_t after) {
    bool const root = processes_[id].kind == ProcessKind::root;
    last_step_ns_ = event.now;
    StepRecord record;
    record.now_ns = event.now;
    record.process = id;
    record.link = event.link.value;
    record.frame = event.frame;
    record.kind = static_cast<std::uint8_t>(event.kind);
    record.failure = static_cast<std::uint8_t>(event.failure);
    record.before = before;
    record.after = after;
    if (root) {
        protocol::Root const& machine = root_of(id).machine;
        record.extra = machine.checked_in() + machine.done() * 31U + machine.strangers() * 1009U;
    }
    digest_.absorb_hashed(record_hash_of(record));
    if (!root)
        digest_.absorb_hashed(record_hash_of(ranks_[id].state()));
    if (observers_.empty())
        return;
    StepSeen seen;
    seen.now_ns = event.now;
    seen.number = steps_;
    seen.process = id;
    seen.from = arriving_ != kNoSlot ? sender_of(occurrences_[arriving_]) : kNoProcess;
    seen.event = &event;
    seen.actions = &actions;
    seen.rank = root ? nullptr : &wear(id);
    seen.root = root ? &root_of(id).machine : nullptr;
    seen.phase_before = before;
    seen.phase_after = after;
    for (Observer* const observer : observers_)
        observer->on_step(seen);
}

void WorldState::keep_dependencies() {
    dependencies_ = std::make_unique<Dependencies>();
    causes_.assign(occurrences_.in_use(), Dependencies::kNoNode);  // the starts, which nobody caused
    there_ns_.assign(occurrences_.in_use(), 0);
}

/// A step is caused by what it was told, or by its own process: timers, and the driver's own answers.
void WorldState::note_dependency(ProcessId id, Event const& event) {
    bool const timer = event.kind == EventKind::timer;
    bool const own = stamp_ns_ == last_step_ns_ && dependency_of_ == id && noticed_ == dependency_slot_ &&
                     cause_ != Dependencies::kNoNode;
    TimeNs const there_ns = own ? stamp_ns_ : there_ns_[noticed_];
    TimeNs const service_ns = own ? 0 : stamp_ns_ - now_ns_;
    Dependencies::Node const cause = timer && !own ? dependencies_->last_of(id) : cause_;
    cause_ = dependencies_->add(id, cause, there_ns, stamp_ns_, service_ns, timer);
    dependency_of_ = id;
    dependency_slot_ = noticed_;
}

CriticalPath WorldState::critical_path() const {
    if (!dependencies_)
        return {};
    bool const all = tables_ >= plan_.nranks;
    return dependencies_->path_to(all ? out_.slowest : 0U, all ? out_.last_table_ns : now_ns_);
}

void WorldState::note_phase(ProcessId id, std::uint8_t before, std::uint8_t after) {
    Process& process = processes_[id];
    if (process.kind == ProcessKind::root)
        return;
    TimeNs const spent_ns = stamp_ns_ - process.phase_since_ns;
    process.phase_since_ns = stamp_ns_;
    Histogram& phase = out_.phases[before];
    if (phase.count() == 0 || spent_ns > phase.most_ns())
        out_.slowest_in[before] = rank_of(id);
    phase.add(spent_ns);

    auto const now = static_cast<Phase>(after);
    bool const table =
        (now == Phase::committing || now == Phase::ready) && static_cast<Phase>(before) < Phase::committing;
    if (table) {
        ++tables_;
        out_.slowest = rank_of(id);
        if (tables_ >= plan_.nranks)
            out_.last_table_ns = stamp_ns_;
    }
    if (now == Phase::gathering && skips_ring_)
        ring_begins(id);
    if (now == Phase::ready) {
        ++settled_;
        check_table(id);
        out_.last_ready_ns = stamp_ns_;
    }
    if (now == Phase::failed)
        ++settled_;
}

void WorldState::note_queue(ProcessId id) {
    std::uint32_t const depth = who_waits(root_of(id).listener).length;
    out_.storm.queue_high_water = std::max(out_.storm.queue_high_water, depth);
    if (id == plan_.nranks)
        queue_depth_.note(stamp_ns_, depth);
}

void WorldState::outcome_into(Outcome& outcome) {
    outcome = out_;
    // Who stands for a rank that was restarted: its last process.
    std::map<RankId, ProcessId> successors;
    for (auto const& [process, extra] : extras_) {
        if (processes_[process].kind == ProcessKind::rank && processes_[extra.rank].has(Process::kDead))
            successors[extra.rank] = process;
    }
    for (RankId rank = 0; rank < plan_.nranks; ++rank) {
        auto const successor = successors.find(rank);
        ProcessId const id = successor == successors.end() ? rank : successor->second;
        Process const& process = processes_[id];
        RankEnd end;
        end.rank = rank;
        end.phase = static_cast<Phase>(process.phase);
        if (!process.has(Process::kStarted)) {
            end.end = End::not_there;
        } else if (process.has(Process::kDead)) {
            end.end = End::dead;
        } else if (end.phase == Phase::failed) {
            end.end = End::failed;
            end.error = ranks_[id].error();
            end.phase = end.error.phase;
            end.verdict.error = end.error;
            if (auto const heard = heard_.find(id); heard != heard_.end() && heard->second.error == end.error)
                end.verdict = heard->second;
            end.at_ns = process.phase_since_ns;
        } else if (process.has(Process::kReady) && !operations_left_.contains(id)) {
            end.end = End::ready;
        }
        ++outcome.ends[static_cast<std::size_t>(end.end)];
        if (end.end != End::ready)
            outcome.not_ready.push_back(end);
    }
    if (outcome.count(End::ready) < plan_.nranks)
        outcome.last_ready_ns = kNever;
    if (tables_ < plan_.nranks)
        outcome.slowest = kNoRank;
    for (ProcessId id = 0; id < processes_.size(); ++id) {
        if (processes_[id].kind == ProcessKind::rank)
            outcome.storm.strangers += ranks_[id].state().strangers;
    }
    for (auto const& root : roots_)
        outcome.storm.strangers += root->machine.strangers();
    outcome.storm.ports_high_water = hosts_.ports_high_water();
    outcome.simulated_ns = last_step_ns_;
    outcome.waiting_ring_unplayed = skips_ring_ && ring_begun_ > 0 && ring_begun_ < plan_.nranks;
    queue_depth_.points_into(outcome.queue_depth);
    outcome.digest = digest_.value();
    outcome.events = events_ + steps_;
    outcome.steps = steps_;
    outcome.world_bytes = bytes();
}

void Outcome::clear() {
    Outcome fresh;
    std::swap(fresh.phases, phases);
    std::swap(fresh.not_ready, not_ready);
    std::swap(fresh.queue_depth, queue_depth);
    for (Histogram& phase : fresh.phases)
        phase.clear();
    fresh.not_ready.clear();
    fresh.queue_depth.clear();
    *this = std::move(fresh);
}

std::uint64_t WorldState::bytes() const {
    std::uint64_t total = sizeof(*this) + queue_.bytes() + occurrences_.bytes() + connections_.bytes() +
                          index_.bytes() + accept_queues_.bytes() + contents_.bytes() + hosts_.bytes();
    total += processes_.capacity() * sizeof(Process) + ranks_.capacity() * sizeof(Machine);
    total += callback_listeners_.capacity() * sizeof(ListenerState);
    for (auto const& root : roots_) {
        total += sizeof(RootProcess) + root->records.capacity() * sizeof(protocol::RootRecord) +
                 root->device_index.capacity() * sizeof(std::uint32_t) + root->table.capacity() * sizeof(ProcessId);
    }
    return total;
}

}  // namespace ronde::sim
