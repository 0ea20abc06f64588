#include "world/world.hpp"

#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <utility>

namespace ronde::sim {

World::World() = default;

World::World(WorldPlan const& plan, Oracle* oracle) { begin(plan, oracle); }

World::~World() = default;

void World::begin(WorldPlan const& plan, Oracle* oracle) {
    RONDE_CHECK(contradiction_in(plan).empty(), "a world is made of a plan without contradictions");
    oracle_ = oracle;
    if (!state_)
        state_ = std::make_unique<WorldState>();
    state_->report_progress = nullptr;
    state_->begin(plan, oracle);
}

void World::watch(Observer& observer) { state_->watch(observer); }
void World::keep_dependencies() { state_->keep_dependencies(); }
CriticalPath World::critical_path() const { return state_->critical_path(); }
void World::on_progress(std::function<void(Progress const&)> report) { state_->report_progress = std::move(report); }

bool World::skips_ring() const noexcept { return state_->skips_ring(); }

void World::run(Outcome& outcome) {
    state_->run();
    if (state_->must_be_played()) {
        // Rare: the same world again, event by event.
        WorldPlan plan = state_->plan();
        plan.fast_forward = false;
        std::vector<Observer*> const observers = state_->observers();
        state_->begin(plan, oracle_);
        for (Observer* const observer : observers) {
            state_->watch(*observer);
            observer->on_begin_again();
        }
        state_->run();
    }
    state_->outcome_into(outcome);
}

Outcome World::run() {
    Outcome outcome;
    run(outcome);
    return outcome;
}

void World::host(Programs& programs) { state_->host(programs); }
void World::start(ProcessId process) { state_->start_machine(process); }
void World::operate(ProcessId process, protocol::Operation const& operation) { state_->operate(process, operation); }
void World::close(ProcessId process) { state_->close(process); }
void World::sleep(ProcessId process, TimeNs wake_ns) { state_->sleep(process, wake_ns); }
void World::abort(ProcessId process) { state_->abort(process); }
void World::leave(ProcessId process) { state_->leave(process); }
TimeNs World::program_now_ns() const noexcept { return state_->stamp_ns(); }
protocol::Rank const& World::machine(ProcessId process) const { return state_->machine(process); }
bool World::was_ready(ProcessId process) const { return state_->was_ready(process); }
bool World::is_over(ProcessId process) const { return state_->is_over(process); }
protocol::Verdict World::verdict_of(ProcessId process) const { return state_->verdict_of(process); }
std::vector<ProcessId> World::table_of(ProcessId process) const { return state_->holders_known_to(process); }
bool World::tables_are_exact() const { return state_->tables_are_exact(); }
protocol::Entry World::entry_of(ProcessId process) const { return state_->entry_of(process); }

bool World::advance() { return state_->advance(); }
Outcome World::outcome() const {
    Outcome outcome;
    state_->outcome_into(outcome);
    return outcome;
}
TimeNs World::now_ns() const noexcept { return state_->now_ns(); }
Trip World::trip() const { return state_->trip(); }
WorldPlan const& World::plan() const noexcept { return state_->plan(); }
protocol::Rank const& World::rank(RankId rank) const { return state_->rank(rank); }
protocol::Root const& World::root(std::uint32_t index) const { return state_->root(index); }
Look World::look() const noexcept { return Look(*state_); }

}  // namespace ronde::sim
