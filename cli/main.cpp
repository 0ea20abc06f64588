/// The `ronde` program: hands the command line to the subcommand that it names.
#include "cli/interrupt.hpp"
#include "cli/usage.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <system_error>

namespace {

constexpr char const* kDescription =
    "ronde: processes that share one small id end up in a ring, each with the table of all others, or each with\n"
    "an error that names the cause.";
constexpr char const* kFooter =
    "Examples:\n"
    "  ronde run -n 64                     64 processes of this host form a ring; prints what it took\n"
    "  ronde run -n 8 -- ./prog args       starts a program of yours 8 times, with the environment set\n"
    "  mpirun -n 8 ronde run               joins the job that mpirun started\n"
    "  ronde run -n 16 --dot ring.dot      draws the ring (neato -n2 -Tsvg ring.dot)\n"
    "  ronde run -n 16 --fault kill:7@connecting_ring\n"
    "                                      what the others say when rank 7 dies\n"
    "  ronde sim storm-98k                 the same protocol with 98 304 pretended ranks\n"
    "  ronde draw ring article-4           what became of it, as a picture\n"
    "  ronde report root-dies -o run.html  all of it, as a page to walk through in a browser\n"
    "Exit status: 0 ready, 1 the bootstrap failed, 2 bad usage, 3 this host could not start it.";

int fail(ronde::cli::Exit exit, std::string const& line) {
    fmt::print(stderr, "{}\n", line);
    return static_cast<int>(exit);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace ronde::cli;
    int own = 0;
    while (own < argc && std::strcmp(argv[own], "--") != 0)
        ++own;
    std::span<char const* const> const all(argv, static_cast<std::size_t>(argc));
    auto const program = own < argc ? all.subspan(static_cast<std::size_t>(own) + 1) : std::span<char const* const>();

    remember_command_line(all);
    clean_up_on_signals();

    CLI::App app(kDescription, "ronde");
    app.footer(kFooter);
    app.set_version_flag("--version", "ronde " RONDE_VERSION);
    app.require_subcommand(1);
    Outcome outcome;
    register_run(app, outcome, program);
    register_root(app, outcome);
    register_id(app, outcome);
    register_replay(app, outcome);
    register_sim(app, outcome);
    register_step(app, outcome);
    register_sweep(app, outcome);
    register_check(app, outcome);
    register_shrink(app, outcome);
    register_explore(app, outcome);
    register_prove(app, outcome);
    register_mutants(app, outcome);
    register_draw(app, outcome);
    register_report(app, outcome);

    try {
        app.parse(own, argv);
    } catch (CLI::Success const& asked) {
        return app.exit(asked);
    } catch (CLI::ParseError const& error) {
        return fail(Exit::usage, one_line(app, error));
    } catch (UsageError const& error) {
        return fail(Exit::usage, fmt::format("{}: {}", command_of(app), error.what()));
    } catch (LauncherError const& error) {
        return fail(Exit::launcher, fmt::format("{}: {}", command_of(app), error.what()));
    } catch (std::system_error const& error) {
        return fail(Exit::launcher, fmt::format("{}: {}", command_of(app), error.what()));
    }
    return outcome.status;
}
