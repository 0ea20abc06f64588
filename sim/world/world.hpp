/// The pretend world: hosts, Linux's TCP and processes around the very machines that run in production.
///
///     WorldPlan plan;
///     plan.nranks = 98'304;
///     World world(plan);
///     Outcome const outcome = world.run();
///
/// One world belongs to one thread; any number of worlds may run side by side. Everything that happens is a function
/// of the plan and of what the oracle picks.
#pragma once

#include "engine/oracle.hpp"
#include "world/dependencies.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"
#include "world/plan.hpp"

#include <functional>
#include <memory>

namespace ronde::sim {

class WorldState;

class World {
public:
    /// `plan` has no contradiction (contradiction_in). Without an oracle the plan's seed chooses.
    explicit World(WorldPlan plan, Oracle* oracle = nullptr);
    World(World const&) = delete;
    World& operator=(World const&) = delete;
    ~World();

    /// Told of every step. Before the first event; must outlive the world. A watched world plays every frame.
    void watch(Observer& observer);
    /// Remembers who waited for whom: 32 bytes a step. Before the first event.
    void keep_dependencies();
    /// The chain of steps that made the last rank's table as late as it was. Needs keep_dependencies().
    [[nodiscard]] CriticalPath critical_path() const;
    /// Called now and then while the world runs (every 2^16 events), for a progress line.
    void on_progress(std::function<void(Progress const&)> report);

    /// Runs until nothing more can happen, or simulated_limit_ns.
    Outcome run();
    /// One event. False when nothing more can happen.
    bool advance();
    /// What has come of it so far.
    [[nodiscard]] Outcome outcome() const;

    [[nodiscard]] TimeNs now_ns() const noexcept;
    [[nodiscard]] WorldPlan const& plan() const noexcept;
    [[nodiscard]] protocol::Rank const& rank(RankId rank) const;
    [[nodiscard]] protocol::Root const& root(std::uint32_t index) const;

private:
    Oracle* oracle_;
    std::unique_ptr<WorldState> state_;
};

}  // namespace ronde::sim
