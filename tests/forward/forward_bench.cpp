/// How many cells (a rank, a turn) the recurrence computes per second, for each instruction set and one and two
/// threads, and how long the gathers take that people ask for. Each line gives wall and CPU time: on a shared machine
/// only the latter is worth comparing.
#include "forward/ring_forward.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace ronde::sim;
using ronde::protocol::Gather;
using ronde::protocol::kMicrosecondNs;
using ronde::protocol::Turns;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

RingForward ring_of(std::uint32_t nranks, Gather gather, Turns turns, bool jitter) {
    RingForward ring;
    ring.nranks = nranks;
    ring.gather = gather;
    ring.turns = turns;
    Distribution const delay =
        jitter ? Distribution::log_normal(20 * kMicrosecondNs, 300) : Distribution::constant(20 * kMicrosecondNs);
    ring.forward.kinds = {delay};
    ring.backward.kinds = {delay};
    return ring;
}

void measure(std::string_view what, RingForward const& ring, ForwardOptions const& options) {
    if (!has_isa(options.isa)) {
        fmt::print("{:<52} this machine has no {}\n", what, name_of(options.isa));
        return;
    }
    auto const begun = std::chrono::steady_clock::now();
    double const begun_cpu = cpu_seconds();
    auto const result = forward(ring, options);
    double const cpu = cpu_seconds() - begun_cpu;
    double const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (!result) {
        fmt::print("{:<52} {}\n", what, result.error());
        return;
    }
    double const cells = static_cast<double>(result->cells) / 1e9;
    fmt::print("{:<52} {:<9} x{}  wall {:7.3f} s  cpu {:7.3f} s", what, name_of(options.isa), options.threads, wall,
               cpu);
    if (result->cells > 0)
        fmt::print("  {:5.2f} Gcells/s wall  {:5.2f} Gcells per CPU second", cells / wall, cells / cpu);
    fmt::print("  last rank done at {:.6f} s\n", static_cast<double>(result->last_ns) / 1e9);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::uint32_t nranks = 98'304;
    bool quick = false;
    std::vector<std::string> sets{"portable", "avx2", "avx512"};
    CLI::App app{"Cells per second of the ring gather's fast-forward"};
    app.add_option("--nranks", nranks, "ranks of the ring")->capture_default_str();
    app.add_flag("--quick", quick, "without the gathers that take many seconds");
    app.add_option("--isa", sets, "instruction sets to compare")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    RingForward const jitter = ring_of(nranks, Gather::ring, Turns::pipelined, true);
    RingForward const constant = ring_of(nranks, Gather::ring, Turns::pipelined, false);
    for (Isa const isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (std::find(sets.begin(), sets.end(), name_of(isa)) == sets.end())
            continue;
        for (std::uint32_t const threads : {1U, 2U}) {
            measure("ring, delays vary", jitter, {threads, isa, false});
            measure("ring, constant delays, turn by turn", constant, {threads, isa, false});
        }
    }
    if (!quick) {
        for (bool const varies : {false, true}) {
            for (Turns const turns : {Turns::pipelined, Turns::lock_step, Turns::lock_step_lengths}) {
                measure(fmt::format("ring2 {}, {}", name_of(turns), varies ? "delays vary" : "constant delays"),
                        ring_of(nranks, Gather::ring2, turns, varies), {1, Isa::automatic, true});
            }
        }
    }
    RingForward links = ring_of(1'000'000, Gather::ring, Turns::pipelined, false);
    for (std::uint32_t r = 0; r < links.nranks; ++r) {
        links.forward.constant_ns.push_back((r * 2'654'435'761U >> 12) % 50'000);
        links.start_ns.push_back((r * 2'246'822'519U >> 8) % 1'000'000);
    }
    measure("ring, 10^6 ranks, a constant delay for each link", links, {});
    return 0;
}
