/// What a pretend world costs: time and memory per rank, for worlds of 1 024 to 1 048 576 ranks.
///
/// Each line is one bootstrap in a process of its own, so that the peak memory is that of this world alone. "rate"
/// counts whatever the queue handed out and every step of a machine; "per rank" is the process's peak resident memory,
/// all told.
#include "table.hpp"
#include "world/world.hpp"

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace ronde::sim;
using ronde::protocol::Profile;

struct Line {
    std::uint32_t nranks = 0;
    std::uint32_t nroots = 1;
    Profile profile = Profile::ronde;
};

struct Measured {
    bool ready = false;
    double wall_s = 0;
    std::uint64_t events = 0;
    std::uint64_t steps = 0;
    std::uint64_t skipped_frames = 0;
    std::int64_t table_ns = 0;
    std::uint64_t accounted_bytes = 0;
    std::uint64_t peak_bytes = 0;
};

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
}

Measured measure(Line const& line) {
    WorldPlan plan;
    plan.nranks = line.nranks;
    plan.nroots = line.nroots;
    plan.policies = ronde::protocol::policies_of(line.profile);
    plan.network.same_host = plan.network.same_rack;
    plan.root_host.accept_service_ns = 15 * kMicrosecondNs;
    plan.budget_ns = 300 * kSecondNs;
    auto const begin = std::chrono::steady_clock::now();
    World world(plan);
    Outcome const outcome = world.run();
    Measured measured;
    measured.ready = outcome.all_ready() && outcome.broken.empty();
    measured.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measured.events = outcome.events;
    measured.steps = outcome.steps;
    measured.skipped_frames = outcome.skipped_frames;
    measured.table_ns = outcome.last_table_ns;
    measured.accounted_bytes = outcome.world_bytes;
    measured.peak_bytes = peak_rss_bytes();
    return measured;
}

/// In a child, whose memory nobody has used before.
bool measure_alone(Line const& line, Measured& measured) {
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    std::fflush(nullptr);
    pid_t const child = fork();
    if (child == 0) {
        Measured const mine = measure(line);
        bool const written = write(ends[1], &mine, sizeof mine) == static_cast<ssize_t>(sizeof mine);
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    bool const read_all = read(ends[0], &measured, sizeof measured) == static_cast<ssize_t>(sizeof measured);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return read_all && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
    bool const quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    std::vector<Line> lines{{1'024, 1, Profile::ronde},   {16'384, 1, Profile::ronde}, {98'304, 1, Profile::ronde},
                            {98'304, 16, Profile::ronde}, {98'304, 1, Profile::nccl},  {98'304, 768, Profile::nccl}};
    if (!quick)
        lines.push_back({1'048'576, 64, Profile::ronde});
    ronde::bench::Table table({"profile", "ranks", "roots", "full table, simulated", "wall", "events and steps", "rate",
                               "per step", "ring frames skipped", "per rank"});
    for (Line const& line : lines) {
        Measured measured;
        if (!measure_alone(line, measured) || !measured.ready) {
            std::fprintf(stderr, "ronde_sim_bench: %u ranks did not come home\n", line.nranks);
            return EXIT_FAILURE;
        }
        double const millions = static_cast<double>(measured.events) / 1e6;
        table.row({std::string(ronde::protocol::name_of(line.profile)), std::to_string(line.nranks),
                   std::to_string(line.nroots), fmt::format("{:.3f} s", static_cast<double>(measured.table_ns) / 1e9),
                   fmt::format("{:.2f} s", measured.wall_s), fmt::format("{:.1f} M", millions),
                   fmt::format("{:.2f} M/s", millions / measured.wall_s),
                   fmt::format("{:.0f} ns", measured.wall_s * 1e9 / static_cast<double>(measured.steps)),
                   measured.skipped_frames == 0
                       ? "-"
                       : fmt::format("{:.1f} G", static_cast<double>(measured.skipped_frames) / 1e9),
                   fmt::format("{} B", measured.accounted_bytes / line.nranks)});
        std::fputs(".", stderr);
    }
    std::fputs("\n", stderr);
    std::fputs(table.text().c_str(), stdout);
    return EXIT_SUCCESS;
}
