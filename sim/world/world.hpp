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
#include "world/look.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"
#include "world/plan.hpp"

#include <functional>
#include <memory>

namespace ronde::sim {

class Programs;
class WorldState;

class World {
public:
    /// No world yet: begin() makes one.
    World();
    /// `plan` has no contradiction (contradiction_in). Without an oracle the plan's seed chooses.
    explicit World(WorldPlan const& plan, Oracle* oracle = nullptr);
    World(World const&) = delete;
    World& operator=(World const&) = delete;
    ~World();

    /// Another world in the memory of this one, equal in everything to one that is made anew, but for
    /// Outcome::world_bytes. Whoever watched the old one does not watch the new one.
    void begin(WorldPlan const& plan, Oracle* oracle = nullptr);

    /// Told of every step. Before the first event; must outlive the world. A watched world plays every frame, unless
    /// none of its observers wants that.
    void watch(Observer& observer);
    /// Remembers who waited for whom: 32 bytes a step. Before the first event.
    void keep_dependencies();
    /// The chain of steps that made the last rank's table as late as it was. Needs keep_dependencies().
    [[nodiscard]] CriticalPath critical_path() const;
    /// Called now and then while the world runs (every 2^16 events), for a progress line.
    void on_progress(std::function<void(Progress const&)> report);

    /// Ranks begin programs instead of starting by themselves, and every frame is played. Before the first event; must
    /// outlive the world, or its last event.
    void host(Programs& programs);

    /// Whether a gather around the ring will be computed as a whole unless something disturbs it. Before the first
    /// event.
    [[nodiscard]] bool skips_ring() const noexcept;

    /// Runs until nothing more can happen, or simulated_limit_ns.
    Outcome run();
    /// ... into an outcome that keeps the memory it has.
    void run(Outcome& outcome);
    /// One event. False when nothing more can happen.
    bool advance();
    /// What has come of it so far.
    [[nodiscard]] Outcome outcome() const;

    [[nodiscard]] TimeNs now_ns() const noexcept;
    /// For an oracle that wants to know what it chooses about: valid while it picks a Choice::delay or a Choice::loss.
    [[nodiscard]] Trip trip() const;
    [[nodiscard]] WorldPlan const& plan() const noexcept;
    [[nodiscard]] protocol::Rank const& rank(RankId rank) const;
    [[nodiscard]] protocol::Root const& root(std::uint32_t index) const;
    /// All that can be seen of it. Valid until run() returns or the world ends; ask again after run().
    [[nodiscard]] Look look() const noexcept;

    // --- calls of programs
    // --------------------------------------------------------------------------------------------- Of a living
    // process. The first four while it begins or goes on (world/programs.hpp), the others between two events too.
    void start(ProcessId process);
    void operate(ProcessId process, protocol::Operation const& operation);
    void close(ProcessId process);
    /// It notices nothing until `wake_ns`, and then goes on.
    void sleep(ProcessId process, TimeNs wake_ns);
    /// Gives up, as soon as the process notices.
    void abort(ProcessId process);
    /// Its connections and listeners are closed by the kernel; the machine hears of nothing any more.
    void leave(ProcessId process);

    /// The time that a program sees: that of the occurrence which its process works on.
    [[nodiscard]] TimeNs program_now_ns() const noexcept;
    [[nodiscard]] protocol::Rank const& machine(ProcessId process) const;
    [[nodiscard]] bool was_ready(ProcessId process) const;
    /// Ended or left: nothing happens to it any more.
    [[nodiscard]] bool is_over(ProcessId process) const;
    /// How it ended, with the ranks that a verdict listed.
    [[nodiscard]] protocol::Verdict verdict_of(ProcessId process) const;
    /// By rank: whose entries it holds.
    [[nodiscard]] std::vector<ProcessId> table_of(ProcessId process) const;
    /// Whether tables can differ; in large worlds all share one.
    [[nodiscard]] bool tables_are_exact() const;
    /// What a process has registered.
    [[nodiscard]] protocol::Entry entry_of(ProcessId process) const;

private:
    Oracle* oracle_ = nullptr;
    std::unique_ptr<WorldState> state_;
};

}  // namespace ronde::sim
