/// What all subcommands share: exit codes, the errors of a command line, and how subcommands register.
#pragma once

#include <CLI/App.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ronde::cli {

/// Exit statuses of `ronde`; docs/cli.md has the table.
enum class Exit : int {
    ok = 0,
    failed = 1,    ///< the bootstrap failed, or a replay differs
    usage = 2,     ///< the command line makes no sense
    launcher = 3,  ///< this process could not do its part: fork, descriptors, files
};

/// A command line that parses but makes no sense. One line: the flag, what was given, what is expected.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// This process cannot do its part. One line.
struct LauncherError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What the selected subcommand leaves behind: the exit status of the program.
struct Outcome {
    int status = 0;
    Outcome& operator=(Exit exit) noexcept {
        status = static_cast<int>(exit);
        return *this;
    }
};

/// Each subcommand adds itself to `app` and, when it was selected, runs and sets `outcome`.
/// `program`: what stands behind `--` on the command line.
void register_run(CLI::App& app, Outcome& outcome, std::span<char const* const> program);
void register_root(CLI::App& app, Outcome& outcome);
void register_id(CLI::App& app, Outcome& outcome);
void register_replay(CLI::App& app, Outcome& outcome);
void register_sim(CLI::App& app, Outcome& outcome);
void register_step(CLI::App& app, Outcome& outcome);
void register_sweep(CLI::App& app, Outcome& outcome);
void register_check(CLI::App& app, Outcome& outcome);
void register_shrink(CLI::App& app, Outcome& outcome);
void register_explore(CLI::App& app, Outcome& outcome);
void register_prove(CLI::App& app, Outcome& outcome);
void register_mutants(CLI::App& app, Outcome& outcome);
void register_draw(CLI::App& app, Outcome& outcome);
void register_report(CLI::App& app, Outcome& outcome);

/// "; did you mean --profile?" or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// What this process was asked for, as a shell would read it, with "ronde" for the program. Before anything else in
/// main.
void remember_command_line(std::span<char const* const> arguments);
[[nodiscard]] std::string const& command_line() noexcept;
/// A word as a shell reads it: in quotes where it needs them.
[[nodiscard]] std::string shell_word(std::string_view word);

/// "ronde run": the program and the subcommand that was selected.
[[nodiscard]] std::string command_of(CLI::App const& app);
/// "ronde run: --deadline: '5x' is no duration; …": a parse error of CLI11 in one line of ours.
[[nodiscard]] std::string one_line(CLI::App const& app, CLI::ParseError const& error);

}  // namespace ronde::cli
