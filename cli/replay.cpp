/// `ronde replay`: feeds a recording back to the machines and compares their states.
#include "net/replay.hpp"

#include "cli/usage.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace ronde::cli {

void register_replay(CLI::App& app, Outcome& outcome) {
    auto directory = std::make_shared<std::string>();
    CLI::App* const command =
        app.add_subcommand("replay", "Feed a recording (ronde run --record) back and compare every state");
    command->footer("Exit status: 0 the same states, 1 a difference, 2 bad usage, 3 nothing could be read.");
    command->add_option("directory", *directory, "Folder with *.ronde files")->required()->type_name("DIR");
    command->callback([directory, &outcome] {
        auto const report = net::replay(*directory);
        if (!report)
            throw LauncherError(report.error());
        fmt::print("{}", report->text());
        outcome = report->same() ? Exit::ok : Exit::failed;
    });
}

}  // namespace ronde::cli
