/// Worlds and runs that the stories about programs begin with.
#pragma once

#include <ronde/sim.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace ronde::sim {

/// What most programs do with an error.
inline void need(ronde::Outcome const& outcome) {
    if (!outcome)
        throw std::runtime_error(outcome.error().message());
}

inline Fault fault_on(FaultKind kind, RankId rank, TimeNs at_ns = 0) {
    Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    fault.when.at_ns = at_ns;
    return fault;
}

/// The end of a rank's program, or one that says that it returned.
inline ProgramEnd end_of(ProgramsOutcome const& outcome, RankId rank) {
    for (ProgramEnd const& end : outcome.programs.others) {
        if (end.rank == rank)
            return end;
    }
    ProgramEnd returned;
    returned.rank = rank;
    return returned;
}

inline WorldPlan world_of(std::uint32_t nranks) {
    WorldPlan plan;
    plan.nranks = nranks;
    return plan;
}

inline ProgramsOutcome play(WorldPlan const& plan, Program const& program, ProgramOptions const& options = {}) {
    auto outcome = run_programs(plan, program, options);
    if (!outcome)
        throw std::runtime_error(outcome.error());
    return std::move(*outcome);
}

}  // namespace ronde::sim
