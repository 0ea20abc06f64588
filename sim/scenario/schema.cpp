#include "scenario/schema.hpp"

#include "protocol/root.hpp"
#include "scenario/rows.hpp"

#include <array>

namespace ronde::sim {
namespace {

constexpr std::uint32_t kMostHosts = protocol::kMaxRanks + protocol::kMaxRoots;

Section top_section() {
    Section section;
    section.help = "the job";
    Rows rows(
        section, [](auto& plan, std::size_t) -> auto& { return plan; });
    rows.row("name", &WorldPlan::name, Words{}, "what reports call this world; default: the file's name")
        .row("ranks", &WorldPlan::nranks, Count{1, protocol::kMaxRanks}, "processes that are to form the ring")
        .row("roots", &WorldPlan::nroots, Count{1, protocol::kMaxRoots}, "roots that share the check-ins");

    // A profile is a whole set of policies; those of [policy], which comes later, change single ones.
    Key profile;
    auto const profiles = all_of<protocol::Profile>("profile", 3);
    profile.name = "profile";
    profile.type = profiles.type();
    profile.help = "a named set of policies; [policy] changes single ones";
    profile.text_of = [profiles](WorldPlan const& plan, std::size_t) { return profiles.write(plan.policies.profile); };
    profile.take = [profiles](WorldPlan& plan, std::size_t, std::string_view text) {
        auto const value = profiles.read(text);
        if (!value)
            return value.error();
        plan.policies = protocol::policies_of(*value);
        return std::string();
    };
    section.keys.push_back(std::move(profile));

    rows.row("seed", &WorldPlan::seed, Count{0, std::uint64_t{1} << 63}, "of every choice; same seed, same world")
        .row("deadline", &WorldPlan::budget_ns, Duration{1, true}, "of every rank, from its own start")
        .row("ranks_per_host", &WorldPlan::ranks_per_host, Counts{protocol::kMaxRanks},
             "repeated until every rank has a host: 8, or 8, 4, 2")
        .row("simulated_limit", &WorldPlan::simulated_limit_ns, Duration{1, false},
             "the world is stopped then; whoever still waits is hanging")
        .row("fast_forward", &WorldPlan::fast_forward, Flag{},
             "an undisturbed ring of the table is computed as a whole, to the same nanosecond")
        .row("any_order", &WorldPlan::any_order, Flag{},
             "which of the things that happen at the same instant comes first is drawn");
    return section;
}

Section network_section() {
    Section section;
    section.name = "network";
    section.help = "one-way delays by distance, and what the network does to packets";
    Rows(section, part_of(&WorldPlan::network))
        .row("same_host", &NetworkPlan::same_host, Delay{}, "between processes of one host")
        .row("same_rack", &NetworkPlan::same_rack, Delay{}, "between hosts of one rack")
        .row("cross_rack", &NetworkPlan::cross_rack, Delay{}, "between racks")
        .row("hosts_per_rack", &NetworkPlan::hosts_per_rack, Count{0, kMostHosts}, "0: all hosts stand in one rack")
        .row("bandwidth", &NetworkPlan::bytes_per_second, Rate{}, "of one connection in one direction; 0: no limit")
        .row("loss", &NetworkPlan::loss_per_million, Share{}, "of every packet")
        .row("first_retransmit", &NetworkPlan::first_retransmit_ns, Duration{1, false}, "of a SYN or SYN-ACK; doubles")
        .row("data_retransmit", &NetworkPlan::data_retransmit_ns, Duration{1, false}, "of data and FIN; doubles")
        .row("window", &NetworkPlan::window_bytes, Size{1},
             "what one direction of a connection holds unread, both buffers together");
    return section;
}

/// The rows of a host, wherever one is described.
template <class Part>
void add_host_rows(Section& section, Part part) {
    constexpr std::uint64_t kMost = 0xffff'ffffU;
    Rows(section, part)
        .row("cores", &HostPlan::cores, Count{0, 65'536}, "shared by its processes; 0: a core for each")
        .row("accept_service", &HostPlan::accept_service_ns, Duration{}, "CPU that one accept costs")
        .row("message_service", &HostPlan::message_service_ns, Duration{}, "CPU that one frame costs its receiver")
        .row("descriptors", &HostPlan::descriptor_limit, Count{1, kMost}, "open files that each process may have")
        .row("ports", &HostPlan::ports, Count{1, 64'511}, "ephemeral ports, shared by its processes")
        .row("time_wait", &HostPlan::time_wait_ns, Duration{}, "how long who closed first keeps its port")
        .row("somaxconn", &HostPlan::somaxconn, Count{1, kMost}, "upper bound on every backlog")
        .row("abort_on_overflow", &HostPlan::abort_on_overflow, Flag{},
             "a full accept queue resets instead of dropping")
        .row("syn_retries", &HostPlan::syn_retries, Count{0, 127}, "as net.ipv4.tcp_syn_retries")
        .row("synack_retries", &HostPlan::synack_retries, Count{0, 255}, "as net.ipv4.tcp_synack_retries")
        .row("data_retries", &HostPlan::data_retries, Count{0, 255}, "as net.ipv4.tcp_retries2")
        .row("memory", &HostPlan::memory_bytes, Size{}, "for a root's records; 0: enough");
}

Section host_section() {
    Section section;
    section.name = "host";
    section.help = "what every host of ranks offers";
    add_host_rows(section, part_of(&WorldPlan::host));
    return section;
}

Section hosts_section() {
    Section section;
    section.name = "hosts";
    section.help = "hosts that differ from [host]; keys that are left out are as there";
    repeat(section, &WorldPlan::hosts);
    section.append = [](WorldPlan& plan) { plan.hosts.push_back({0, 1, plan.host}); };
    section.required = {"first"};
    Rows(section, element_of(&WorldPlan::hosts))
        .row("first", &HostOverride::first, Count{0, kMostHosts - 1}, "number of the first such host")
        .row("count", &HostOverride::count, Count{1, kMostHosts}, "how many");
    add_host_rows(
        section, [](auto& plan, std::size_t index) -> auto& { return plan.hosts[index].host; });
    return section;
}

Section root_section() {
    Section section;
    section.name = "root";
    section.help = "the roots";
    Rows(
        section, [](auto& plan, std::size_t) -> auto& { return plan; })
        .row("own_hosts", &WorldPlan::roots_on_own_hosts, Flag{},
             "each on a host of its own, or on that of its first rank")
        .row("backlog", &WorldPlan::root_backlog, Count{0, 0x7fff'ffffU}, "asked for; somaxconn may clamp it")
        .row("pending_limit", &WorldPlan::root_pending_limit, Count{1, protocol::kMaxRootDoors},
             "unproven connections that are served at once");
    return section;
}

Section root_host_section() {
    Section section;
    section.name = "root_host";
    section.help = "what the roots' own hosts offer";
    add_host_rows(section, part_of(&WorldPlan::root_host));
    return section;
}

Section rank_section() {
    Section section;
    section.name = "rank";
    section.help = "every rank";
    Rows(
        section, [](auto& plan, std::size_t) -> auto& { return plan; })
        .row("backlog", &WorldPlan::rank_backlog, Count{0, 0x7fff'ffffU}, "of its listeners");
    return section;
}

Section link_section() {
    Section section;
    section.name = "link";
    section.help = "from one host to another, in that direction only";
    repeat(section, &WorldPlan::links);
    section.required = {"from", "to"};
    Rows(section, element_of(&WorldPlan::links))
        .row("from", &LinkOverride::from_host, Count{0, kMostHosts - 1}, "number of a host")
        .row("to", &LinkOverride::to_host, Count{0, kMostHosts - 1}, "number of a host")
        .row("delay", &LinkOverride::delay, Maybe<Delay>{}, "instead of that of [network]")
        .row("loss", &LinkOverride::loss_per_million, Maybe<Share>{}, "instead of that of [network]");
    return section;
}

Section arrival_section() {
    Section section;
    section.name = "arrival";
    section.help = "when the processes start";
    Rows(section, part_of(&WorldPlan::arrival))
        .row("skew", &ArrivalPlan::skew, Delay{}, "how long after its wave each process starts")
        .row("wave_hosts", &ArrivalPlan::wave_hosts, Count{0, kMostHosts}, "hosts started at once; 0: all")
        .row("wave_every", &ArrivalPlan::wave_every_ns, Duration{}, "from one wave to the next")
        .row("stragglers", &ArrivalPlan::stragglers_per_million, Share{}, "of the ranks that come later still ...")
        .row("straggler", &ArrivalPlan::straggler, Delay{}, "... and by how much");
    return section;
}

Section after_ready_section() {
    Section section;
    section.name = "after_ready";
    section.help = "what the ranks do with their ring";
    Rows(
        section, [](auto& plan, std::size_t) -> auto& { return plan; })
        .row("gathers", &WorldPlan::gathers_after_ready, Count{0, 1'000}, "all_gathers that every rank makes")
        .row("slice", &WorldPlan::gather_slice_bytes, Size{1, std::uint64_t{1} << 30}, "bytes of each rank");
    return section;
}

}  // namespace

std::span<Section const> schema() {
    static std::vector<Section> const sections = [] {
        std::vector<Section> all;
        all.push_back(top_section());
        all.push_back(policy_section());
        all.push_back(network_section());
        all.push_back(host_section());
        all.push_back(hosts_section());
        all.push_back(root_section());
        all.push_back(root_host_section());
        all.push_back(rank_section());
        all.push_back(link_section());
        all.push_back(arrival_section());
        all.push_back(after_ready_section());
        all.push_back(fault_section());
        return all;
    }();
    return sections;
}

Section const* section_named(std::string_view name) {
    for (Section const& section : schema()) {
        if (section.name == name)
            return &section;
    }
    return nullptr;
}

Key const* key_named(Section const& section, std::string_view name) {
    for (Key const& key : section.keys) {
        if (key.name == name)
            return &key;
    }
    return nullptr;
}

std::string full_name(Section const& section, std::string_view key) {
    if (section.name.empty())
        return std::string(key);
    return fmt::format(fmt::runtime(section.repeated ? "[[{}]] {}" : "[{}] {}"), section.name, key);
}

}  // namespace ronde::sim
