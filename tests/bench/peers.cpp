#include "peers.hpp"

#include "table.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace ronde::bench {
namespace {

enum class Work : std::uint8_t { table, all_gather, cpu };

/// Seconds on the reference machine: 2 x86-64 cores, Linux, loopback, N processes; medians of five. 0: not read.
struct Peer {
    std::string_view name;
    Work work;
    std::array<double, 4> seconds;  ///< in the order of kSizes
};
constexpr std::array<std::uint32_t, 4> kSizes{64, 256, 512, 1'024};
constexpr std::array<double, 4> kBareStarSeconds{0.0070, 0.027, 0.056, 0.109};

// NCCL 2.30.7 and MSCCL++ 0.9 spin while they wait. "Blocking" rows are the same code with waits that sleep: nobody
// ships that, but it is the fair bar for the protocol on two cores.
constexpr std::array<Peer, 14> kPeers{{
    {"NCCL", Work::table, {7.69, 134, 0, 0}},
    {"NCCL, blocking", Work::table, {0.054, 0.441, 1.90, 9.18}},
    {"MSCCL++", Work::table, {4.05, 67, 0, 0}},
    {"MSCCL++, blocking", Work::table, {0.035, 0.392, 0.99, 2.74}},
    {"gloo, full mesh", Work::table, {0.115, 1.94, 11.7, 165}},
    {"gloo, nothing connected", Work::table, {0.019, 0.089, 0.256, 0.89}},
    {"PMIx fence", Work::table, {0.107, 1.05, 4.07, 28}},
    {"Open MPI MPI_Init", Work::table, {1.76, 25.8, 133, 0}},
    {"NCCL, blocking", Work::all_gather, {0.026, 0.400, 1.85, 8.74}},
    {"MSCCL++, blocking", Work::all_gather, {0.010, 0.141, 0.633, 2.71}},
    {"gloo", Work::all_gather, {0.134, 1.81, 12.3, 0}},
    {"Open MPI, warm", Work::all_gather, {0.004, 0.05, 0.20, 0}},
    {"NCCL, blocking", Work::cpu, {0, 0, 3.6, 17.4}},
    {"MSCCL++, blocking", Work::cpu, {0, 0, 1.0, 3.6}},
}};

std::string_view name_of(Work work) {
    switch (work) {
    case Work::table: return "table";
    case Work::all_gather: return "all-gather";
    case Work::cpu: return "cpu";
    }
    return "";
}

double seconds_of(Measured const& measured, Work work) {
    switch (work) {
    case Work::table: return static_cast<double>(measured.table_ns) / 1e9;
    case Work::all_gather: return static_cast<double>(measured.all_gather_ns) / 1e9;
    case Work::cpu: return measured.cpu_s;
    }
    return 0.0;
}

}  // namespace

std::string against_others(std::vector<Measured> const& measured) {
    Table table({"ranks  peer", "work", "peer, stars", "ronde, stars", "factor"});
    bool any = false;
    for (Measured const& here : measured) {
        for (std::size_t size = 0; size < kSizes.size(); ++size) {
            if (kSizes[size] != here.ranks)
                continue;
            for (Peer const& peer : kPeers) {
                double const ours = seconds_of(here, peer.work) * 1e9 / static_cast<double>(here.floor_ns);
                double const theirs = peer.seconds[size] / kBareStarSeconds[size];
                if (theirs <= 0.0 || ours <= 0.0)
                    continue;
                any = true;
                table.row({fmt::format("{:>5}  {}", here.ranks, peer.name), std::string(name_of(peer.work)),
                           fmt::format("{:.2f}", theirs), fmt::format("{:.2f}", ours),
                           fmt::format("{:.1f}", theirs / ours)});
            }
        }
    }
    if (!any)
        return {};
    return "Against others, in bare stars of each one's own machine (theirs was read on another one).\n\n" +
           table.text();
}

}  // namespace ronde::bench
