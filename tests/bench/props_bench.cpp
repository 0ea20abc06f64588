/// What checking costs, on one core: worlds under all properties, every order of events, and how long each mutant
/// lives.
///
/// With arguments (worlds, explorer, mutants) only those.
///
/// Rates are per second of CPU, so a machine that is shared does not make them worse; the mutants, each a process of
/// its own, are told in wall time. Targets stand beside what they are compared with.
#include "check/cases.hpp"
#include "explore/explore.hpp"
#include "observe/watch.hpp"
#include "table.hpp"
#include "world/world.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace ronde;

constexpr std::uint32_t kRanks = 8;
constexpr std::uint64_t kCases = 20'000;
constexpr double kTargetCasesPerSecond = 100'000;
constexpr double kTargetStatesPerSecond = 3'000'000;

double cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

[[noreturn]] void give_up(std::string const& why) {
    fmt::print(stderr, "\nronde_props_bench: {}\n", why);
    std::exit(EXIT_FAILURE);
}

// --- worlds ---------------------------------------------------------------------------------------------------------

props::CaseRules rules_of(bool faults) {
    props::CaseRules rules;
    rules.shape.least_ranks = kRanks;
    rules.shape.most_ranks = kRanks;
    rules.shape.faults = faults;
    return rules;
}

void add_worlds(bench::Table& table, std::string const& what, std::uint64_t steps, double seconds, bool compared) {
    table.row({what, std::to_string(kCases), fmt::format("{:.1f}", static_cast<double>(steps) / kCases),
               fmt::format("{:.2f} s", seconds), fmt::format("{:.0f}", kCases / seconds),
               compared ? fmt::format("{:.0f}", kTargetCasesPerSecond) : "-"});
    std::fputs(".", stderr);
}

/// What `ronde check` does, case by case.
void add_checked(bench::Table& table, std::string const& what, props::CaseRules const& rules) {
    props::CaseRunner runner(rules);
    props::Heritage const heritage;
    props::CaseResult result;
    std::uint64_t steps = 0;
    double const begin_s = cpu_s();
    for (std::uint64_t i = 0; i < kCases; ++i) {
        runner.run(i, heritage, result);
        steps += result.outcome.steps;
        if (!result.unexpected.empty())
            give_up(fmt::format("case {} of \"{}\" violates {}", i, what, to_text(result.unexpected.front())));
    }
    add_worlds(table, what, steps, cpu_s() - begin_s, false);
}

/// One root, one host, nothing that goes wrong: a bootstrap and nothing else.
void add_plain(bench::Table& table, std::string const& what, bool watched) {
    sim::WorldPlan plan;
    plan.nranks = kRanks;
    sim::World world;
    props::Watch watch;
    sim::Outcome unwatched;
    std::uint64_t steps = 0;
    double const begin_s = cpu_s();
    for (std::uint64_t i = 0; i < kCases; ++i) {
        plan.seed = i + 1;
        world.begin(plan);
        if (watched) {
            watch.watch(world);
            watch.play();
        } else {
            world.run(unwatched);
        }
        sim::Outcome const& outcome = watched ? watch.outcome() : unwatched;
        if (!outcome.all_ready() || (watched && watch.unexpected()))
            give_up(fmt::format("\"{}\" does not hold", what));
        steps += outcome.steps;
    }
    add_worlds(table, what, steps, cpu_s() - begin_s, watched);
}

std::string worlds() {
    bench::Table table(
        {fmt::format("worlds of {} ranks", kRanks), "cases", "steps a case", "CPU", "cases/s", "target"});
    add_plain(table, "a plain bootstrap, unwatched", false);
    add_plain(table, "a plain bootstrap, all properties", true);
    add_checked(table, "ronde check without faults", rules_of(false));
    add_checked(table, "ronde check", rules_of(true));
    return table.text();
}

// --- every order of events ------------------------------------------------------------------------------------------

struct Job {
    std::uint32_t nranks;
    protocol::Gather gather;
    std::uint32_t faults;
    std::vector<std::string> given;
    std::string what;
};

void add_job(bench::Table& table, Job const& job) {
    explore::ExploreSettings settings;
    settings.nranks = job.nranks;
    settings.policies.gather = job.gather;
    settings.faults = job.faults;
    for (std::string const& text : job.given) {
        auto const fault = explore::fault_from(text, settings);
        if (!fault)
            give_up(fault.error());
        settings.given.push_back(*fault);
    }
    explore::Exploration const found = explore::explore(settings);
    if (found.answer != explore::Answer::holds)
        give_up(fmt::format("{}: a property is broken", job.what));
    double const seconds = static_cast<double>(found.cpu_ns) / 1e9;
    // Where there are several searches, memory is that of the largest one.
    std::string const bytes =
        found.searches > 1
            ? "-"
            : fmt::format("{:.1f}", static_cast<double>(found.counts.bytes) / static_cast<double>(found.counts.states));
    table.row({job.what, std::to_string(found.counts.states), std::to_string(found.counts.turned),
               std::to_string(found.counts.transitions), fmt::format("{:.2f} s", seconds),
               fmt::format("{:.2f} M", static_cast<double>(found.counts.states) / seconds / 1e6),
               fmt::format("{:.0f} M", kTargetStatesPerSecond / 1e6), bytes});
    std::fputs(".", stderr);
}

std::string explorations() {
    using protocol::Gather;
    bench::Table table(
        {"explored", "states", "they stand for", "transitions", "CPU", "states/s", "target", "bytes a state"});
    add_job(table, {8, Gather::star, 0, {}, "8 ranks"});
    add_job(table, {8, Gather::doubling, 0, {}, "8 ranks, doubling"});
    add_job(table, {6, Gather::star, 0, {"crash:1"}, "6 ranks, rank 1 may die"});
    add_job(table, {4, Gather::star, 0, {"crash:1", "crash:2"}, "4 ranks, ranks 1 and 2 may die"});
    add_job(table, {3, Gather::star, 1, {}, "3 ranks, any one fault"});
    add_job(table, {3, Gather::ring, 1, {}, "3 ranks, ring, any one fault"});
    return table.text();
}

// --- mutants --------------------------------------------------------------------------------------------------------

nlohmann::json matrix() {
    std::FILE* const pipe = popen("'" RONDE_MUTANTS "' --fast --format json", "r");
    if (pipe == nullptr)
        give_up("ronde-mutants cannot be started");
    std::string text;
    std::array<char, 4096> room{};
    for (std::size_t bytes = 0; (bytes = std::fread(room.data(), 1, room.size(), pipe)) > 0;)
        text.append(room.data(), bytes);
    int const status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        give_up("ronde-mutants fails: run it alone");
    return nlohmann::json::parse(text);
}

/// Who killed, after how long.
using Deaths = std::vector<std::pair<std::int64_t, std::string>>;

void add_deaths(bench::Table& table, std::string const& who, Deaths deaths, std::size_t mutants) {
    if (deaths.empty())
        return;
    std::sort(deaths.begin(), deaths.end());
    std::int64_t sum_ns = 0;
    for (auto const& [time_ns, name] : deaths)
        sum_ns += time_ns;
    auto const ms = [](std::int64_t time_ns) { return fmt::format("{:.1f} ms", static_cast<double>(time_ns) / 1e6); };
    table.row({who, fmt::format("{} of {}", deaths.size(), mutants), ms(sum_ns), ms(bench::median(deaths).first),
               ms(deaths.back().first), deaths.back().second});
}

std::string mutants() {
    constexpr std::array kLayers = {"explorer", "simulator", "neighbours", "recordings"};
    std::array<Deaths, kLayers.size()> by_layer;
    Deaths quickest;
    std::size_t count = 0;
    nlohmann::json const all = matrix();
    for (auto const& mutant : all["rows"]) {
        if (!mutant.contains("file"))
            continue;  // the machine as it is
        ++count;
        std::int64_t least_ns = -1;
        std::string const name = mutant["name"];
        for (std::size_t layer = 0; layer < kLayers.size(); ++layer) {
            auto const& cell = mutant[kLayers[layer]];
            if (!cell["killed"].get<bool>())
                continue;
            std::int64_t const time_ns = cell["elapsed_ns"];
            by_layer[layer].emplace_back(time_ns, name);
            least_ns = least_ns < 0 ? time_ns : std::min(least_ns, time_ns);
        }
        if (least_ns >= 0)
            quickest.emplace_back(least_ns, name);
    }
    bench::Table table({"mutants", "killed", "sum", "median", "slowest", "which"});
    for (std::size_t layer = 0; layer < kLayers.size(); ++layer)
        add_deaths(table, kLayers[layer], by_layer[layer], count);
    add_deaths(table, "whoever is first", quickest, count);
    return table.text();
}

}  // namespace

int main(int argc, char** argv) {
    struct Section {
        std::string_view name;
        std::string (*measure)();
    };
    constexpr std::array<Section, 3> sections{{{"worlds", worlds}, {"explorer", explorations}, {"mutants", mutants}}};
    std::vector<std::string_view> const wanted(argv + 1, argv + argc);
    for (std::string_view const name : wanted) {
        if (std::none_of(sections.begin(), sections.end(), [&](Section const& one) { return one.name == name; }))
            give_up(fmt::format("'{}' is nothing to measure; expected worlds, explorer, mutants, or nothing", name));
    }
    // One after the other: each of them is to have the caches for itself.
    std::string text;
    for (Section const& section : sections) {
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), section.name) != wanted.end())
            text += (text.empty() ? "" : "\n") + section.measure();
    }
    fmt::print(stderr, "\n");
    fmt::print("{}", text);
    return EXIT_SUCCESS;
}
