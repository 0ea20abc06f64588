/// Where chronicles come from. Each source gives one, or an error of one line that names the file and what was
/// expected of it.
#pragma once

#include "chronicle/chronicle.hpp"
#include "engine/oracle.hpp"
#include "explore/explore.hpp"
#include "world/plan.hpp"

#include <tl/expected.hpp>

#include <string>

namespace ronde::viz {

using Made = tl::expected<Chronicle, std::string>;

/// Plays the plan. Without an oracle its seed chooses. The plan has no contradiction.
[[nodiscard]] Chronicle chronicle_of_plan(sim::WorldPlan const& plan, sim::Oracle* oracle = nullptr);
/// A scenario by name, or a file; a failure that `ronde check` has stored is one with a tape beside it, which is
/// played.
[[nodiscard]] Made chronicle_of_scenario(std::string const& name_or_path);
/// What `ronde sim --trace` has written: its world is made again.
[[nodiscard]] Made chronicle_of_trace(std::string const& path);
/// What `ronde sim --tape` has written: its world is made again with its choices.
[[nodiscard]] Made chronicle_of_tape(std::string const& path);
/// The flight recordings of a real run (`ronde run --record`): each event is fed to a fresh machine. Times are
/// comparable where all processes ran on one host. A recording that differs from what the machine does now is an error.
[[nodiscard]] Made chronicle_of_recordings(std::string const& directory);
/// The counterexample of an exploration. Nothing is said there about time: each move takes a millisecond. An error when
/// nothing was found.
[[nodiscard]] Made chronicle_of_exploration(explore::Exploration const& exploration);

}  // namespace ronde::viz
