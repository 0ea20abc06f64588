/// Machines and the wires between them: who lives where, what a trip costs, how many cores and ports are left.
#pragma once

#include "world/fifo.hpp"
#include "world/occurrence.hpp"
#include "world/plan.hpp"

#include <map>
#include <vector>

namespace ronde::sim {

class Hosts {
public:
    /// `plan` must outlive it, and has no contradiction.
    explicit Hosts(WorldPlan const& plan) : plan_(plan) { begin(); }
    /// As if new, after the plan has changed. Keeps the memory it has.
    void begin();

    /// Number of hosts: those of the ranks, those of roots that have their own, and one more for strangers.
    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(first_rank_.size()) + own_roots_ + 1U;
    }
    [[nodiscard]] std::uint32_t host_of_rank(RankId rank) const;
    [[nodiscard]] std::uint32_t host_of_root(std::uint32_t root, RankId first_of_block) const;
    [[nodiscard]] std::uint32_t host_of_strangers() const { return count() - 1U; }
    /// Ranks on a host of ranks: first and count. {0, 0} for other hosts.
    [[nodiscard]] RankRange ranks_on(std::uint32_t host) const;
    [[nodiscard]] HostPlan const& plan_of(std::uint32_t host) const {
        return host < first_rank_.size() && special_.empty() ? plan_.host : unusual_plan_of(host);
    }

    /// The delay distribution of one direction between two hosts.
    [[nodiscard]] Distribution const& distance(std::uint32_t from, std::uint32_t to) const;
    [[nodiscard]] std::uint32_t loss_per_million(std::uint32_t from, std::uint32_t to) const;
    /// Whether trips between these two always take the same time and never fail by themselves.
    [[nodiscard]] bool is_steady(std::uint32_t from, std::uint32_t to) const;

    // --- cores ---------------------------------------------------------------------------------------------------
    /// When a core of `host` is free, not before `now_ns`.
    [[nodiscard]] TimeNs core_free_ns(std::uint32_t host, TimeNs now_ns) const;
    void occupy_core(std::uint32_t host, TimeNs until_ns);

    // --- ports ---------------------------------------------------------------------------------------------------
    /// False when none is left at `now_ns`, which does not decrease from one call to the next.
    [[nodiscard]] bool take_port(std::uint32_t host, TimeNs now_ns);
    void free_port(std::uint32_t host) { --ports_[host]; }
    /// TIME_WAIT: the port is free again at `free_ns`, which lies after all times that take_port() was told.
    void free_port_later(std::uint32_t host, TimeNs free_ns);
    /// Those of connections, without TIME_WAIT.
    [[nodiscard]] std::uint32_t ports_in_use(std::uint32_t host) const { return ports_[host] - ports_waiting_[host]; }
    [[nodiscard]] std::uint32_t ports_high_water() const { return ports_high_water_; }

    [[nodiscard]] std::size_t bytes() const;

private:
    [[nodiscard]] HostPlan const& unusual_plan_of(std::uint32_t host) const;
    [[nodiscard]] LinkOverride const* override_of(std::uint32_t from, std::uint32_t to) const;

    WorldPlan const& plan_;
    std::vector<RankId> first_rank_;  ///< by host of ranks
    std::uint32_t uniform_ = 0;       ///< ranks per host, when all hosts have the same number
    std::uint32_t own_roots_ = 0;
    std::map<std::uint32_t, HostPlan const*> special_;
    std::map<std::uint64_t, LinkOverride const*> overrides_;
    std::map<std::uint32_t, std::vector<TimeNs>> cores_;  ///< only of hosts that share some
    /// A port of a host that is in TIME_WAIT. Nothing happens when that ends, so it is no occurrence: whoever asks for
    /// a port next takes note of it.
    struct WaitingPort {
        std::uint64_t after_ns : 40;  ///< later than the one before it
        std::uint64_t host : 24;
    };
    static constexpr std::uint64_t kLongestAfterNs = (std::uint64_t{1} << 40U) - 1U;
    static constexpr std::uint32_t kNoHost = (1U << 24U) - 1U;  ///< no port, just time
    static_assert(protocol::kMaxRanks + protocol::kMaxRoots + 1U <= kNoHost);
    std::vector<std::uint32_t> ports_;          ///< not to be had, by host
    Fifo<WaitingPort> waiting_;                 ///< in the order of time
    TimeNs waiting_from_ns_ = 0;                ///< what the first one counts from
    TimeNs waiting_until_ns_ = 0;               ///< when the last one is free
    std::vector<std::uint32_t> ports_waiting_;  ///< how many of these, by host
    std::uint32_t ports_high_water_ = 0;
    bool limited_cores_ = false;
};

}  // namespace ronde::sim
