/// `ronde report`: all of a run in one file that a browser opens.
#include "cli/draw_input.hpp"
#include "cli/sim_options.hpp"
#include "cli/usage.hpp"
#include "page/report_html.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <memory>

namespace ronde::cli {
namespace {

struct ReportFlags {
    std::string input;
    std::string file;
};

Exit write_report(ReportFlags const& flags) {
    if (flags.file.empty() && ::isatty(STDOUT_FILENO) != 0)
        throw UsageError("-o FILE is missing: a page is no text for a terminal");
    viz::ReportOptions options;
    options.results_json = results_beside(flags.input);
    deliver(viz::report_html(chronicle_of_input(flags.input), options), flags.file);
    return Exit::ok;
}

}  // namespace

void register_report(CLI::App& app, Outcome& outcome) {
    auto flags = std::make_shared<ReportFlags>();
    CLI::App* const command = app.add_subcommand(
        "report",
        "One page of all that a run has to tell: verdict, ring, storm, phases, who said what; to walk through it");
    command->footer(
        fmt::format("{}\n\nThe page is one file of HTML. It needs no network, no server and no other program; without "
                    "scripts all of\nit can be read. Runs of up to 512 ranks can be walked through, event by event.\n"
                    "Example: ronde report root-dies -o root-dies.html",
                    kDrawInputs));
    command->add_option("INPUT", flags->input, "What the page is about, see below")->required();
    command
        ->add_option("-o", flags->file,
                     "Put the page into FILE, in one step (standard output, unless that is a terminal)")
        ->type_name("FILE");
    command->callback([flags, &outcome] { outcome = write_report(*flags); });
}

}  // namespace ronde::cli
