#include "generate/faults.hpp"

#include "protocol/root.hpp"
#include "world/hosts.hpp"

#include <array>

namespace ronde::props {
namespace {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kSecondNs;
using protocol::Phase;
using sim::Distribution;
using sim::Fault;
using sim::FaultKind;
using sim::Target;
using sim::WorldPlan;

constexpr TimeNs kMoments[] = {0,
                               20 * kMicrosecondNs,
                               100 * kMicrosecondNs,
                               250 * kMicrosecondNs,
                               1 * kMillisecondNs,
                               10 * kMillisecondNs,
                               300 * kMillisecondNs,
                               2 * kSecondNs};
constexpr TimeNs kSpans[] = {50 * kMicrosecondNs, 1 * kMillisecondNs, 20 * kMillisecondNs, 300 * kMillisecondNs,
                             1 * kSecondNs,       3 * kSecondNs,      6 * kSecondNs};
constexpr Phase kPhases[] = {
    Phase::listening,  Phase::checking_in, Phase::awaiting_successor, Phase::connecting_ring, Phase::gathering,
    Phase::committing, Phase::ready};
constexpr std::uint64_t kPieces[] = {48, 16, 1};

/// Kinds that a rank may suffer and a root cannot.
bool is_of_ranks_alone(FaultKind kind) {
    switch (kind) {
    case FaultKind::never:
    case FaultKind::late:
    case FaultKind::restart:
    case FaultKind::abort:
    case FaultKind::duplicate:
    case FaultKind::same_device:
    case FaultKind::wrong_nranks:
    case FaultKind::wrong_roots:
    case FaultKind::wrong_profile:
    case FaultKind::wrong_version:
    case FaultKind::stale_id: return true;
    default: return false;
    }
}

void draw_target(Dice& dice, WorldPlan const& plan, Fault& fault) {
    switch (dice.below(6)) {
    case 4:
        if (is_of_ranks_alone(fault.kind))
            break;
        fault.target = Target::root;
        fault.index = dice.below(plan.nroots);
        return;
    case 5:
        fault.target = Target::host;
        fault.index = dice.below(sim::Hosts(plan).count() - 1U);  // the last one is the strangers'
        return;
    default: break;
    }
    RankId const first = dice.below(plan.nranks);
    std::uint32_t const most = std::min(4U, plan.nranks - first);
    fault.ranks = {{first, dice.chance(1, 4) ? 1U + dice.below(most) : 1U}};
}

void draw_details(Dice& dice, WorldPlan const& plan, Fault& fault) {
    constexpr sim::Death deaths[] = {sim::Death::fin, sim::Death::reset, sim::Death::silent};
    switch (fault.kind) {
    case FaultKind::late:
    case FaultKind::pause:
    case FaultKind::refuse:
    case FaultKind::hang:
    case FaultKind::ghost:
    case FaultKind::partition:
    case FaultKind::one_way:
    case FaultKind::expire: fault.duration_ns = dice.one_of(kSpans); break;
    case FaultKind::slow:
        fault.duration_ns = dice.one_of(kSpans);
        fault.amount = dice.between(2, 50);
        break;
    case FaultKind::crash: fault.death = dice.one_of(deaths); break;
    case FaultKind::restart:
        fault.death = dice.one_of(deaths);
        fault.duration_ns = dice.one_of(kSpans);
        break;
    case FaultKind::trickle:
        fault.duration_ns = 10 * kMicrosecondNs * (1 + dice.below(4));
        fault.amount = dice.one_of(kPieces);
        break;
    case FaultKind::reset: fault.amount = dice.below(3); break;
    case FaultKind::no_descriptors:
    case FaultKind::no_ports:
    case FaultKind::unreachable:
    case FaultKind::interrupted: fault.amount = 1 + dice.below(6); break;
    case FaultKind::stranger: {
        constexpr TimeNs pauses_ns[] = {0, 30 * kMicrosecondNs, 500 * kMicrosecondNs};
        fault.stranger = static_cast<sim::StrangerKind>(dice.below(sim::kStrangerKinds));
        fault.times = 1U + dice.below(6);
        fault.every = Distribution::constant(dice.one_of(pauses_ns));
        bool const calls_back = plan.policies.reply == protocol::Reply::callback;
        if (calls_back && dice.chance(1, 2))
            fault.listener = protocol::Listener::callback;
        break;
    }
    case FaultKind::same_device: fault.amount = dice.below(plan.nranks); break;
    case FaultKind::wrong_nranks: fault.amount = 1U + dice.below(2U * plan.nranks); break;
    case FaultKind::wrong_profile: fault.amount = dice.below(3); break;
    case FaultKind::wrong_version: fault.amount = 2U + dice.below(2); break;
    default: break;
    }
}

void draw_moment(Dice& dice, WorldPlan const& plan, Fault& fault) {
    if (is_from_birth(fault.kind))
        return;
    if (dice.chance(1, 2)) {
        fault.when.rank =
            fault.target == Target::ranks && dice.chance(3, 4) ? fault.ranks.front().first : dice.below(plan.nranks);
        fault.when.phase = dice.one_of(kPhases);
        return;
    }
    fault.when.at_ns = dice.one_of(kMoments);
}

}  // namespace

void draw_faults(Dice& dice, WorldPlan& plan) {
    if (!dice.chance(4, 5))
        return;
    std::array<FaultKind, sim::kFaultKinds> possible{};
    std::uint32_t count = 0;
    for (std::uint32_t kind = 0; kind < sim::kFaultKinds; ++kind) {
        if (dice.chance(1, 6))
            possible[count++] = static_cast<FaultKind>(kind);
    }
    if (count == 0)
        return;
    std::uint32_t const faults = 1U + dice.below(4);
    for (std::uint32_t i = 0; i < faults; ++i) {
        Fault fault;
        fault.kind = possible[dice.below(count)];
        draw_target(dice, plan, fault);
        draw_details(dice, plan, fault);
        draw_moment(dice, plan, fault);
        plan.faults.push_back(fault);
        if (!contradiction_in(plan).empty())
            plan.faults.pop_back();
    }
}

}  // namespace ronde::props
