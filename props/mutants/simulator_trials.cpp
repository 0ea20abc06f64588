#include "mutants/trials_of.hpp"
#include "world/world.hpp"

#include <fmt/format.h>

#include <vector>

namespace ronde::mutants {
namespace {

using protocol::Gather;
using protocol::Phase;

/// No trial of the machine as it is takes a quarter as many events before it is at rest: around a ring go N slices of N
/// ranks.
std::uint64_t most_events(std::uint64_t nranks) { return 100'000 + 16 * nranks * nranks; }

struct Trial {
    std::string name;
    sim::WorldPlan plan;
    bool must_stand = true;                       ///< everyone is ready
    protocol::RankId guilty = protocol::kNoRank;  ///< otherwise: whom everyone names,
    protocol::Code cause = protocol::Code::ok;    ///< ... and what for; ok: whatever it was taken for
};

sim::WorldPlan world(std::uint32_t nranks, Gather gather, std::uint32_t nroots = 1) {
    sim::WorldPlan plan;
    plan.nranks = nranks;
    plan.nroots = nroots;
    plan.policies = protocol::policies_of(protocol::Profile::ronde);
    plan.policies.gather = gather;
    plan.fast_forward = false;
    plan.arrival.skew = sim::Distribution::uniform(0, protocol::kMillisecondNs);
    return plan;
}

sim::Fault fault_on(sim::FaultKind kind, protocol::RankId rank, Phase phase) {
    sim::Fault fault;
    fault.kind = kind;
    fault.ranks = {{rank, 1}};
    fault.when.rank = rank;
    fault.when.phase = phase;
    return fault;
}

Trial stands(std::string const& name, sim::WorldPlan plan) {
    return {fmt::format("{} ranks, {}", plan.nranks, name), std::move(plan), true, protocol::kNoRank,
            protocol::Code::ok};
}

Trial names(std::string const& name, sim::WorldPlan plan, sim::Fault const& fault) {
    plan.faults.push_back(fault);
    return {fmt::format("{} ranks, {}", plan.nranks, name), std::move(plan), false, fault.ranks.front().first,
            protocol::Code::ok};
}

/// Whoever cannot accept for long says so. Somebody notices without it too, later, and takes it for something else.
std::vector<Trial> trials_without_descriptors() {
    Trial root = stands("a root without descriptors", world(8, Gather::star));
    root.plan.root_host.descriptor_limit = 4;
    root.must_stand = false;
    root.cause = protocol::Code::local_failure;

    // Rank 4 comes when rank 5 has called rank 6 already: what is missing at rank 5 is a descriptor to accept with.
    sim::WorldPlan plan = world(8, Gather::star);
    sim::Fault late = fault_on(sim::FaultKind::late, 4, Phase::created);
    late.when = {};
    late.duration_ns = 20 * protocol::kMillisecondNs;
    plan.faults.push_back(late);
    sim::Fault scarce = fault_on(sim::FaultKind::no_descriptors, 5, Phase::connecting_ring);
    scarce.amount = 1'000'000;
    Trial rank = names("rank 5 without descriptors", plan, scarce);
    rank.cause = protocol::Code::local_failure;
    return {root, rank};
}

std::vector<Trial> trials_of(bool fast) {
    std::vector<Trial> trials;
    for (std::uint32_t const nranks :
         fast ? std::vector<std::uint32_t>{3, 16} : std::vector<std::uint32_t>{3, 8, 64, 300}) {
        trials.push_back(stands("star", world(nranks, Gather::star)));
        trials.push_back(stands("doubling", world(nranks, Gather::doubling)));
        trials.push_back(stands("ring", world(nranks, Gather::ring)));
        trials.push_back(stands("ring both ways", world(nranks, Gather::ring2)));
        trials.push_back(stands("three roots", world(nranks, Gather::automatic, 3)));
    }
    for (Phase const phase : {Phase::checking_in, Phase::connecting_ring, Phase::committing}) {
        auto const crash = fault_on(sim::FaultKind::crash, 5, phase);
        trials.push_back(names(fmt::format("rank 5 dies in {}", name_of(phase)), world(8, Gather::star), crash));
    }
    sim::Fault never = fault_on(sim::FaultKind::never, 2, Phase::created);
    never.when = {};
    trials.push_back(names("rank 2 never comes", world(8, Gather::star), never));
    for (Trial& trial : trials_without_descriptors())
        trials.push_back(std::move(trial));
    for (sim::StrangerKind const kind : {sim::StrangerKind::silent, sim::StrangerKind::bad_proof}) {
        sim::WorldPlan plan = world(8, Gather::star);
        sim::Fault stranger = fault_on(sim::FaultKind::stranger, 3, Phase::awaiting_successor);
        stranger.stranger = kind;
        plan.faults.push_back(stranger);
        trials.push_back(stands("a stranger at rank 3", plan));
    }
    return trials;
}

std::optional<Kill> judged(Trial const& trial, sim::Outcome const& outcome) {
    std::uint32_t const nranks = trial.plan.nranks;
    auto const kill = [&](std::string_view property, std::string why) {
        return Kill{std::string(property), nranks, trial.name, std::move(why)};
    };
    if (!outcome.broken.empty())
        return kill("S1", outcome.broken);
    if (outcome.count(sim::End::hanging) > 0)
        return kill("L2", fmt::format("{} ranks hang", outcome.count(sim::End::hanging)));
    if (trial.must_stand && !outcome.all_ready())
        return kill("L1", fmt::format("{} of {} ranks are ready", outcome.ends[0], nranks));
    if (!trial.must_stand && outcome.count(sim::End::failed) == 0)
        return kill("L3", "nobody says what happened");
    for (sim::RankEnd const& end : outcome.not_ready) {
        bool const why = trial.cause == protocol::Code::ok || end.error.code == trial.cause;
        if (end.end == sim::End::failed && (end.error.about != trial.guilty || !why))
            return kill("L3", fmt::format("rank {}: {}", end.rank, protocol::describe(end.verdict)));
    }
    return std::nullopt;
}

}  // namespace

std::optional<Kill> put_through_simulator(bool fast, Note note, void* context) {
    for (Trial const& trial : trials_of(fast)) {
        note(trial.plan.nranks, trial.name, context);
        sim::World pretended(trial.plan);
        std::uint64_t left = most_events(trial.plan.nranks);
        while (left > 0 && pretended.advance())
            --left;
        if (left == 0)
            return Kill{"L4", trial.plan.nranks, trial.name, "it does not come to rest"};
        if (auto kill = judged(trial, pretended.outcome()))
            return kill;
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
