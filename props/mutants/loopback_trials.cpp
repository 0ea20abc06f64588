#include "mutants/loopback_trials.hpp"

#include <fmt/format.h>

namespace ronde::mutants {
namespace {

using protocol::Code;
using protocol::Gather;
using protocol::Phase;

LoopbackPlan job(std::uint32_t nranks, Gather gather, std::uint32_t nroots = 1) {
    LoopbackPlan plan;
    plan.nranks = nranks;
    plan.nroots = nroots;
    plan.policies.gather = gather;
    return plan;
}

LoopbackTrial fails(std::string name, LoopbackPlan plan, Code code, protocol::RankId about, bool nobody_ready) {
    return {
        fmt::format("{} ranks, {}", plan.nranks, name), std::move(plan), code, about, protocol::kNoRank, nobody_ready};
}

}  // namespace

std::vector<LoopbackTrial> loopback_trials() {
    std::vector<LoopbackTrial> trials;
    for (std::uint32_t const nranks : {1U, 2U, 3U, 8U}) {
        for (Gather const gather : {Gather::star, Gather::doubling, Gather::ring, Gather::ring2})
            trials.push_back({fmt::format("{} ranks, {}", nranks, name_of(gather)), job(nranks, gather)});
        if (nranks >= 2)
            trials.push_back({fmt::format("{} ranks, two roots", nranks), job(nranks, Gather::automatic, 2)});
    }
    LoopbackPlan plan = job(3, Gather::star);
    plan.silent_stranger = true;
    trials.push_back({"3 ranks, a silent stranger at the root", plan});

    for (Phase const phase : {Phase::awaiting_successor, Phase::connecting_ring, Phase::committing}) {
        plan = job(4, Gather::star);
        plan.dies = 2;
        plan.dies_in = phase;
        trials.push_back(fails(fmt::format("rank 2 dies in {}", name_of(phase)), plan, Code::rank_lost, 2, false));
    }
    plan = job(3, Gather::star);
    plan.twin_of = 1;
    trials.push_back(fails("a second process of rank 1", plan, Code::duplicate_rank, 1, true));
    plan = job(3, Gather::star);
    plan.one_device = true;
    trials.push_back(fails("two ranks on one device", plan, Code::duplicate_device, 1, true));
    trials.back().other = 2;
    plan = job(3, Gather::star);
    plan.absent = 1;
    plan.budget_ns = protocol::kSecondNs;  // which nobody can end before
    trials.push_back(fails("rank 1 never comes", plan, Code::ranks_missing, 1, true));
    return trials;
}

}  // namespace ronde::mutants
