/// The ways in which `ronde run` works; run.cpp decides which one it is.
#pragma once

#include "cli/kept_run.hpp"
#include "cli/run_facts.hpp"
#include "cli/run_options.hpp"
#include "cli/usage.hpp"
#include "launch/environment.hpp"

namespace ronde::cli {

/// Forks a process for each rank and holds the roots here.
[[nodiscard]] RunFacts run_processes(RunOptions const& options);

/// Holds all ranks and roots in this process and one loop.
[[nodiscard]] RunFacts run_in_process(RunOptions const& options);

/// Starts the user's program as many times, with the environment set, and holds the roots here.
/// Returns the exit status for this process.
[[nodiscard]] int run_program(RunOptions const& options);

/// Is one rank of a job that somebody else started. Rank 0 prints the summary; others print only their own error.
[[nodiscard]] Exit run_joined(RunOptions const& options, launch::JobPlace const& place, KeptRun const& kept);

/// What a launched rank may take beyond its deadline before it is ended from outside.
inline constexpr protocol::TimeNs kHangGraceNs = 2 * protocol::kSecondNs;

/// Facts with the fields that follow from the options.
[[nodiscard]] RunFacts facts_for(RunOptions const& options, protocol::Policies const& policies, std::uint32_t nranks,
                                 std::uint32_t nroots);

/// Prints the report, writes pictures, and completes the folder. Throws LauncherError when a file cannot be written.
[[nodiscard]] Exit finish_run(RunOptions const& options, RunFacts const& facts, KeptRun const& kept);

}  // namespace ronde::cli
