#include "sim_measure.hpp"

#include "world/world.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace ronde::bench {
namespace {

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
}

std::uint32_t number_in(char const* text) {
    std::uint32_t number = 0;
    std::from_chars(text, text + std::string_view(text).size(), number);
    return number;
}

}  // namespace

SimMeasured measure(SimLine const& line) {
    sim::WorldPlan plan;
    plan.nranks = line.nranks;
    plan.nroots = line.nroots;
    plan.policies = protocol::policies_of(line.profile);
    plan.network.same_host = plan.network.same_rack;
    plan.root_host.accept_service_ns = 15 * sim::kMicrosecondNs;
    plan.budget_ns = 300 * sim::kSecondNs;
    plan.fast_forward = line.fast_forward;
    auto const begin = std::chrono::steady_clock::now();
    std::clock_t const cpu_begin = std::clock();
    sim::World world(plan);
    sim::Outcome const outcome = world.run();
    SimMeasured measured;
    measured.ready = outcome.all_ready() && outcome.broken.empty() ? 1U : 0U;
    measured.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measured.cpu_s = static_cast<double>(std::clock() - cpu_begin) / static_cast<double>(CLOCKS_PER_SEC);
    measured.events = outcome.events;
    measured.messages = outcome.frames - outcome.skipped_frames;
    measured.skipped_frames = outcome.skipped_frames;
    measured.table_ns = outcome.last_table_ns;
    measured.accounted_bytes = outcome.world_bytes;
    measured.peak_bytes = peak_rss_bytes();
    measured.digest_high = outcome.digest.high;
    measured.digest_low = outcome.digest.low;
    return measured;
}

int measure_for_parent(int argc, char** argv) {
    if (argc != 6 || std::string_view(argv[1]) != "--world") {
        std::fputs("usage: --world PROFILE RANKS ROOTS FORWARD\n", stderr);
        return EXIT_FAILURE;
    }
    SimLine line;
    line.profile = static_cast<protocol::Profile>(number_in(argv[2]));
    line.nranks = number_in(argv[3]);
    line.nroots = number_in(argv[4]);
    line.fast_forward = number_in(argv[5]) != 0;
    SimMeasured const measured = measure(line);
    return std::fwrite(&measured, sizeof measured, 1, stdout) == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

bool measure_by(char const* program, SimLine const& line, SimMeasured& measured) {
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    std::string const profile = std::to_string(static_cast<unsigned>(line.profile));
    std::string const nranks = std::to_string(line.nranks);
    std::string const nroots = std::to_string(line.nroots);
    pid_t const child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "--world", profile.c_str(), nranks.c_str(), nroots.c_str(),
              line.fast_forward ? "1" : "0", nullptr);
        _exit(127);
    }
    close(ends[1]);
    bool const read_all = read(ends[0], &measured, sizeof measured) == static_cast<ssize_t>(sizeof measured);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return read_all && status == 0;
}

}  // namespace ronde::bench
