/// `ronde mutants`: faults in the machine, and which property kills which. Hands over to the program beside this one
/// that is linked with such a machine.
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace ronde::cli {
namespace {

struct MutantOptions {
    bool fast = false;
    std::size_t format = 0;
    std::vector<std::string> names;
    std::vector<std::string> layers;
};

[[noreturn]] void hand_over(MutantOptions const& options) {
    std::filesystem::path const program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ronde-mutants";
    std::vector<std::string> words{program.string(), "--format", options.format == 0 ? "text" : "json"};
    if (options.fast)
        words.emplace_back("--fast");
    for (std::string const& layer : options.layers)
        words.insert(words.end(), {"--layer", layer});
    words.insert(words.end(), options.names.begin(), options.names.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw LauncherError(fmt::format("cannot start {}: {}; it is built with the tests of the tree, target ronde-mutants",
                                    program.string(), std::strerror(errno)));
}

}  // namespace

void register_mutants(CLI::App& app, Outcome&) {
    auto options = std::make_shared<MutantOptions>();
    CLI::App* const command =
        app.add_subcommand("mutants", "Wake one fault of the machine after the other; each must be noticed");
    command->footer("Example: ronde mutants --fast\n"
                    "Exit status: 0 every mutant dies of what it should, 1 one does not, 2 bad usage.");
    command->add_option("names", options->names, "Only these mutants (all)")->type_name("NAME");
    command->add_flag("--fast", options->fast, "Smaller jobs, and no sockets: less than a minute on one core");
    command
        ->add_option("--layer", options->layers,
                     "Only this one, of explorer, simulator, neighbours, recordings and sockets; may be repeated (all)")
        ->type_name("NAME")
        ->delimiter(',');
    command
        ->add_option_function<std::string>(
            "--format",
            [options](std::string const& name) {
                options->format = parse_format(name, {"text", "json"});
            },
            "text or json (text)")
        ->type_name("NAME");
    command->callback([options] { hand_over(*options); });
}

}  // namespace ronde::cli
