/// From the environment to a communicator: for programs that `ronde run --`, mpirun, torchrun or Slurm start.
#pragma once

#include <ronde/communicator.hpp>

namespace ronde {

/// Finds out which rank of how many this process is, gets the id, and connects.
///
/// The place comes from RONDE_RANK and RONDE_WORLD_SIZE, or from the variables of torchrun, Open MPI, MPICH or Slurm.
/// The id comes from RONDE_ID, RONDE_ID_FILE, or a root address in RONDE_COMM_ID or NCCL_COMM_ID (with RONDE_SECRET);
/// without any of them the ranks of one host agree on an id of rank 0's through a private file. Where nobody else holds
/// the root, rank 0 does. `options.root` is not used. Without any launcher this process is a job of one rank.
///
/// Blocks until the ring stands, at most `options.deadline`. Call it once per process, or with a `round` of its own for
/// each further communicator that the same job makes without an id of the launcher's.
[[nodiscard]] tl::expected<Communicator, Failed> connect_from_environment(CommunicatorOptions options = {},
                                                                          std::uint32_t round = 0);

}  // namespace ronde
