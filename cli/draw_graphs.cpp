/// `ronde draw machine` and `ronde draw explore`: what can happen, as graphs.
#include "cli/draw.hpp"
#include "cli/draw_output.hpp"
#include "cli/explore_options.hpp"
#include "graphs/machine_graph.hpp"
#include "graphs/state_graph.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace ronde::cli {
namespace {

struct MachineOptions {
    std::string kind = "rank";
    PictureOutput output;
};

void add_machine_picture(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<MachineOptions>();
    CLI::App* const command =
        draw.add_subcommand("machine", "The phases of a machine, and the events that lead from one to the next");
    command->footer("Example: ronde draw machine root -o root.svg");
    command->add_option("machine", options->kind, "rank or root (rank)")
        ->type_name("NAME")
        ->check([](std::string const& name) {
            return name == "rank" || name == "root" ? std::string()
                                                    : fmt::format("'{}' is no machine; expected rank or root", name);
        });
    add_output_options(*command, options->output, true);
    command->callback([options, &outcome] {
        auto const kind = options->kind == "root" ? viz::MachineKind::root : viz::MachineKind::rank;
        deliver_dot(machine_graph(kind), GraphLayout::layered, options->output);
        outcome = Exit::ok;
    });
}

struct WorldsOptions {
    ExploreOptions explore;
    PictureOutput output;
};

void add_worlds_picture(CLI::App& draw, Outcome& outcome) {
    auto options = std::make_shared<WorldsOptions>();
    CLI::App* const command = draw.add_subcommand(
        "explore", "Every world that a small job can get into, and the shortest way to one that breaks a property");
    command->footer("Up to 2 000 worlds; name the faults with --given where there would be more.\n"
                    "Examples: ronde draw explore --ranks 2 -o worlds.svg\n"
                    "          ronde draw explore --ranks 3 --profile article --given drop:1 -o forever.svg");
    add_explore_options(*command, options->explore);
    add_output_options(*command, options->output, true);
    command->callback([options, &outcome] {
        explore::ExploreSettings const settings = options->explore.chosen();
        static_cast<void>(options->output.chosen());
        auto const graph = viz::state_graph(settings);
        if (!graph)
            throw UsageError(graph.error());
        deliver_dot(state_graph_dot(*graph), GraphLayout::pinned, options->output);
        outcome = Exit::ok;
    });
}

}  // namespace

void add_graph_pictures(CLI::App& draw, Outcome& outcome) {
    add_machine_picture(draw, outcome);
    add_worlds_picture(draw, outcome);
}

}  // namespace ronde::cli
