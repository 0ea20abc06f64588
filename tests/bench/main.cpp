/// `./dev bench`: real bootstraps on this machine against the least that any program must do here, in one run.
/// Nothing passes or fails; what counts are the ratios between rows of one table.
#include "bare_star.hpp"
#include "peers.hpp"
#include "ronde_run.hpp"
#include "step_cost.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace ronde::bench;

struct Contender {
    std::string name;
    std::vector<std::string> arguments;
    std::uint32_t most_ranks;  ///< larger sizes are left out, for time or for descriptors
};

std::vector<Contender> contenders() {
    return {
        {"ronde", {"--profile", "ronde"}, 4096},
        {"ronde, no proof", {"--profile", "ronde", "--no-auth"}, 4096},
        {"ronde, doubling", {"--profile", "ronde", "--gather", "doubling"}, 1024},
        {"ronde, in one process", {"--profile", "ronde", "--in-process"}, 512},  // chords: 20 descriptors a rank
        {"nccl", {"--profile", "nccl"}, 1024},
        {"article", {"--profile", "article"}, 1024},
    };
}

/// Costs are those of the bootstrap alone, as those of others are; all-gathers are timed in runs of their own.
struct Samples {
    std::vector<std::int64_t> table_ns, all_gather_ns;
    std::vector<double> cpu_s;
    RunFigures last;  ///< a bootstrap
    bool failed = false;
};

/// Two runs. The error is the command that failed.
tl::expected<void, std::string> sample(Contender const& contender, std::uint32_t ranks, Samples& samples) {
    std::vector<std::string> arguments = {"-n", std::to_string(ranks), "--deadline", "120s"};
    arguments.insert(arguments.end(), contender.arguments.begin(), contender.arguments.end());
    auto const bootstrap = ronde_run(arguments);
    if (!bootstrap)
        return tl::unexpected(bootstrap.error());
    arguments.insert(arguments.end(), {"--all-gather", "64", "--repeat", "3"});
    auto const gathers = ronde_run(arguments);
    if (!gathers)
        return tl::unexpected(gathers.error());
    samples.table_ns.push_back(bootstrap->table_ns);
    samples.cpu_s.push_back(bootstrap->cpu_s);
    samples.all_gather_ns.push_back(gathers->all_gather_ns);
    samples.last = *bootstrap;
    return {};
}

std::string ms(std::int64_t ns) { return fmt::format("{:.1f}", static_cast<double>(ns) / 1e6); }
std::string times(std::int64_t a, std::int64_t b) {
    return b > 0 ? fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b)) : "-";
}

int measure(std::vector<std::uint32_t> const& sizes, std::uint32_t repeat) {
    std::vector<Measured> for_peers;
    std::vector<std::string> notes;
    Table table({"ranks  who", "table ms", "x floor", "all-gather ms", "cpu s", "messages", "bytes", "peak MB/rank"});
    for (std::uint32_t const ranks : sizes) {
        auto const all = contenders();
        std::vector<std::int64_t> floor_ns;
        std::vector<Samples> samples(all.size());
        for (std::uint32_t round = 0; round < repeat; ++round) {  // in turns, so that a slow moment hits everyone
            auto const star = bare_star_ns(ranks);
            if (!star)
                return fmt::print(stderr, "{}\n", star.error()), 1;
            floor_ns.push_back(*star);
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (ranks > all[i].most_ranks || samples[i].failed)
                    continue;
                if (auto const sampled = sample(all[i], ranks, samples[i]); !sampled) {
                    // A limit of this machine takes one row away, not the table.
                    samples[i] = Samples{};
                    samples[i].failed = true;
                    notes.push_back(sampled.error());
                }
            }
        }
        std::int64_t const floor = median(floor_ns);
        table.row({fmt::format("{:>5}  floor: a bare star", ranks), ms(floor), "1.00", "-", "-", "-", "-", "-"});
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (samples[i].failed)
                table.row({fmt::format("{:>5}  {}", ranks, all[i].name), "failed", "-", "-", "-", "-", "-", "-"});
            if (samples[i].table_ns.empty())
                continue;
            std::int64_t const table_ns = median(samples[i].table_ns);
            if (i == 0) {
                for_peers.push_back(
                    {ranks, floor, table_ns, median(samples[i].all_gather_ns), median(samples[i].cpu_s)});
            }
            table.row({fmt::format("{:>5}  {}", ranks, all[i].name), ms(table_ns), times(table_ns, floor),
                       ms(median(samples[i].all_gather_ns)), fmt::format("{:.3f}", median(samples[i].cpu_s)),
                       std::to_string(samples[i].last.messages), std::to_string(samples[i].last.bytes),
                       fmt::format("{:.1f}", static_cast<double>(samples[i].last.peak_rss_bytes) / 1e6)});
        }
    }
    fmt::print("All processes started -> last rank holds the full table; medians of {}.\n\n{}", repeat, table.text());
    for (std::string const& note : notes)
        fmt::print("failed: {}\n", note);
    fmt::print("\n{}\n", against_others(for_peers));
    return notes.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times real bootstraps on this machine, side by side with a bare star of sockets");
    std::vector<std::uint32_t> sizes = {64, 256, 512, 1024};
    std::uint32_t repeat = 5;
    bool steps = true;
    app.add_option("--sizes", sizes, "numbers of ranks, comma separated")->delimiter(',')->check(CLI::Range(1, 4096));
    app.add_option("--repeat", repeat, "runs of each")->check(CLI::Range(1, 1000));
    app.add_flag("!--no-steps", steps, "leave out the cost of a step");
    CLI11_PARSE(app, argc, argv);
    int const status = measure(sizes, repeat);
    if (status == 0 && steps)
        fmt::print("{}", step_cost_report());
    return status;
}
