/// The messages of a gather of N ranks in SimGrid: "ring" (N - 1 rounds with the neighbour) or "doubling" (log2 N
/// rounds with partners ever further away), 64 bytes each, 20 us one way. Built only where libsimgrid-dev is installed;
/// the comparison of ronde_sim_bench. usage: ronde_simgrid_twin ring|doubling RANKS
#include <sys/resource.h>
#include <xbt/log.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kBytes = 64;

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
}

std::vector<std::uint32_t> distances_of(bool ring, std::uint32_t nranks) {
    std::vector<std::uint32_t> distances;
    if (ring)
        distances.assign(nranks - 1U, 1U);
    for (std::uint32_t distance = 1; !ring && distance < nranks; distance *= 2)
        distances.push_back(distance);
    return distances;
}

}  // namespace

int main(int argc, char** argv) {
    xbt_log_control_set("xbt_cfg.thresh:warning");
    s4u::Engine engine(&argc, argv);
    std::string_view const pattern = argc > 1 ? argv[1] : "";
    auto const nranks = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0);
    if ((pattern != "ring" && pattern != "doubling") || nranks < 2) {
        std::fputs("usage: ronde_simgrid_twin ring|doubling RANKS\n", stderr);
        return EXIT_FAILURE;
    }
    s4u::Engine::set_config("network/model:CM02");  // the cheapest that knows links
    s4u::Engine::set_config("network/crosstraffic:0");
    s4u::Engine::set_config("contexts/stack-size:16");  // KiB, the least
    s4u::Engine::set_config("contexts/guard-size:0");
    std::uint64_t const before = peak_rss_bytes();
    std::clock_t const begin = std::clock();

    s4u::NetZone* const zone = s4u::create_star_zone("cluster");
    std::vector<s4u::Host*> hosts;
    for (std::uint32_t rank = 0; rank < nranks; ++rank) {
        hosts.push_back(zone->create_host("h" + std::to_string(rank), 1e9));
        s4u::Link* const wire = zone->create_link("w" + std::to_string(rank), 1.25e9);
        wire->set_latency(10e-6);
        wire->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
        wire->seal();
        zone->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(wire)}, true);
    }
    zone->seal();

    std::vector<std::uint32_t> const distances = distances_of(pattern == "ring", nranks);
    std::uint64_t received = 0;
    for (std::uint32_t rank = 0; rank < nranks; ++rank) {
        s4u::Actor::create("r", hosts[rank], [rank, nranks, &distances, &received] {
            for (std::size_t round = 0; round < distances.size(); ++round) {
                auto const mailbox = [round](std::uint32_t to) {
                    return s4u::Mailbox::by_name(std::to_string(to) + ":" + std::to_string(round % 2));
                };
                std::uint32_t const to = (rank + distances[round]) % nranks;
                s4u::CommPtr const sent = mailbox(to)->put_async(&received, kBytes);
                mailbox(rank)->get<std::uint64_t>();
                ++received;
                sent->wait();
            }
        });
    }
    engine.run();
    double const cpu_s = static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
    std::uint64_t const expected = std::uint64_t{nranks} * distances.size();
    if (received != expected) {
        std::fprintf(stderr, "ronde_simgrid_twin: %llu messages arrived, expected %llu\n",
                     static_cast<unsigned long long>(received), static_cast<unsigned long long>(expected));
        return EXIT_FAILURE;
    }
    std::printf("%-9.*s %6u ranks  %9llu messages  %6.2f s  %5.2f M/s  %llu B an actor\n",
                static_cast<int>(pattern.size()), pattern.data(), nranks, static_cast<unsigned long long>(received),
                cpu_s, static_cast<double>(received) / 1e6 / cpu_s,
                static_cast<unsigned long long>((peak_rss_bytes() - before) / nranks));
    return EXIT_SUCCESS;
}
