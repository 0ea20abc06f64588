/// What a pretend world costs: time and memory per rank, for worlds of 1 024 to 1 048 576 ranks, on the queue that is
/// shipped and on a plain heap, and the same messages in SimGrid where that is installed.
///
/// Each line is one bootstrap in a process of its own. "rate" counts whatever the queue handed out and every step of a
/// machine; a rank's "bytes" are what the world accounts for, "peak" is the process's peak resident memory over its
/// ranks, program included. Seconds are of the processor, so that other programs of the machine disturb less.
#include "sim_measure.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using ronde::bench::SimLine;
using ronde::bench::SimMeasured;
using ronde::bench::Table;
using ronde::protocol::Profile;

struct Asked {
    SimLine line;
    bool on_heap_too = false;
};

std::vector<Asked> lines_of(bool quick) {
    std::vector<Asked> lines{
        {{Profile::ronde, 1'024}, true}, {{Profile::ronde, 16'384}, true},         {{Profile::ronde, 98'304}, true},
        {{Profile::ronde, 98'304, 16}},  {{Profile::nccl, 1'024, 1, false}, true}, {{Profile::nccl, 4'096, 1, false}},
        {{Profile::nccl, 98'304, 1}},    {{Profile::nccl, 98'304, 768}},
    };
    if (!quick)
        lines.push_back({{Profile::ronde, 1'048'576, 64}});
    return lines;
}

void add(Table& table, SimLine const& line, std::string queue, SimMeasured const& measured) {
    double const events = static_cast<double>(measured.events);
    double const messages = static_cast<double>(measured.messages);
    std::string const skipped = fmt::format("{:.1f} G", static_cast<double>(measured.skipped_frames) / 1e9);
    table.row({std::string(ronde::protocol::name_of(line.profile)), std::to_string(line.nranks),
               std::to_string(line.nroots), std::move(queue),
               fmt::format("{:.3f} s", static_cast<double>(measured.table_ns) / 1e9),
               fmt::format("{:.2f} s", measured.cpu_s), fmt::format("{:.1f} M", events / 1e6),
               fmt::format("{:.2f} M/s", events / 1e6 / measured.cpu_s),
               fmt::format("{:.2f} M/s", messages / 1e6 / measured.cpu_s), measured.skipped_frames == 0 ? "-" : skipped,
               fmt::format("{} B", measured.accounted_bytes / line.nranks),
               fmt::format("{} B", measured.peak_bytes / line.nranks)});
}

bool worlds(char const* myself, bool quick) {
    Table table({"profile", "ranks", "roots", "queue", "full table, simulated", "cpu", "events", "rate", "messages",
                 "ring frames skipped", "bytes", "peak"});
    for (auto const& [line, on_heap_too] : lines_of(quick)) {
        SimMeasured measured;
        if (!ronde::bench::measure_by(myself, line, measured) || measured.ready == 0) {
            std::fprintf(stderr, "ronde_sim_bench: %u ranks did not come home\n", line.nranks);
            return false;
        }
        add(table, line, "wheel", measured);
        std::fputs(".", stderr);
        if (!on_heap_too)
            continue;
        SimMeasured twin;
        bool const played = ronde::bench::measure_by(RONDE_SIM_WORLD_ON_HEAP, line, twin);
        if (!played || twin.digest_high != measured.digest_high || twin.digest_low != measured.digest_low) {
            std::fprintf(stderr, "ronde_sim_bench: %u ranks on the plain heap: not the same world\n", line.nranks);
            return false;
        }
        add(table, line, "heap", twin);
        std::fputs(".", stderr);
    }
    std::fputs("\n", stderr);
    std::fputs(table.text().c_str(), stdout);
    return true;
}

/// Each line of theirs is printed by a process of its own: "pattern, ranks, messages, cpu, rate, bytes an actor".
bool simgrid() {
#ifdef RONDE_SIMGRID_TWIN
    std::puts("\nSimGrid, an actor a rank, mailboxes, 20 us one way: the same messages, without TCP and without a\n"
              "protocol\n");
    std::fflush(stdout);
    constexpr std::array commands{RONDE_SIMGRID_TWIN " doubling 1024", RONDE_SIMGRID_TWIN " doubling 16384",
                                  RONDE_SIMGRID_TWIN " ring 1024"};
    for (char const* const command : commands) {
        if (std::system(command) != 0) {  // NOLINT(cert-env33-c,concurrency-mt-unsafe): a path of this build
            std::fprintf(stderr, "ronde_sim_bench: %s failed\n", command);
            return false;
        }
    }
#else
    std::puts("\nNo SimGrid here: libsimgrid-dev is not installed.");
#endif
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::string_view const first = argc > 1 ? argv[1] : "";
    if (first == "--world")
        return ronde::bench::measure_for_parent(argc, argv);
    bool const done = worlds("/proc/self/exe", first == "--quick") && simgrid();
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
