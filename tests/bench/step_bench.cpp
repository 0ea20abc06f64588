/// What one step costs: nanoseconds with Google Benchmark; with `--lives K` it lives K lives and prints the number of
/// steps, to be run under callgrind.
#include "rank_life.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using ronde::protocol::Gather;

void step(benchmark::State& state, Gather gather) {
    auto const life = ronde::bench::make_life(static_cast<std::uint32_t>(state.range(0)), gather, 8);
    ronde::protocol::Actions actions;
    std::uint64_t steps = 0;
    for (auto _ : state)
        steps += ronde::bench::live(life, actions);
    state.counters["per_step"] =
        benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK_CAPTURE(step, doubling, Gather::doubling)->Arg(64)->Arg(1024)->Arg(98'304);
BENCHMARK_CAPTURE(step, ring, Gather::ring)->Arg(64)->Arg(1024);

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--lives") == 0) {
        auto const life = ronde::bench::make_life(1024, Gather::doubling, 8);
        ronde::protocol::Actions actions;
        std::uint64_t steps = 0;
        for (long i = std::strtol(argv[2], nullptr, 10); i > 0; --i)
            steps += ronde::bench::live(life, actions);
        std::printf("%llu\n", static_cast<unsigned long long>(steps));
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
