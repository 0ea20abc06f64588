/// Who started this process as part of which job: read from the variables that launchers set.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ronde::launch {

using Variables = std::map<std::string, std::string, std::less<>>;
/// The environment of this process.
[[nodiscard]] Variables variables_here();

enum class Launcher : std::uint8_t { ronde, torchrun, open_mpi, mpich, slurm };
[[nodiscard]] std::string_view name_of(Launcher launcher) noexcept;

/// This process's place in a job.
struct JobPlace {
    Launcher launcher = Launcher::ronde;
    std::uint32_t rank = 0;
    std::uint32_t world_size = 1;
    std::optional<std::uint32_t> local_rank;  ///< among the ranks of this host
    std::optional<std::uint32_t> local_size;  ///< ranks on this host
    std::optional<std::uint32_t> hosts;       ///< hosts of the job
    /// The same for all ranks of this job and no other job of this host; what ranks exchange the id under. Empty when
    /// the launcher names no job: then the parent process stands for it, see exchange_key().
    std::string job;

    /// Known to span hosts. A launcher that says nothing about hosts and local ranks is believed to be on one host.
    [[nodiscard]] bool spans_hosts() const { return (local_size && *local_size < world_size) || (hosts && *hosts > 1); }
    friend bool operator==(JobPlace const&, JobPlace const&) = default;
};

/// How a rank gets its id. Exactly one of the first three is set, or none (then: the id exchange of this host).
struct IdSource {
    std::string text;     ///< RONDE_ID
    std::string file;     ///< RONDE_ID_FILE
    std::string address;  ///< RONDE_COMM_ID, or else NCCL_COMM_ID: a root address agreed on out of band
    std::string source;   ///< name of the variable it came from
    friend bool operator==(IdSource const&, IdSource const&) = default;
};

/// The place that the variables describe, nothing when no launcher set any. Pure. The first that applies:
///
///   ronde     RONDE_RANK, RONDE_WORLD_SIZE (both); RONDE_LOCAL_RANK, RONDE_LOCAL_SIZE, RONDE_JOB
///   torchrun  RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT (all); LOCAL_RANK, LOCAL_WORLD_SIZE, TORCHELASTIC_RUN_ID and
///             TORCHELASTIC_RESTART_COUNT. With some of the four missing a later line may apply (scripts often export
///             three of them and leave RANK to srun); if none does, three of them, or RANK and WORLD_SIZE, are half a
///             set and an error, and anything less is somebody else's variable and means nothing
///   Open MPI  OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE (both); OMPI_COMM_WORLD_LOCAL_RANK, …_LOCAL_SIZE;
///             job: PMIX_NAMESPACE, or else OMPI_MCA_ess_base_jobid
///   MPICH     PMI_RANK, PMI_SIZE (both); MPI_LOCALRANKID, MPI_LOCALNRANKS; job: PMI_JOBID where set
///   Slurm     SLURM_PROCID with SLURM_STEP_ID and SLURM_STEP_NUM_TASKS (or SLURM_NTASKS); SLURM_LOCALID,
///             SLURM_STEP_NUM_NODES; job: SLURM_JOB_ID and step. A batch script has SLURM_PROCID=0 and SLURM_NTASKS too
///             but no step, and an interactive step has a number from 4294967280 on: neither is a rank of anything
///
/// Open MPI and MPICH stand before Slurm because their daemons are Slurm tasks themselves.
/// Errors, one line each: half of a pair is set; not a number; rank >= size; size 0 or above the largest job.
[[nodiscard]] tl::expected<std::optional<JobPlace>, std::string> find_place(Variables const& variables);

/// RONDE_ID, RONDE_ID_FILE, RONDE_COMM_ID and NCCL_COMM_ID, in this order; a variable set to the empty text counts as
/// not set. RONDE_ID and RONDE_ID_FILE together are an error.
[[nodiscard]] tl::expected<IdSource, std::string> find_id_source(Variables const& variables);

/// Why ranks of `place` cannot agree on an id through a file of this host, with the way out ("ranks span hosts …: give
/// the root's address in RONDE_COMM_ID or …"), or nothing.
[[nodiscard]] std::optional<std::string> exchange_obstacle(JobPlace const& place);

}  // namespace ronde::launch
