/// `ronde draw`: one input, many pictures. Each kind of picture is a subcommand that registers itself here.
#pragma once

#include "cli/usage.hpp"

#include <CLI/App.hpp>

namespace ronde::cli {

/// Subcommands of `draw`: each adds itself to `draw` and, when it was selected, runs and sets `outcome`.
void add_ring_picture(CLI::App& draw, Outcome& outcome);
void add_graph_pictures(CLI::App& draw, Outcome& outcome);
void add_time_pictures(CLI::App& draw, Outcome& outcome);

}  // namespace ronde::cli
