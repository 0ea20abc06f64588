/// What happened, step by step: as lines of text, and as a digest of each step.
#pragma once

#include "engine/checkpoints.hpp"
#include "engine/digest.hpp"
#include "scenario/atomic_file.hpp"
#include "world/observer.hpp"
#include "world/world.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ronde::sim {

/// "3", "root 0", or "extra 5" for a process that a fault added.
[[nodiscard]] std::string process_text(ProcessId process, std::uint32_t nranks, std::uint32_t nroots);

/// Adds one step: when, who, what it was fed, and the state that it left.
void absorb_step(RunningDigest& digest, StepSeen const& seen);

/// Writes a line for each step:
///
///     ronde-trace 1 article-4 seed=1 ranks=4 roots=1
///     17 1000020000 2 frame successor callback:0 <root 0 awaiting_successor>connecting_ring connect chord_out:0
///     1f0c9a3e fault 2000000 crash end 210 steps 6b1f...
///
/// Number, simulated time in ns, process, event, link and sender, phases where they change, actions, and 32 bits of the
/// digest of all steps so far: where two traces part, `diff` shows it. Version 1 is the word after `ronde-trace`.
class TraceWriter final : public Observer {
public:
    TraceWriter(AtomicFile& file, WorldPlan const& plan);
    void on_step(StepSeen const& seen) override;
    void on_fault(TimeNs now_ns, Fault const& fault) override;
    /// The last line.
    void finish();

private:
    AtomicFile& file_;
    std::uint32_t nranks_;
    std::uint32_t nroots_;
    std::uint64_t steps_ = 0;
    RunningDigest digest_;
};

/// One step as in a trace, without number and digest.
[[nodiscard]] std::string step_text(StepSeen const& seen, std::uint32_t nranks, std::uint32_t nroots);

/// Makes the same world once more.
using WorldMaker = std::function<std::unique_ptr<World>()>;

/// The first step in which two worlds that should be equal are not.
struct Difference {
    std::uint64_t step = 0;
    std::string first;  ///< what the first one did there, or that it had ended
    std::string second;
};
/// Runs both several times, with ever finer checkpoints. Nothing when all of these runs were equal.
[[nodiscard]] std::optional<Difference> first_difference(WorldMaker const& first, WorldMaker const& second);

}  // namespace ronde::sim
