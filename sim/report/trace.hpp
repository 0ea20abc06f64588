/// What happened, step by step: as lines of text, and as a digest of each step.
#pragma once

#include "engine/checkpoints.hpp"
#include "engine/digest.hpp"
#include "engine/tape.hpp"
#include "scenario/atomic_file.hpp"
#include "world/observer.hpp"
#include "world/world.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ronde::sim {

/// "3", "root 0", or "extra 5" for a process that a fault added.
[[nodiscard]] std::string process_text(ProcessId process, std::uint32_t nranks, std::uint32_t nroots);

/// "rank 3", "root 0", "extra 5".
[[nodiscard]] std::string process_name(ProcessId process, std::uint32_t nranks, std::uint32_t nroots);

/// Adds one step: when, who, what it was fed, and the state that it left.
void absorb_step(RunningDigest& digest, StepSeen const& seen);

/// Makes the lines of a trace, which are enough to make the world again and to compare it:
///
///     ronde-trace 1 article-4 seed=1 ranks=4 roots=1
///     plan name = "article-4"
///     choice loss 1000000 3 0x1f0c9a3e00000001
///     17 1000020000 2 frame successor callback:0 <root 0 awaiting_successor>connecting_ring connect chord_out:0
///     1f0c9a3e fault 2000000 crash end 210 steps 6b1f... text 0f02...
///
/// The plan is the scenario as TOML. A step is its number, the simulated time in ns, process, event, link and sender,
/// phases where they change, actions, and 32 bits of the digest of all steps so far: where two traces part, `diff`
/// shows it. A choice is a line of a tape (engine/tape.hpp), there only if it was not the seed's to make. The last line
/// has the number of steps, the whole digest, and one of the text above, so that a damaged file is known for one.
/// Version 1 is the word after `ronde-trace`.
class TraceLines : public Observer {
public:
    void on_step(StepSeen const& seen) final;
    void on_fault(TimeNs now_ns, Fault const& fault) final;
    void on_choice(TapeEntry const& entry);
    /// The world has come to its end.
    void finish();

protected:
    explicit TraceLines(WorldPlan const& plan);

    struct Line {
        std::string_view text;   ///< without its end of line, and of the last one without the digest of the text
        std::uint64_t step = 0;  ///< that it belongs to, from 1
        TimeNs at_ns = 0;
        ProcessId process = kNoProcess;  ///< kNoProcess: nobody's in particular
    };
    virtual void take(Line const& line) = 0;

private:
    std::uint32_t nranks_;
    std::uint32_t nroots_;
    std::uint64_t steps_ = 0;
    TimeNs last_ns_ = 0;
    RunningDigest digest_;
};

/// "ronde-trace 1 article-4 ..." and the plan.
[[nodiscard]] std::string trace_head(WorldPlan const& plan);
/// Of the lines of a trace, as its last line has it.
[[nodiscard]] std::string trace_text_digest(RunningDigest const& lines);
/// One more line, without its end.
void absorb_line(RunningDigest& lines, std::string_view line);

/// Puts them into a file.
class TraceWriter final : public TraceLines {
public:
    TraceWriter(AtomicFile& file, WorldPlan const& plan);

private:
    void take(Line const& line) override;

    AtomicFile& file_;
    RunningDigest lines_;
};

/// Choices that are not the seed's become part of the trace, each before the step that it leads to.
class TracedOracle final : public Oracle {
public:
    /// Both must outlive the oracle.
    TracedOracle(Oracle& source, TraceLines& trace) : source_(source), trace_(trace) {}
    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;

private:
    Oracle& source_;
    TraceLines& trace_;
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
