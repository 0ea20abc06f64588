/// Jobs of these tests.
#pragma once

#include "protocol/partition.hpp"
#include "prove/prove.hpp"

namespace ronde::prove {

inline Shape shape_of(std::uint32_t nranks, protocol::Gather gather = protocol::Gather::automatic,
                      std::uint32_t nroots = 1, protocol::Profile profile = protocol::Profile::ronde) {
    protocol::Policies policies = protocol::policies_of(profile);
    if (gather != protocol::Gather::automatic)
        policies.gather = gather;
    return {nranks, nroots, protocol::resolve(policies, nranks, nroots)};
}

/// Every node explored.
inline std::vector<Findings> findings_of(Shape const& shape, std::vector<Conversation> const& all) {
    std::vector<Findings> findings;
    for (Node node = 0; node < shape.nodes(); ++node)
        findings.push_back(explore_node(shape, all, node, {}));
    return findings;
}

inline std::vector<Findings const*> pointers_to(std::vector<Findings> const& findings) {
    std::vector<Findings const*> pointers;
    for (Findings const& one : findings)
        pointers.push_back(&one);
    return pointers;
}

/// The number of a node's part with this link.
inline std::size_t part_with(std::vector<Conversation> const& all, Node node, protocol::Link link) {
    auto const parts = parts_of(all, node);
    std::size_t number = 0;
    while (number < parts.size() && parts[number].link != link)
        ++number;
    return number;
}

}  // namespace ronde::prove
