#include "explore/job.hpp"

#include <fmt/format.h>

namespace ronde::explore {
namespace {

using namespace protocol;

constexpr std::uint32_t kRootsDigest = 77;
constexpr std::uint64_t kSession = 0xabc;

}  // namespace

Job::Job(ExploreSettings const& asked)
    : settings(asked), policies(resolve(asked.policies, asked.nranks, asked.nroots)), nranks(asked.nranks),
      nroots(asked.nroots), processes(asked.nranks + (asked.twin ? 1U : 0U)),
      nodes(processes + asked.nroots), partition{asked.nranks, asked.nroots} {
    for (std::uint32_t process = 0; process < processes; ++process) {
        RankConfig config;
        config.policies = policies;
        config.nranks = asked.told && asked.told->first == process ? asked.told->second : nranks;
        config.nroots = nroots;
        config.rank = process < nranks ? process : *asked.twin;
        config.roots_digest = kRootsDigest;
        config.session = kSession;
        config.seed = process + 1U;
        ranks.push_back(config);
        Entry entry;
        entry.endpoint.family = Family::ipv4;
        entry.endpoint.address = {127, 0, 0, 1};
        entry.endpoint.port = static_cast<std::uint16_t>(1U + 2U * process);
        entry.callback_port = static_cast<std::uint16_t>(2U + 2U * process);
        entry.host_id = 1;
        // Without a device the order of arrival leaves no trace in the root's index.
        if (asked.same_device && (process == asked.same_device->first || process == asked.same_device->second))
            entry.device_id = 1;
        entry.incarnation = 100U + process;
        entry.process_id = 5000U + process;
        entry.rank = config.rank;
        entries.push_back(entry);
    }
    for (std::uint32_t index = 0; index < nroots; ++index) {
        RootConfig config;
        config.policies = policies;
        config.expected_nranks = asked.told ? 0 : nranks;
        config.nroots = nroots;
        config.root_index = index;
        config.roots_digest = kRootsDigest;
        config.session = kSession;
        config.pending_limit = 16;
        roots.push_back(config);
    }
}

std::string Job::name_of(Node node) const {
    if (is_stranger(node))
        return "a stranger";
    if (is_root(node))
        return nroots == 1 ? "the root" : fmt::format("root {}", node - processes);
    if (node >= nranks)
        return fmt::format("the second rank {}", rank_of(node));
    return fmt::format("rank {}", node);
}

Node other_end_of(Job const& job, Fault const& fault) {
    if (job.is_root(fault.node))
        return fault.link_index;  // a call-back: to that process
    RankId const rank = job.rank_of(fault.node);
    std::uint32_t const root = job.partition.root_of(rank);
    switch (fault.link_class) {
    case LinkClass::root: return job.root_node(root);
    case LinkClass::previous_root: return job.root_node(job.partition.previous_root(root));
    default: return static_cast<Node>(successor_of(rank, job.nranks, std::uint64_t{1} << fault.link_index));
    }
}

}  // namespace ronde::explore
