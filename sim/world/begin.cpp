/// A plan becomes a world: its processes, its faults, and when everybody starts.
#include "world/world_state.hpp"

#include <algorithm>
#include <utility>

namespace ronde::sim {

void WorldMemory::clear_for(WorldPlan const& plan) {
    plan_ = plan;
    hosts_.begin();
    queue_.clear();
    tied_.clear();
    channels_.clear();
    firsts_.clear();
    occurrences_.clear();
    connections_.clear();
    index_.clear();
    accept_queues_.clear();
    contents_.size_for(plan.nranks);
    processes_.clear();
    callback_listeners_.clear();
    ranks_.clear();
    own_configs_.clear();
    // The first one is used first again: it has the room for its block.
    while (!roots_.empty()) {
        spare_roots_.push_back(std::move(roots_.back()));
        roots_.pop_back();
    }
    extras_.clear();
    hardships_.clear();
    triggers_.clear();
    parked_.clear();
    mail_links_.clear();
    held_.clear();
    operations_left_.clear();
    heard_.clear();
    causes_.clear();
    there_ns_.clear();
    observers_.clear();
    later_.clear();
    actions_.clear();
    payload_.clear();
    out_.clear();
    queue_depth_.clear();
    ring_start_ns_.clear();
}

void WorldState::begin(WorldPlan const& plan, Oracle* oracle) {
    clear_for(plan);
    WorldMoment::operator=(WorldMoment());
    policies_ = protocol::resolve(plan_.policies, plan_.nranks, plan_.nroots);
    own_oracle_ = SeededOracle(plan_.seed);
    oracle_ = oracle != nullptr ? oracle : &own_oracle_;
    out_.name = plan_.name;
    out_.seed = plan_.seed;
    out_.nranks = plan_.nranks;
    out_.nroots = plan_.nroots;
    out_.policies = policies_;
    NetworkPlan const& network = plan_.network;
    steady_ = network.same_host.is_constant() && network.same_rack.is_constant() && network.cross_rack.is_constant() &&
              network.loss_per_million == 0 && network.bytes_per_second == 0 && plan_.links.empty();
    populate();
    prepare_faults();
    skips_ring_ = ring_can_be_skipped();
    if (skips_ring_)
        ring_start_ns_.assign(plan_.nranks, kNever);
    for (ProcessId process = 0; process < processes_.size(); ++process) {
        if (processes_[process].has(Process::kAbsent))
            continue;
        bool const root = process >= plan_.nranks;
        TimeNs start_ns = root ? 0 : start_ns_of(process);
        if (Hardship const* const hard = hardship(process); hard != nullptr)
            start_ns += hard->late_ns;
        queue_.push(start_ns, kTimerSlot | process);
    }
}

/// The shortest of the roots' queues, as coarsely as an id says it.
std::uint32_t WorldState::backlog_in_the_id() const {
    protocol::Partition const partition{plan_.nranks, plan_.nroots};
    std::uint32_t least = plan_.root_backlog;
    for (std::uint32_t index = 0; index < plan_.nroots; ++index) {
        std::uint32_t const host = hosts_.host_of_root(index, partition.first_of(index));
        least = std::min(least, hosts_.plan_of(host).somaxconn);
    }
    return protocol::backlog_told_by(protocol::code_of_backlog(least));
}

void WorldState::populate() {
    protocol::Partition const partition{plan_.nranks, plan_.nroots};
    std::uint32_t const all = plan_.nranks + plan_.nroots;
    processes_.resize(all);
    if (policies_.reply == protocol::Reply::callback)
        callback_listeners_.resize(all);

    worn_.policies = policies_;
    worn_.nranks = plan_.nranks;
    worn_.nroots = plan_.nroots;
    worn_.session = plan_.seed | 1U;
    worn_.budget_ns = plan_.budget_ns;
    worn_.roots_digest = 1;
    worn_.root_backlog = backlog_in_the_id();
    worn_.rank = kNoRank;  // nobody's yet
    ranks_.assign(all, Machine(worn_));
    for (RankId rank = 0; rank < plan_.nranks; ++rank)
        processes_[rank].host = hosts_.host_of_rank(rank);

    for (std::uint32_t index = 0; index < plan_.nroots; ++index) {
        Process& process = processes_[plan_.nranks + index];
        process.kind = ProcessKind::root;
        process.host = hosts_.host_of_root(index, partition.first_of(index));
        RootProcess& root = add_root();
        root.config.policies = plan_.policies;
        root.config.expected_nranks = plan_.nranks;
        root.config.nroots = plan_.nroots;
        root.config.root_index = index;
        root.config.roots_digest = worn_.roots_digest;
        root.config.session = worn_.session;
        root.config.pending_limit = plan_.root_pending_limit;
        root.machine = protocol::Root(root.config);
        perform_reserve(plan_.nranks + index, partition.expected_check_ins(index));
    }
    step_again_ = false;
    if (plan_.gathers_after_ready > 0) {
        for (RankId rank = 0; rank < plan_.nranks; ++rank)
            operations_left_[rank] = plan_.gathers_after_ready;
    }
}

RootProcess& WorldState::add_root() {
    if (spare_roots_.empty()) {
        roots_.push_back(std::make_unique<RootProcess>());
    } else {
        roots_.push_back(std::move(spare_roots_.back()));
        spare_roots_.pop_back();
        roots_.back()->clear();
    }
    return *roots_.back();
}

TimeNs WorldState::start_ns_of(RankId rank) {
    ArrivalPlan const& arrival = plan_.arrival;
    TimeNs start_ns = 0;
    if (arrival.wave_hosts > 0)
        start_ns = arrival.wave_every_ns * (processes_[rank].host / arrival.wave_hosts);
    std::uint64_t const key = std::uint64_t{rank} << 32U;
    start_ns += arrival.skew.is_constant() ? arrival.skew.least_ns()
                                           : arrival.skew.draw(pick_bits(*oracle_, Choice::arrival, key));
    bool const late = arrival.stragglers_per_million > 0 &&
                      oracle_->pick(Choice::straggler, key, 1'000'000) < arrival.stragglers_per_million;
    if (late)
        start_ns += arrival.straggler.draw(pick_bits(*oracle_, Choice::straggler, key + 1U));
    return start_ns;
}

}  // namespace ronde::sim
