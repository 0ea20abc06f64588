/// One rank of a job whose programs are fibers. Private to those that run programs.
#pragma once

#include <ronde/program.hpp>

namespace ronde {

/// Connects, calls the program, and lets its communicator go. The body of each rank's fiber, whoever runs it.
[[nodiscard]] ProgramEnd run_program(RankId rank, std::function<void(RankId)> const& before_connect,
                                     std::function<tl::expected<Communicator, Failed>()> const& connect,
                                     Program const& program);

}  // namespace ronde
