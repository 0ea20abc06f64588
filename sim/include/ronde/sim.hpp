/// Rank programs in a pretended world.
///
///     #include <ronde/sim.hpp>
///
///     int main() {
///         ronde::sim::WorldPlan world;
///         world.nranks = 1000;
///         auto const result = ronde::sim::run_programs(world, [](ronde::Communicator& ring) {
///             if (auto const met = ring.barrier(); !met)
///                 throw std::runtime_error(met.error().message());
///             ring.close();
///         });
///         std::puts(result ? result->text().c_str() : result.error().c_str());
///     }
///
/// Link ronde::sim. The program is the one that runs in production, verbs and all: each rank is a fiber of this thread
/// in a process of its own on a host of the world. What a world can be is said by WorldPlan, or as TOML by
/// load_scenario("storm-4k") and set_key(); docs/simulation.md has every key.
#pragma once

#include "scenario/scenario.hpp"
#include "world/observer.hpp"
#include "world/outcome.hpp"
#include "world/plan.hpp"

#include <ronde/program.hpp>

#include <string>

namespace ronde::sim {

/// Simulated time passes, and the process notices nothing meanwhile; see ronde::sleep_for.
using ronde::sleep_for;
/// Simulated time, ns from the begin of the world.
using ronde::now_ns;

struct ProgramOptions {
    /// Called in each rank's fiber when its process starts, before it connects: what a process does until then.
    std::function<void(RankId)> before_connect;
    /// For each verb, in simulated time; zero: no limit.
    std::chrono::nanoseconds operation_deadline = std::chrono::nanoseconds::zero();
    /// Attached to every communicator. Pressed by a program it is an event of the world like any other; pressed by
    /// another thread it works, but where it strikes is that thread's doing, and no seed repeats it.
    AbortSwitch const* abort_switch = nullptr;
    std::size_t stack_bytes = std::size_t{128} << 10U;  ///< of each fiber; only what is touched costs memory
    Observer* observer = nullptr;                       ///< told of every step of every machine
};

struct ProgramsOutcome {
    Outcome world;                        ///< of the bootstraps: phases, storm figures, digest
    ProgramEnds programs;                 ///< of the programs; a rank that faults gave a second process has two ends
    std::size_t deepest_stack_bytes = 0;  ///< most that one fiber has used, rounded up to pages
    std::size_t stacks_bytes = 0;         ///< memory of all stacks

    [[nodiscard]] bool all_returned() const noexcept { return programs.all_returned(); }
    /// How the programs ended, when, and the digest: a few lines.
    [[nodiscard]] std::string text() const;
};

/// Plays `plan` with `program` in every rank's process. Equal plans and equal programs give equal outcomes, digest
/// included, as long as the program depends on nothing but its communicator and sim::now_ns(). `gathers_after_ready` is
/// not used, and no gather is skipped (`fast_forward`): every frame is played once, with the bytes that programs send.
/// The error: what contradicts itself in the plan, or that there is no memory for the stacks.
[[nodiscard]] tl::expected<ProgramsOutcome, std::string> run_programs(WorldPlan const& plan, Program const& program,
                                                                      ProgramOptions const& options = {});

}  // namespace ronde::sim
