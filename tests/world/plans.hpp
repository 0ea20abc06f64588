/// Plans that the stories about pretend worlds begin with.
#pragma once

#include "protocol/error.hpp"
#include "world/world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ronde::sim {

inline WorldPlan plan_of(std::uint32_t nranks, protocol::Profile profile = protocol::Profile::ronde,
                         std::uint32_t nroots = 1) {
    WorldPlan plan;
    plan.nranks = nranks;
    plan.nroots = nroots;
    plan.policies = protocol::policies_of(profile);
    return plan;
}

inline Fault fault_on_rank(FaultKind kind, RankId rank) {
    Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    return fault;
}

inline Fault fault_on_root(FaultKind kind, std::uint32_t index = 0) {
    Fault fault;
    fault.kind = kind;
    fault.target = Target::root;
    fault.index = index;
    return fault;
}

inline Trigger when(RankId rank, protocol::Phase phase) {
    Trigger trigger;
    trigger.rank = rank;
    trigger.phase = phase;
    return trigger;
}

inline Trigger at(TimeNs at_ns) {
    Trigger trigger;
    trigger.at_ns = at_ns;
    return trigger;
}

inline Outcome run(WorldPlan const& plan) {
    EXPECT_EQ(contradiction_in(plan), "");
    World world(plan);
    return world.run();
}

/// "7 ready, 1 dead; rank 3 dead in gathering: ..." for messages of failed tests.
inline std::string summary(Outcome const& outcome) {
    std::string text;
    for (std::uint32_t i = 0; i < kEnds; ++i) {
        if (outcome.ends[i] > 0)
            text += std::to_string(outcome.ends[i]) + " " + std::string(name_of(static_cast<End>(i))) + ", ";
    }
    for (std::size_t i = 0; i < outcome.not_ready.size() && i < 4; ++i) {
        RankEnd const& end = outcome.not_ready[i];
        protocol::Verdict verdict;
        verdict.error = end.error;
        text += "rank " + std::to_string(end.rank) + " " + std::string(name_of(end.end)) + " in " +
                std::string(protocol::name_of(end.phase)) + " (" + protocol::describe(verdict) + "); ";
    }
    return text + outcome.broken;
}

inline RankEnd const* end_of(Outcome const& outcome, RankId rank) {
    for (RankEnd const& end : outcome.not_ready) {
        if (end.rank == rank)
            return &end;
    }
    return nullptr;
}

}  // namespace ronde::sim
