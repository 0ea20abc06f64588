#include "world/plan.hpp"

#include "protocol/root.hpp"
#include "world/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ronde::sim {
namespace {

constexpr std::array<std::string_view, kFaultKinds> kFaultNames{
    "never",     "late",           "slow",         "pause",          "crash",         "restart",       "abort",
    "reset",     "refuse",         "hang",         "ghost",          "partition",     "one_way",       "expire",
    "trickle",   "no_descriptors", "no_ports",     "address_in_use", "unreachable",   "interrupted",   "stranger",
    "duplicate", "same_device",    "wrong_nranks", "wrong_roots",    "wrong_profile", "wrong_version", "stale_id",
};
constexpr std::array<std::string_view, 3> kTargetNames{"ranks", "root", "host"};
constexpr std::array<std::string_view, 3> kDeathNames{"fin", "reset", "silent"};
constexpr std::array<std::string_view, kStrangerKinds> kStrangerNames{
    "silent",        "closes",   "resets",    "garbage",       "http",        "half_hello",
    "other_session", "no_proof", "bad_proof", "wrong_numbers", "half_closes",
};
constexpr std::array<std::string_view, kEnds> kEndNames{"ready", "failed", "hanging", "dead", "not_there"};

std::string contradiction_in(HostPlan const& host, std::string_view where) {
    if (host.accept_service_ns < 0 || host.message_service_ns < 0 || host.time_wait_ns < 0)
        return fmt::format("{}: times are not negative", where);
    if (host.ports == 0)
        return fmt::format("{}.ports is 0: nobody there could connect", where);
    if (host.syn_retries > 30 || host.synack_retries > 30)
        return fmt::format("{}: more than 30 retries would take longer than anybody lives", where);
    return {};
}

std::string contradiction_in(Fault const& fault, std::size_t number, WorldPlan const& plan) {
    auto const wrong = [&](std::string_view what) {
        return fmt::format("fault {} ({}): {}", number + 1, name_of(fault.kind), what);
    };
    if (fault.target == Target::root && fault.index >= plan.nroots)
        return wrong(fmt::format("there is no root {}, only 0 to {}", fault.index, plan.nroots - 1));
    if (fault.target == Target::ranks) {
        if (fault.ranks.empty())
            return wrong("it names no rank");
        for (RankRange const& range : fault.ranks) {
            if (range.count == 0 || range.first >= plan.nranks || range.count > plan.nranks - range.first)
                return wrong(fmt::format("ranks {} to {} are not all below {}", range.first,
                                         std::uint64_t{range.first} + range.count - 1U, plan.nranks));
        }
    }
    if (fault.when.rank != kNoRank && fault.when.rank >= plan.nranks)
        return wrong(fmt::format("it waits for rank {}, which is not below {}", fault.when.rank, plan.nranks));
    if (fault.when.at_ns < 0 || fault.duration_ns < 0)
        return wrong("times are not negative");
    if (fault.kind == FaultKind::late && fault.duration_ns == kNever)
        return wrong("it needs a duration; who never comes is the fault `never`");
    if (fault.kind == FaultKind::trickle && (fault.amount == 0 || fault.duration_ns == kNever))
        return wrong("it needs an amount (bytes) and a duration (between two pieces)");
    if (fault.kind == FaultKind::wrong_nranks && (fault.amount == 0 || fault.amount > protocol::kMaxRanks))
        return wrong(fmt::format("amount is the wrong number of ranks, 1 to {}", protocol::kMaxRanks));
    if (fault.kind == FaultKind::wrong_nranks && fault.amount < plan.nroots)
        return wrong(
            fmt::format("{} ranks cannot have {} roots: such a process does not start", fault.amount, plan.nroots));
    if (fault.kind == FaultKind::stranger && fault.target != Target::root) {
        bool const calls_back = plan.policies.reply == protocol::Reply::callback;
        if (fault.listener == protocol::Listener::root)
            return wrong("a rank has no listener of a root to knock at; expected ring, or callback");
        if (fault.listener == protocol::Listener::callback && !calls_back)
            return wrong(
                "nobody listens for call-backs under these policies; expected ring, or profile nccl or article");
    }
    if (fault.kind == FaultKind::same_device && fault.amount >= plan.nranks)
        return wrong("amount is the rank whose device is claimed");
    return {};
}

}  // namespace

std::string contradiction_in(WorldPlan const& plan) {
    if (plan.nranks == 0 || plan.nranks > protocol::kMaxRanks)
        return fmt::format("ranks is {}; a job has 1 to {} ranks", plan.nranks, protocol::kMaxRanks);
    if (plan.nroots == 0 || plan.nroots > std::min(plan.nranks, protocol::kMaxRoots))
        return fmt::format("roots is {}; {} ranks have 1 to {} roots", plan.nroots, plan.nranks,
                           std::min(plan.nranks, protocol::kMaxRoots));
    Policies const policies = protocol::resolve(plan.policies, plan.nranks, plan.nroots);
    if (auto const text = protocol::contradiction_in(policies, plan.nranks, plan.nroots); !text.empty())
        return std::string(text);
    if (plan.ranks_per_host.empty() ||
        std::find(plan.ranks_per_host.begin(), plan.ranks_per_host.end(), 0U) != plan.ranks_per_host.end())
        return "ranks_per_host is a list of numbers, none of them 0";
    if (plan.budget_ns <= 0)
        return "deadline is the time that every rank has: more than 0";
    if (auto text = contradiction_in(plan.host, "host"); !text.empty())
        return text;
    if (auto text = contradiction_in(plan.root_host, "root_host"); !text.empty())
        return text;
    for (HostOverride const& special : plan.hosts) {
        if (auto text = contradiction_in(special.host, fmt::format("hosts {}", special.first)); !text.empty())
            return text;
    }
    if (plan.network.loss_per_million >= 1'000'000)
        return "network.loss_per_million: when every packet is lost nobody meets";
    if (plan.network.first_retransmit_ns <= 0 || plan.network.data_retransmit_ns <= 0)
        return "network: a kernel waits before it sends again";
    if (plan.root_pending_limit == 0 || plan.root_pending_limit > protocol::kMaxRootDoors)
        return fmt::format("root.pending_limit is {}; a root serves 1 to {} unproven connections at once",
                           plan.root_pending_limit, protocol::kMaxRootDoors);
    for (std::size_t i = 0; i < plan.faults.size(); ++i) {
        if (auto text = contradiction_in(plan.faults[i], i, plan); !text.empty())
            return text;
    }
    return {};
}

bool is_from_birth(FaultKind kind) noexcept {
    switch (kind) {
    case FaultKind::never:
    case FaultKind::late:
    case FaultKind::address_in_use:
    case FaultKind::same_device:
    case FaultKind::wrong_nranks:
    case FaultKind::wrong_roots:
    case FaultKind::wrong_profile:
    case FaultKind::wrong_version:
    case FaultKind::stale_id: return true;
    default: return false;
    }
}

std::string_view name_of(FaultKind kind) noexcept { return kFaultNames[static_cast<std::size_t>(kind)]; }
std::string_view name_of(Target target) noexcept { return kTargetNames[static_cast<std::size_t>(target)]; }
std::string_view name_of(Death death) noexcept { return kDeathNames[static_cast<std::size_t>(death)]; }
std::string_view name_of(StrangerKind kind) noexcept { return kStrangerNames[static_cast<std::size_t>(kind)]; }
std::string_view name_of(End end) noexcept { return kEndNames[static_cast<std::size_t>(end)]; }

}  // namespace ronde::sim
