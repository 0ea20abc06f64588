#include "generate/plans.hpp"

#include "generate/dice.hpp"
#include "generate/faults.hpp"
#include "protocol/policy.hpp"

#include <algorithm>
#include <bit>

namespace ronde::props {
namespace {

using protocol::kMicrosecondNs;
using protocol::kMillisecondNs;
using protocol::kSecondNs;
using protocol::Profile;
using sim::Distribution;
using sim::WorldPlan;

std::uint32_t size_of(Dice& dice, Shape const& shape) {
    // A doubling first, then a size within it.
    std::uint32_t const span = std::max(shape.most_ranks, shape.least_ranks) - shape.least_ranks;
    std::uint32_t const doubling = dice.below(static_cast<std::uint32_t>(std::bit_width(span)) + 1U);
    if (doubling == 0)
        return shape.least_ranks;
    std::uint32_t const low = 1U << (doubling - 1U);
    std::uint32_t const high = std::min(span, 2U * low - 1U);
    return shape.least_ranks + low + dice.below(high - low + 1U);
}

void draw_policies(Dice& dice, WorldPlan& plan) {
    using protocol::Commit;
    using protocol::DeviceCheck;
    using protocol::Gather;
    using protocol::Turns;
    if (!dice.chance(1, 3))
        return;
    protocol::Policies const before = plan.policies;
    constexpr Gather gathers[] = {Gather::automatic, Gather::doubling, Gather::star, Gather::ring, Gather::ring2};
    constexpr Turns turns[] = {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths};
    constexpr Commit commits[] = {Commit::automatic, Commit::chords, Commit::none};
    constexpr DeviceCheck checks[] = {DeviceCheck::at_root, DeviceCheck::in_table, DeviceCheck::off};
    bool const old = plan.policies.profile != Profile::ronde;
    plan.policies.gather = dice.one_of(gathers);
    plan.policies.turns = old ? before.turns : dice.one_of(turns);
    plan.policies.commit = old ? before.commit : dice.one_of(commits);
    plan.policies.device_check = old ? before.device_check : dice.one_of(checks);
    if (old && (plan.policies.gather == Gather::automatic || plan.policies.gather == Gather::star))
        plan.policies.gather = before.gather;
    if (!contradiction_in(plan).empty())
        plan.policies = before;
}

/// Equal delays where the order is what is drawn: then much happens at one instant.
void draw_network(Dice& dice, WorldPlan& plan, Shape const& shape) {
    constexpr std::uint32_t racks[] = {0, 1, 2, 4};
    plan.network.hosts_per_rack = dice.one_of(racks);
    if (shape.any_order) {
        plan.network.same_host = plan.network.same_rack = plan.network.cross_rack =
            Distribution::constant(20 * kMicrosecondNs);
        return;
    }
    switch (dice.below(6)) {
    case 0: break;
    case 1: plan.network.same_rack = Distribution::uniform(10 * kMicrosecondNs, 50 * kMicrosecondNs); break;
    case 2: plan.network.same_rack = Distribution::log_normal(30 * kMicrosecondNs, 500); break;
    case 3: plan.network.cross_rack = Distribution::bimodal(40 * kMicrosecondNs, 5 * kMillisecondNs, 20'000); break;
    case 4: plan.network.same_host = Distribution::exponential(20 * kMicrosecondNs); break;
    default:
        plan.network.same_host = plan.network.same_rack = plan.network.cross_rack =
            Distribution::uniform(0, 2 * kMillisecondNs);
        break;
    }
    if (dice.chance(1, 12)) {
        constexpr std::uint32_t losses_per_million[] = {1'000, 10'000, 50'000};
        plan.network.loss_per_million = dice.one_of(losses_per_million);
    }
    if (dice.chance(1, 12))
        plan.network.bytes_per_second = 125'000'000;
}

void draw_arrival(Dice& dice, WorldPlan& plan) {
    switch (dice.below(5)) {
    case 0:
    case 1: break;
    case 2: plan.arrival.skew = Distribution::uniform(0, 200 * kMicrosecondNs); break;
    case 3: plan.arrival.skew = Distribution::exponential(20 * kMillisecondNs); break;
    default:
        plan.arrival.wave_hosts = dice.between(1, 4);
        plan.arrival.wave_every_ns = 5 * kMillisecondNs;
        break;
    }
}

void draw_limits(Dice& dice, WorldPlan& plan) {
    if (!dice.chance(1, 5))
        return;
    switch (dice.below(8)) {
    case 0: plan.root_backlog = dice.between(0, 8); break;
    case 1: plan.rank_backlog = dice.between(0, 2); break;
    case 2: plan.root_host.accept_service_ns = TimeNs{10} * dice.between(1, 20) * kMicrosecondNs; break;
    case 3: plan.host.message_service_ns = dice.between(1, 20) * kMicrosecondNs; break;
    case 4:
        plan.host.cores = dice.between(1, 2);
        plan.host.message_service_ns = dice.between(1, 20) * kMicrosecondNs;
        break;
    case 5: plan.root_pending_limit = dice.between(1, 4); break;
    case 6:
        plan.root_backlog = dice.between(0, 4);
        plan.root_host.abort_on_overflow = true;
        break;
    default: plan.host.ports = dice.between(4, 64); break;
    }
}

}  // namespace

WorldPlan make_plan(sim::Oracle& oracle, Shape const& shape) {
    Dice job(oracle, sim::Choice::other);
    WorldPlan plan;
    plan.name = "made-up";
    plan.any_order = shape.any_order;
    plan.policies = protocol::policies_of(shape.profile);
    plan.nranks = size_of(job, shape);
    // A third of the worlds have several roots; small jobs have them as often as large ones.
    if (job.chance(1, 3))
        plan.nroots = 1U + job.below(std::min(plan.nranks, 5U));
    constexpr std::uint32_t sizes[] = {8, 4, 2, 1, 3};
    plan.ranks_per_host = {job.one_of(sizes)};
    if (job.chance(1, 6))
        plan.ranks_per_host.push_back(job.one_of(sizes));
    plan.roots_on_own_hosts = !job.chance(1, 3);
    draw_policies(job, plan);
    draw_network(job, plan, shape);
    draw_arrival(job, plan);
    draw_limits(job, plan);
    constexpr TimeNs budgets_ns[] = {60 * kSecondNs, 10 * kSecondNs, 3 * kSecondNs};
    plan.budget_ns = job.one_of(budgets_ns);
    if (job.chance(1, 6))
        plan.gathers_after_ready = job.between(1, 3);
    plan.seed = 1U + job.below(1U << 30U);
    plan.simulated_limit_ns = 600 * kSecondNs;
    if (shape.faults) {
        Dice harm(oracle, sim::Choice::fault);
        draw_faults(harm, plan);
    }
    return plan;
}

}  // namespace ronde::props
