/// The job that is explored: who takes part, and what each of them was told at birth. Immutable.
#pragma once

#include "explore/settings.hpp"
#include "protocol/entry.hpp"
#include "protocol/partition.hpp"
#include "protocol/rank.hpp"
#include "protocol/root.hpp"

#include <vector>

namespace ronde::explore {

/// Who takes part, by number: the processes of ranks 0 .. N-1, perhaps a second process of one of them, then the roots.
using Node = std::uint8_t;

struct Job {
    explicit Job(ExploreSettings const& asked);
    ~Job() = default;
    Job(Job const&) = delete;
    Job& operator=(Job const&) = delete;

    [[nodiscard]] bool is_root(Node node) const { return node >= processes; }
    [[nodiscard]] bool is_stranger(Node node) const { return node >= nodes; }
    [[nodiscard]] Node root_node(std::uint32_t index) const { return static_cast<Node>(processes + index); }
    [[nodiscard]] RankId rank_of(Node process) const { return ranks[process].rank; }
    /// "rank 2", "the root", "root 1", "the second rank 2", "a stranger".
    [[nodiscard]] std::string name_of(Node node) const;

    ExploreSettings settings;
    protocol::Policies policies;  ///< resolved
    std::uint32_t nranks;
    std::uint32_t nroots;
    std::uint32_t processes;
    std::uint32_t nodes;
    protocol::Partition partition;
    std::vector<protocol::RankConfig> ranks;  ///< by process
    std::vector<protocol::RootConfig> roots;
    std::vector<protocol::Entry> entries;  ///< by process: what it registers
};

/// Where a reset fault's other end is: the node that `fault.node` connects to.
[[nodiscard]] Node other_end_of(Job const& job, Fault const& fault);

}  // namespace ronde::explore
