#include "world/hosts.hpp"

#include <algorithm>
#include <iterator>

namespace ronde::sim {

void Hosts::begin() {
    WorldPlan const& plan = plan_;
    own_roots_ = plan.roots_on_own_hosts ? plan.nroots : 0U;
    std::vector<std::uint32_t> const& sizes = plan.ranks_per_host;
    uniform_ = sizes.size() == 1 ? sizes.front() : 0;
    first_rank_.clear();
    RankId rank = 0;
    for (std::size_t i = 0; rank < plan.nranks; ++i) {
        first_rank_.push_back(rank);
        rank += sizes[i % sizes.size()];
    }
    special_.clear();
    for (HostOverride const& special : plan.hosts) {
        for (std::uint32_t i = 0; i < special.count; ++i)
            special_[special.first + i] = &special.host;
    }
    overrides_.clear();
    for (LinkOverride const& link : plan.links)
        overrides_[std::uint64_t{link.from_host} << 32U | link.to_host] = &link;
    cores_.clear();
    ports_.assign(count(), 0);
    ports_waiting_.assign(count(), 0);
    waiting_.clear();
    waiting_from_ns_ = waiting_until_ns_ = 0;
    ports_high_water_ = 0;
    limited_cores_ = plan.host.cores > 0 || plan.root_host.cores > 0 ||
                     std::any_of(plan.hosts.begin(), plan.hosts.end(),
                                 [](HostOverride const& special) { return special.host.cores > 0; });
}

std::uint32_t Hosts::host_of_rank(RankId rank) const {
    if (uniform_ > 0)
        return rank / uniform_;
    auto const after = std::upper_bound(first_rank_.begin(), first_rank_.end(), rank);
    return static_cast<std::uint32_t>(after - first_rank_.begin()) - 1U;
}

std::uint32_t Hosts::host_of_root(std::uint32_t root, RankId first_of_block) const {
    return own_roots_ > 0 ? static_cast<std::uint32_t>(first_rank_.size()) + root : host_of_rank(first_of_block);
}

RankRange Hosts::ranks_on(std::uint32_t host) const {
    if (host >= first_rank_.size())
        return {0, 0};
    RankId const first = first_rank_[host];
    RankId const end = host + 1U < first_rank_.size() ? first_rank_[host + 1U] : plan_.nranks;
    return {first, end - first};
}

HostPlan const& Hosts::unusual_plan_of(std::uint32_t host) const {
    if (auto const special = special_.find(host); special != special_.end())
        return *special->second;
    bool const own = own_roots_ > 0 && host >= first_rank_.size() && host < first_rank_.size() + own_roots_;
    return own ? plan_.root_host : plan_.host;
}

LinkOverride const* Hosts::override_of(std::uint32_t from, std::uint32_t to) const {
    if (overrides_.empty())
        return nullptr;
    auto const found = overrides_.find(std::uint64_t{from} << 32U | to);
    return found == overrides_.end() ? nullptr : found->second;
}

Distribution const& Hosts::distance(std::uint32_t from, std::uint32_t to) const {
    if (LinkOverride const* const link = override_of(from, to); link != nullptr && link->delay)
        return *link->delay;
    NetworkPlan const& network = plan_.network;
    if (from == to)
        return network.same_host;
    bool const same_rack = network.hosts_per_rack == 0 || from / network.hosts_per_rack == to / network.hosts_per_rack;
    return same_rack ? network.same_rack : network.cross_rack;
}

std::uint32_t Hosts::loss_per_million(std::uint32_t from, std::uint32_t to) const {
    if (LinkOverride const* const link = override_of(from, to); link != nullptr && link->loss_per_million)
        return *link->loss_per_million;
    return from == to ? 0U : plan_.network.loss_per_million;
}

bool Hosts::is_steady(std::uint32_t from, std::uint32_t to) const {
    return distance(from, to).is_constant() && loss_per_million(from, to) == 0 && plan_.network.bytes_per_second == 0;
}

// --- cores ----------------------------------------------------------------------------------------------------------

TimeNs Hosts::core_free_ns(std::uint32_t host, TimeNs now_ns) const {
    if (!limited_cores_)
        return now_ns;
    std::uint32_t const cores = plan_of(host).cores;
    auto const found = cores_.find(host);
    if (cores == 0 || found == cores_.end() || found->second.size() < cores)
        return now_ns;
    return std::max(now_ns, *std::min_element(found->second.begin(), found->second.end()));
}

void Hosts::occupy_core(std::uint32_t host, TimeNs until_ns) {
    if (!limited_cores_)
        return;
    std::uint32_t const cores = plan_of(host).cores;
    if (cores == 0)
        return;
    std::vector<TimeNs>& until = cores_[host];
    if (until.size() < cores)
        return until.push_back(until_ns);
    *std::min_element(until.begin(), until.end()) = until_ns;
}

// --- ports ----------------------------------------------------------------------------------------------------------

bool Hosts::take_port(std::uint32_t host, TimeNs now_ns) {
    for (; !waiting_.empty(); waiting_.pop_front()) {
        TimeNs const free_ns = waiting_from_ns_ + static_cast<TimeNs>(waiting_.front().after_ns);
        if (free_ns > now_ns)
            break;
        waiting_from_ns_ = free_ns;
        std::uint32_t const whose = waiting_.front().host & kNoHost;
        if (whose == kNoHost)
            continue;
        free_port(whose);
        --ports_waiting_[whose];
    }
    if (ports_[host] >= plan_of(host).ports)
        return false;
    ports_high_water_ = std::max(ports_high_water_, ++ports_[host]);
    return true;
}

/// Most hosts keep a port for the same time, so that the place is at the end, or near it.
void Hosts::free_port_later(std::uint32_t host, TimeNs free_ns) {
    if (waiting_.empty())
        waiting_until_ns_ = waiting_from_ns_;
    auto place = waiting_.end();
    TimeNs before_ns = waiting_until_ns_;
    while (place != waiting_.begin() && before_ns > free_ns) {
        --place;
        before_ns -= static_cast<TimeNs>(place->after_ns);
    }
    if (place == waiting_.end())
        waiting_until_ns_ = free_ns;
    else
        place->after_ns -= static_cast<std::uint64_t>(free_ns - before_ns) & kLongestAfterNs;
    for (; free_ns - before_ns > static_cast<TimeNs>(kLongestAfterNs);
         before_ns += static_cast<TimeNs>(kLongestAfterNs))
        place = std::next(waiting_.insert(place, {kLongestAfterNs, kNoHost}));
    waiting_.insert(place, {static_cast<std::uint64_t>(free_ns - before_ns) & kLongestAfterNs, host & kNoHost});
    ++ports_waiting_[host];
}

std::size_t Hosts::bytes() const {
    return first_rank_.capacity() * sizeof(RankId) +
           (ports_.capacity() + ports_waiting_.capacity()) * sizeof(std::uint32_t) +
           waiting_.size() * sizeof(WaitingPort);
}

}  // namespace ronde::sim
