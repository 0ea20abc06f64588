/// One program, two worlds: a thousand ranks on pretended hosts, and four over the sockets of this one.
///
///     ./pretend_ring            the program at 1000 ranks, and at 1000 of which one dies
///     ./pretend_ring sockets    the same function as four fibers over real sockets
#include <ronde/program.hpp>
#include <ronde/sim.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

void need(ronde::Outcome const& outcome) {
    if (!outcome)
        throw std::runtime_error(outcome.error().message());
}

/// Loads for a while, tells everyone for how long, and waits until all are done. It knows nothing of where it runs.
void program(ronde::Communicator& ring) {
    ronde::sleep_for(std::chrono::milliseconds(ring.rank() % 50));
    std::vector<std::uint64_t> loaded_ms(ring.nranks());
    loaded_ms[ring.rank()] = ring.rank() % 50;
    need(ring.all_gather(std::as_writable_bytes(std::span(loaded_ms)), sizeof loaded_ms[0]));
    if (ring.rank() == 0) {
        std::uint64_t const sum_ms = std::accumulate(loaded_ms.begin(), loaded_ms.end(), std::uint64_t{0});
        std::printf("rank 0 of %u: all together loaded for %llu ms\n", ring.nranks(),
                    static_cast<unsigned long long>(sum_ms));
    }
    need(ring.barrier());
    need(ring.close());
}

int over_sockets() {
    ronde::InProcessOptions options;
    options.nranks = 4;
    auto const ends = ronde::run_in_process(program, options);
    std::printf("%s", ends ? ends->text().c_str() : ends.error().c_str());
    return ends && ends->all_returned() ? 0 : 1;
}

int in_a_world(ronde::sim::WorldPlan const& world) {
    auto const result = ronde::sim::run_programs(world, program);
    std::printf("%s", result ? result->text().c_str() : result.error().c_str());
    return result && result->all_returned() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "sockets") == 0)
        return over_sockets();

    ronde::sim::WorldPlan world;
    world.nranks = 1000;
    int const fine = in_a_world(world);

    ronde::sim::Fault fault;
    fault.kind = ronde::sim::FaultKind::crash;
    fault.ranks = {{7, 1}};
    fault.when.at_ns = 40 * ronde::sim::kMillisecondNs;
    world.faults.push_back(fault);
    int const with_fault = in_a_world(world);
    return fine == 0 && with_fault == 1 ? 0 : 1;
}
