/// What came of a tiny world: who is ready, who waits, and the last events as text.
#include "protocol/transitions.hpp"
#include "support/tiny_world.hpp"
#include "support/wording.hpp"

#include <fmt/format.h>

namespace ronde::protocol::tiny {

bool TinyWorld::table_is_exact(RankId r) const {
    Node const& node = rank(r);
    if (node.table.size() != plan_.nranks)
        return false;
    for (RankId i = 0; i < plan_.nranks; ++i) {
        if (!node.known[i] || !(node.table[i] == rank(i).entry))
            return false;
    }
    return true;
}

bool TinyWorld::all_ready_with_equal_tables() const {
    for (RankId r = 0; r < plan_.nranks; ++r) {
        if (!is_ready(r) || !table_is_exact(r))
            return false;
    }
    return true;
}

std::vector<RankId> TinyWorld::waiting() const {
    std::vector<RankId> ranks;
    for (RankId r = 0; r < plan_.nranks; ++r) {
        Node const& node = rank(r);
        if (node.alive && node.started && !node.was_ready && !node.ended)
            ranks.push_back(r);
    }
    return ranks;
}

std::vector<RankId> TinyWorld::with_work_left() const {
    std::vector<RankId> ranks;
    for (RankId r = 0; r < plan_.nranks; ++r) {
        Node const& node = rank(r);
        if (node.alive && !node.ended && node.operations_done < node.plan.program.size())
            ranks.push_back(r);
    }
    return ranks;
}

std::string TinyWorld::name_of_node(NodeId id) const {
    if (id == kNobody)
        return "a stranger";
    Node const& node = *nodes_[id];
    return fmt::format("{}{} {}", id >= plan_.nranks + plan_.nroots ? "second " : "", node.is_root ? "root" : "rank",
                       node.number);
}

std::string TinyWorld::summary() const {
    std::string text;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
        Node const& node = *nodes_[id];
        text += fmt::format("{}: {}{}", name_of_node(id), node.alive ? "" : "(dead) ",
                            node.is_root ? name_of(node.root.phase()) : name_of(node.rank.phase()));
        if (!node.is_root && !node.rank.error().is_ok())
            text += ": " + words(node.rank.error());
        if (node.is_root && !node.root.verdict().error.is_ok())
            text += ": " + words(node.root.verdict().error);
        if (node.operating)
            text += ", in " + words(node.operation);
        text += "\n";
    }
    return text;
}

std::string TinyWorld::tail() const {
    std::string text =
        fmt::format("N={} roots={} profile={} gather={} turns={} seed={} events={} now={}\n", plan_.nranks,
                    plan_.nroots, protocol::name_of(plan_.policies.profile), protocol::name_of(plan_.policies.gather),
                    protocol::name_of(plan_.policies.turns), plan_.seed, events_, words_of_time(now_));
    std::uint64_t const first = events_ > kTail ? events_ - kTail + 1 : 1;
    for (std::uint64_t i = first; i <= events_; ++i) {
        Trace const& trace = trace_[i % kTail];
        Node const& node = *nodes_[trace.node];
        auto const phase = [&](std::uint8_t value) {
            return node.is_root ? name_of(static_cast<RootPhase>(value)) : protocol::name_of(static_cast<Phase>(value));
        };
        text += fmt::format("  {:>8} {:<8} {:<18} {}", words_of_time(trace.now), name_of_node(trace.node),
                            phase(trace.phase_before), words(trace.event));
        if (trace.phase_after != trace.phase_before)
            text += fmt::format(" -> {}", phase(trace.phase_after));
        text += fmt::format(" [{} actions]\n", trace.actions);
    }
    return text;
}

void TinyWorld::break_rule(std::string const& rule) {
    if (broken_.empty())
        broken_ = rule + "\n" + tail() + summary();
}

}  // namespace ronde::protocol::tiny
