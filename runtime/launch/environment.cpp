#include "launch/environment.hpp"

#include "protocol/units.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <charconv>

namespace ronde::launch {

namespace {

using Number = std::optional<std::uint32_t>;
using Place = tl::expected<std::optional<JobPlace>, std::string>;

/// Reads variables of one launcher and keeps the first fault.
class Reader {
public:
    explicit Reader(Variables const& variables) : variables_(variables) {}

    /// A variable set to the empty text counts as not set.
    [[nodiscard]] std::string_view text(std::string_view name) const {
        auto const found = variables_.find(name);
        return found == variables_.end() ? std::string_view{} : std::string_view(found->second);
    }
    [[nodiscard]] bool has(std::string_view name) const { return !text(name).empty(); }

    Number number(std::string_view name) {
        std::string_view const value = text(name);
        if (value.empty())
            return std::nullopt;
        std::uint32_t parsed = 0;
        auto const [end, fault] = std::from_chars(value.data(), value.data() + value.size(), parsed);
        if (fault == std::errc() && end == value.data() + value.size())
            return parsed;
        blame(fmt::format("{}='{}' is not a number from 0 to 4294967295", name, value));
        return std::nullopt;
    }

    void blame(std::string fault) {
        if (fault_.empty())
            fault_ = std::move(fault);
    }
    [[nodiscard]] std::string const& fault() const { return fault_; }

private:
    Variables const& variables_;
    std::string fault_;
};

struct Names {
    Launcher launcher;
    char const* rank;
    char const* size;
    char const* local_rank;
    char const* local_size;
};

/// Common to all launchers: the pair must be whole, and the numbers must fit each other.
Place read_place(Reader& reader, Names const& names) {
    JobPlace place;
    place.launcher = names.launcher;
    Number const rank = reader.number(names.rank);
    Number const size = reader.number(names.size);
    if (names.local_rank != nullptr)
        place.local_rank = reader.number(names.local_rank);
    if (names.local_size != nullptr)
        place.local_size = reader.number(names.local_size);
    if (!reader.fault().empty())
        return tl::unexpected(reader.fault());

    if (!rank || !size) {
        bool const rank_missing = !rank;
        return tl::unexpected(fmt::format("{} is set but {} is not: set both or neither",
                                          rank_missing ? names.size : names.rank,
                                          rank_missing ? names.rank : names.size));
    }
    if (*size == 0 || *size > protocol::kMaxRanks) {
        return tl::unexpected(fmt::format("{}={}, expected 1 to {}", names.size, *size, protocol::kMaxRanks));
    }
    if (*rank >= *size) {
        return tl::unexpected(
            fmt::format("{}={} but {}={}: ranks count from 0 to {}", names.rank, *rank, names.size, *size, *size - 1));
    }
    place.rank = *rank;
    place.world_size = *size;
    return place;
}

Place from_ronde(Reader& reader) {
    Place place =
        read_place(reader, {Launcher::ronde, "RONDE_RANK", "RONDE_WORLD_SIZE", "RONDE_LOCAL_RANK", "RONDE_LOCAL_SIZE"});
    if (place)
        (*place)->job = reader.text("RONDE_JOB");
    return place;
}

Place from_torchrun(Reader& reader) {
    Place place = read_place(reader, {Launcher::torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
    if (place) {
        (*place)->job = fmt::format("{}:{}/{}/{}", reader.text("MASTER_ADDR"), reader.text("MASTER_PORT"),
                                    reader.text("TORCHELASTIC_RUN_ID"), reader.text("TORCHELASTIC_RESTART_COUNT"));
    }
    return place;
}

Place from_open_mpi(Reader& reader) {
    Place place = read_place(reader, {Launcher::open_mpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                      "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
    if (place) {
        (*place)->job =
            reader.has("PMIX_NAMESPACE") ? reader.text("PMIX_NAMESPACE") : reader.text("OMPI_MCA_ess_base_jobid");
    }
    return place;
}

Place from_mpich(Reader& reader) {
    Place place = read_place(reader, {Launcher::mpich, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
    if (place)
        (*place)->job = reader.text("PMI_JOBID");
    return place;
}

/// Slurm numbers steps that users start from 0; the largest numbers stand for the batch script, the interactive shell
/// and such, which are no tasks of a parallel program.
constexpr std::uint32_t kFirstSpecialStep = 0xffff'fff0U;

bool is_slurm_task(Reader& reader) {
    if (!reader.has("SLURM_PROCID") || !reader.has("SLURM_STEP_ID"))
        return false;
    Number const step = reader.number("SLURM_STEP_ID");
    return !step || *step < kFirstSpecialStep;
}

Place from_slurm(Reader& reader) {
    // The step may have fewer tasks than the allocation, which is what SLURM_NTASKS says in older releases.
    char const* const size = reader.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    Number const hosts = reader.number(reader.has("SLURM_STEP_NUM_NODES") ? "SLURM_STEP_NUM_NODES" : "SLURM_NNODES");
    Place place = read_place(reader, {Launcher::slurm, "SLURM_PROCID", size, "SLURM_LOCALID", nullptr});
    if (place) {
        (*place)->hosts = hosts;
        if (hosts && *hosts == 1)
            (*place)->local_size = (*place)->world_size;
        (*place)->job = fmt::format("{}.{}", reader.text("SLURM_JOB_ID"), reader.text("SLURM_STEP_ID"));
    }
    return place;
}

constexpr char const* kTorchNames[] = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};

std::uint32_t torch_names_set(Reader const& reader) {
    std::uint32_t count = 0;
    for (char const* const name : kTorchNames)
        count += reader.has(name) ? 1U : 0U;
    return count;
}

Place half_of_torchrun(Reader const& reader) {
    std::string set;
    std::string missing;
    for (char const* const name : kTorchNames) {
        std::string& list = reader.has(name) ? set : missing;
        if (!list.empty())
            list += ", ";
        list += name;
    }
    bool const one = missing.find(',') == std::string::npos;
    return tl::unexpected(fmt::format(
        "{} are set but {} {} not: torchrun sets all four; unset them, or set RONDE_RANK and RONDE_WORLD_SIZE", set,
        missing, one ? "is" : "are"));
}

}  // namespace

Variables variables_here() {
    Variables variables;
    for (char** item = environ; item != nullptr && *item != nullptr; ++item) {
        std::string_view const text = *item;
        std::size_t const equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

std::string_view name_of(Launcher launcher) noexcept {
    switch (launcher) {
    case Launcher::ronde: return "ronde";
    case Launcher::torchrun: return "torchrun";
    case Launcher::open_mpi: return "Open MPI";
    case Launcher::mpich: return "MPICH";
    case Launcher::slurm: return "Slurm";
    }
    return "?";
}

tl::expected<std::optional<JobPlace>, std::string> find_place(Variables const& variables) {
    Reader reader(variables);
    if (reader.has("RONDE_RANK") || reader.has("RONDE_WORLD_SIZE"))
        return from_ronde(reader);
    std::uint32_t const torch_names = torch_names_set(reader);
    if (torch_names == std::size(kTorchNames))
        return from_torchrun(reader);
    if (reader.has("OMPI_COMM_WORLD_RANK") || reader.has("OMPI_COMM_WORLD_SIZE"))
        return from_open_mpi(reader);
    if (reader.has("PMI_RANK") || reader.has("PMI_SIZE"))
        return from_mpich(reader);
    if (is_slurm_task(reader))
        return from_slurm(reader);
    if (torch_names == 3 || (reader.has("RANK") && reader.has("WORLD_SIZE")))
        return half_of_torchrun(reader);
    return std::nullopt;
}

tl::expected<IdSource, std::string> find_id_source(Variables const& variables) {
    Reader const reader(variables);
    IdSource result;
    if (reader.has("RONDE_ID") && reader.has("RONDE_ID_FILE")) {
        return tl::unexpected(std::string("RONDE_ID and RONDE_ID_FILE are both set: set one of them"));
    }
    struct Way {
        char const* name;
        std::string IdSource::*member;
    };
    for (auto const& [name, member] :
         {Way{"RONDE_ID", &IdSource::text}, Way{"RONDE_ID_FILE", &IdSource::file},
          Way{"RONDE_COMM_ID", &IdSource::address}, Way{"NCCL_COMM_ID", &IdSource::address}}) {
        if (!reader.has(name))
            continue;
        result.*member = reader.text(name);
        result.source = name;
        break;
    }
    return result;
}

std::optional<std::string> exchange_obstacle(JobPlace const& place) {
    if (!place.spans_hosts())
        return std::nullopt;
    std::string const where =
        place.hosts ? fmt::format("{} hosts", *place.hosts)
                    : fmt::format("several hosts ({} of {} ranks are here)", *place.local_size, place.world_size);
    return fmt::format(
        "the ranks of this {} job are on {} and have no way to hand the id from one to the other: set RONDE_COMM_ID to "
        "an address and port of rank 0's host, or give every rank the same id with --id",
        name_of(place.launcher), where);
}

}  // namespace ronde::launch
