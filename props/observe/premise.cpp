#include "observe/premise.hpp"

#include "world/hosts.hpp"

#include <algorithm>

namespace ronde::props {
namespace {

using protocol::kMillisecondNs;
using sim::FaultKind;
using sim::HostPlan;
using sim::WorldPlan;

/// Shorter than the shortest way to give up on a refusal: pauses of 1, 2, 4 ... 512 ms, each halved at worst [5.6].
constexpr TimeNs kForgivenRefusalNs = 400 * kMillisecondNs;
constexpr TimeNs kLongestPassingNs = 6'000 * kMillisecondNs;
constexpr std::uint64_t kFewCalls = 4;

TimeNs longest_delay_ns(WorldPlan const& plan) {
    sim::NetworkPlan const& network = plan.network;
    TimeNs longest_ns =
        std::max({network.same_host.most_ns(), network.same_rack.most_ns(), network.cross_rack.most_ns()});
    for (sim::LinkOverride const& link : plan.links) {
        if (link.delay)
            longest_ns = std::max(longest_ns, link.delay->most_ns());
    }
    return longest_ns;
}

TimeNs latest_start_ns(WorldPlan const& plan) {
    sim::ArrivalPlan const& arrival = plan.arrival;
    TimeNs latest_ns = arrival.skew.most_ns();
    if (arrival.wave_hosts > 0)
        latest_ns += arrival.wave_every_ns * (plan.nranks / arrival.wave_hosts);
    if (arrival.stragglers_per_million > 0)
        latest_ns += arrival.straggler.most_ns();
    return latest_ns;
}

bool is_roomy(HostPlan const& host, WorldPlan const& plan) {
    std::uint64_t const few = std::uint64_t{plan.nranks} + 64U;
    TimeNs const service_ns = host.accept_service_ns + host.message_service_ns;
    bool const idle = service_ns * static_cast<TimeNs>(4 * few) < 200 * kMillisecondNs;
    return idle && host.descriptor_limit >= few && host.ports >= 8U * few && host.somaxconn > 2U * few &&
           host.memory_bytes == 0;
}

/// Nothing of the plan but its faults can hold anybody up for long.
bool is_roomy(WorldPlan const& plan) {
    bool const lossy = plan.network.loss_per_million > 0 ||
                       std::any_of(plan.links.begin(), plan.links.end(),
                                   [](sim::LinkOverride const& link) { return link.loss_per_million.value_or(0) > 0; });
    bool const hosts = std::all_of(plan.hosts.begin(), plan.hosts.end(),
                                   [&](sim::HostOverride const& special) { return is_roomy(special.host, plan); });
    bool const backlogs = plan.root_backlog > 2U * plan.nranks + 64U && plan.rank_backlog > 64U;
    bool const pipes = plan.network.bytes_per_second == 0 || plan.network.bytes_per_second > 100'000'000U;
    protocol::Policies const usual = protocol::policies_of(protocol::Profile::ronde);
    bool const patient = plan.policies.handshake_patience_ms >= usual.handshake_patience_ms &&
                         plan.policies.answer_patience_ms >= usual.answer_patience_ms &&
                         plan.policies.refused_patience_ms >= usual.refused_patience_ms;
    TimeNs const delay_ns = longest_delay_ns(plan);
    TimeNs const needed_ns = latest_start_ns(plan) + delay_ns * (4 * TimeNs{plan.nranks} + 100);
    bool const quick = delay_ns <= 50 * kMillisecondNs && needed_ns < plan.budget_ns / 4 &&
                       plan.simulated_limit_ns > 2 * plan.budget_ns;
    // Lock-step gathers that write before they read can wait for each other for ever: a weak spot of its own.
    bool const turns = plan.policies.turns != protocol::Turns::send_then_receive;
    return !lossy && hosts && is_roomy(plan.host, plan) && is_roomy(plan.root_host, plan) && backlogs && pipes &&
           patient && quick && turns;
}

/// Somebody else's business: it may cost time, but no rank is worse off for it.
bool is_harmless(sim::Fault const& fault) {
    return fault.kind == FaultKind::interrupted || (fault.kind == FaultKind::stranger && fault.times <= 16);
}

bool passes(sim::Fault const& fault, protocol::Policies const& policies) {
    bool const short_time = fault.duration_ns <= kLongestPassingNs;
    bool const early = fault.when.at_ns <= kLongestPassingNs;
    bool const around = policies.gather == protocol::Gather::ring || policies.gather == protocol::Gather::ring2;
    switch (fault.kind) {
    case FaultKind::late:
    case FaultKind::pause:
        // A root that does not listen yet refuses, and an id promises that it listens [5.6].
        return early &&
               fault.duration_ns <= (fault.target == sim::Target::ranks ? kLongestPassingNs : kForgivenRefusalNs);
    case FaultKind::hang:
    case FaultKind::ghost: return early && short_time;
    // What was said on a connection that the other end gave up meanwhile is lost to a ring [6.3].
    case FaultKind::partition:
    case FaultKind::one_way: return early && short_time && !around;
    case FaultKind::refuse: return early && fault.duration_ns <= kForgivenRefusalNs;
    case FaultKind::no_descriptors:
    case FaultKind::no_ports:
    case FaultKind::unreachable: return fault.amount <= kFewCalls;
    default: return is_harmless(fault);
    }
}

bool gives_its_word(protocol::Policies const& policies) {
    return policies.auth == protocol::Auth::keyed && policies.reply == protocol::Reply::same_connection &&
           policies.accepting == protocol::Accepting::concurrent && policies.retry == protocol::Retry::backoff &&
           policies.deadlines == protocol::Deadlines::everywhere && policies.verdicts == protocol::Verdicts::everyone;
}

void touch(sim::Fault const& fault, WorldPlan const& plan, std::vector<bool>& touched) {
    auto const mark = [&](RankId first, std::uint32_t count) {
        for (RankId rank = first; rank < plan.nranks && rank - first < count; ++rank)
            touched[rank] = true;
    };
    switch (fault.target) {
    case sim::Target::ranks:
        for (sim::RankRange const& range : fault.ranks)
            mark(range.first, range.count);
        break;
    case sim::Target::root: mark(0, plan.nranks); break;
    case sim::Target::host: {
        sim::RankRange const there = sim::Hosts(plan).ranks_on(fault.index);
        bool const roots = there.count == 0 || !plan.roots_on_own_hosts;
        mark(roots ? 0 : there.first, roots ? plan.nranks : there.count);
        break;
    }
    }
    if (fault.kind == FaultKind::same_device && fault.amount < plan.nranks)
        touched[static_cast<std::size_t>(fault.amount)] = true;
}

}  // namespace

Premise premise_of(WorldPlan const& plan) {
    Premise premise;
    find_premise(plan, premise);
    return premise;
}

void find_premise(WorldPlan const& plan, Premise& premise) {
    protocol::Policies const policies = protocol::resolve(plan.policies, plan.nranks, plan.nroots);
    bool const roomy = is_roomy(plan);
    premise.touched.assign(plan.nranks, !roomy);
    premise.never.clear();
    bool all_pass = true;
    bool missing = false;
    bool shared = false;
    bool others = false;
    for (sim::Fault const& fault : plan.faults) {
        all_pass = all_pass && passes(fault, policies);
        if (is_harmless(fault))
            continue;
        touch(fault, plan, premise.touched);
        bool const never = fault.kind == FaultKind::never && fault.target == sim::Target::ranks;
        bool const device = fault.kind == FaultKind::same_device && fault.target == sim::Target::ranks;
        missing = missing || never;
        shared = shared || device;
        others = others || (!never && !device);
        if (!never)
            continue;
        for (sim::RankRange const& range : fault.ranks) {
            for (std::uint32_t i = 0; i < range.count; ++i)
                premise.never.push_back(range.first + i);
        }
    }
    std::sort(premise.never.begin(), premise.never.end());
    premise.never.erase(std::unique(premise.never.begin(), premise.never.end()), premise.never.end());
    premise.calm = roomy && plan.faults.empty();
    premise.passing = roomy && all_pass && gives_its_word(policies);
    premise.only_missing = roomy && missing && !shared && !others;
    premise.only_shared_devices = roomy && shared && !missing && !others;
}

}  // namespace ronde::props
