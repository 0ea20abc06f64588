#include "world/world.hpp"

#include "protocol/check.hpp"
#include "world/world_state.hpp"

#include <utility>

namespace ronde::sim {

World::World(WorldPlan plan, Oracle* oracle) : oracle_(oracle) {
    RONDE_CHECK(contradiction_in(plan).empty(), "a world is made of a plan without contradictions");
    state_ = std::make_unique<WorldState>(std::move(plan), oracle);
}

World::~World() = default;

void World::watch(Observer& observer) { state_->watch(observer); }
void World::keep_dependencies() { state_->keep_dependencies(); }
CriticalPath World::critical_path() const { return state_->critical_path(); }
void World::on_progress(std::function<void(Progress const&)> report) { state_->report_progress = std::move(report); }

Outcome World::run() {
    state_->run();
    if (state_->must_be_played()) {
        // Rare: the same world again, event by event.
        WorldPlan plan = state_->plan();
        plan.fast_forward = false;
        auto again = std::make_unique<WorldState>(std::move(plan), oracle_);
        again->report_progress = std::move(state_->report_progress);
        state_ = std::move(again);
        state_->run();
    }
    return state_->outcome();
}

bool World::advance() { return state_->advance(); }
Outcome World::outcome() const { return state_->outcome(); }
TimeNs World::now_ns() const noexcept { return state_->now_ns(); }
WorldPlan const& World::plan() const noexcept { return state_->plan(); }
protocol::Rank const& World::rank(RankId rank) const { return state_->rank(rank); }
protocol::Root const& World::root(std::uint32_t index) const { return state_->root(index); }

}  // namespace ronde::sim
