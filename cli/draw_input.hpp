/// What a picture is drawn from: told by a path or a name, and known by its content.
#pragma once

#include "chronicle/chronicle.hpp"

#include <string>
#include <string_view>

namespace ronde::cli {

/// The kinds of input, for the help of a picture's subcommand.
inline constexpr std::string_view kDrawInputs =
    "INPUT is one of\n"
    "  a name of ronde sim --list       the scenario is played\n"
    "  a file of a scenario, .toml      likewise; with the tape beside it if ronde check has stored one\n"
    "  a file of ronde sim --trace      its world is made again\n"
    "  a file of ronde sim --tape       its world is made again with the choices of the tape\n"
    "  a folder of ronde run --record   the flight recordings of a real run\n"
    "  a folder that a run has left     its trace, its tape, its recordings or its scenario, whichever it has";

/// Throws UsageError when it is none of these, and LauncherError when it cannot be read.
[[nodiscard]] viz::Chronicle chronicle_of_input(std::string const& input);

/// What a run has left in numbers: results.json of the folder `input`; empty where there is none, or it is no folder.
/// Throws LauncherError when it cannot be read.
[[nodiscard]] std::string results_beside(std::string const& input);

}  // namespace ronde::cli
