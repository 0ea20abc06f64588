#include "cli/draw.hpp"

#include <CLI/CLI.hpp>

namespace ronde::cli {

void register_draw(CLI::App& app, Outcome& outcome) {
    CLI::App* const command =
        app.add_subcommand("draw", "Pictures: of a run, of the machine, and of everything that can happen");
    command->require_subcommand(1);
    command->footer("docs/pictures.md shows one of each, and the command that has drawn it.\n"
                    "Example: ronde draw ring article-4 -o ring.svg");
    add_ring_picture(*command, outcome);
    add_time_pictures(*command, outcome);
    add_graph_pictures(*command, outcome);
}

}  // namespace ronde::cli
