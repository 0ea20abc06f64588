/// What of a pretended world goes into the folder of its run: the scenario, every step, every choice, and pictures.
#pragma once

#include "chronicle/chronicle.hpp"
#include "cli/run_folder.hpp"
#include "engine/tape.hpp"
#include "world/outcome.hpp"
#include "world/plan.hpp"

#include <string>

namespace ronde::cli {

/// A world that was played, and may be played again.
struct PlayedWorld {
    sim::WorldPlan const& plan;
    sim::Tape const* choices = nullptr;  ///< nullptr: the seed's
    bool first_ones_follow = false;      ///< behind the end of `choices`, as scripts of failures have it; or the seed's
    std::string rerun;                   ///< the command that plays it again; pictures bear it
    std::string verdict;                 ///< of pictures, instead of the world's own; empty: its own
};

/// Plays it once more, and tells its story.
[[nodiscard]] viz::Chronicle chronicle_of(PlayedWorld const& world);

/// What was put into the folder.
struct KeptWorld {
    sim::Outcome outcome;  ///< of the run that was written down
    bool traced = false;   ///< trace.txt and tape are there
    std::string picture;   ///< the one that shows a failure best: its path
};

/// Whether every step of the world is written down: not where a trace would be longer than anybody can use.
[[nodiscard]] bool is_worth_a_trace(sim::WorldPlan const& plan);

/// Plays it once more and puts scenario.toml, trace.txt, tape, ring.svg, storm.svg and .csv, and sequence.svg into the
/// folder. The trace, and with it the tape, is left out of worlds whose trace nobody could use: see kMostTraceBytes.
/// Throws LauncherError.
KeptWorld keep_world(RunFolder& folder, PlayedWorld const& world);

inline constexpr std::size_t kMostTraceBytes = std::size_t{64} << 20U;

}  // namespace ronde::cli
