#include "cli/sim_options.hpp"

#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ronde::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Worlds that are quicker than this show nothing.
constexpr auto kFirst = std::chrono::milliseconds(500);
constexpr auto kEvery = std::chrono::milliseconds(250);

bool is_path(std::string const& scenario) {
    return scenario.find('/') != std::string::npos || scenario.ends_with(".toml");
}

void add_flag_for(CLI::App& app, ScenarioChoice& choice, std::string const& flag, std::string const& key,
                  std::string const& type, std::string const& help) {
    std::string const name = flag.substr(flag.rfind("--"));
    app.add_option_function<std::string>(
           flag,
           [&choice, name, key](std::string const& value) {
               choice.flags.push_back({name, key, value});
           },
           help)
        ->type_name(type)
        ->group("Change the scenario");
}

/// What set_key says of a key, said of the flag that stands for it.
std::string said_of(std::string const& flag, std::string const& why) {
    auto const colon = why.find(": ");
    return flag + (colon == std::string::npos ? ": " + why : why.substr(colon));
}

}  // namespace

std::string ScenarioChoice::command() const {
    std::string text = "ronde sim " + shell_word(scenario);
    for (Flag const& flag : flags)
        text += fmt::format(" {} {}", flag.name, shell_word(flag.value));
    for (std::string const& set : sets)
        text += " --set " + shell_word(set);
    return text;
}

sim::WorldPlan ScenarioChoice::plan() const {
    auto plan = sim::load_scenario(scenario);
    if (!plan) {
        if (is_path(scenario) && ::access(scenario.c_str(), R_OK) != 0)
            throw LauncherError(plan.error());
        throw UsageError(plan.error());
    }
    // A profile sets all policies anew, so it goes before whatever changes one of them.
    for (bool const profiles : {true, false}) {
        for (Flag const& flag : flags) {
            if ((flag.key == "profile") != profiles)
                continue;
            if (auto const why = sim::set_key(*plan, flag.key + "=" + flag.value); !why.empty())
                throw UsageError(said_of(flag.name, why));
        }
    }
    for (std::string const& set : sets) {
        if (auto const why = sim::set_key(*plan, set); !why.empty())
            throw UsageError("--set " + why);
    }
    return *plan;
}

void add_scenario_options(CLI::App& app, ScenarioChoice& choice) {
    app.add_option("scenario", choice.scenario, "A name of --list, or a file such as ./mine.toml")
        ->type_name("SCENARIO");
    add_flag_for(app, choice, "-n,--ranks", "ranks", "N", "Ranks of the job");
    add_flag_for(app, choice, "--roots", "roots", "K", "Roots that share the check-ins");
    add_flag_for(app, choice, "--profile", "profile", "NAME", "article, nccl or ronde; sets all policies anew");
    add_flag_for(app, choice, "--gather", "policy.gather", "NAME", "How the table spreads");
    add_flag_for(app, choice, "--deadline", "deadline", "TIME", "Of every rank, from its own start; or never");
    add_flag_for(app, choice, "--seed", "seed", "S", "Of every choice: same seed, same world");
    app.add_option("--set", choice.sets, "Any key, such as network.same_rack=50us; may be given again (see --schema)")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->group("Change the scenario");
}

StatusLine::StatusLine() : next_(Clock::now() + kFirst), active_(::isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
    if (shown_)
        std::fputs("\r\033[K", stderr);
}

bool StatusLine::due() { return active_ && Clock::now() >= next_; }

void StatusLine::show(std::string const& line) {
    fmt::print(stderr, "\r{}\033[K", line);
    std::fflush(stderr);
    shown_ = true;
    next_ = Clock::now() + kEvery;
}

void deliver(std::string const& text, std::string const& file) {
    if (file.empty()) {
        fmt::print("{}", text);
        if (std::fflush(stdout) != 0)
            throw LauncherError("cannot write to standard output");
        return;
    }
    if (auto const why = sim::write_file(file, text); !why.empty())
        throw LauncherError(why);
}

CLI::Option* add_json_option(CLI::App& command, bool& json) {
    return command
        .add_option_function<std::string>(
            "--format",
            [&json](std::string const& name) {
                json = parse_format(name, {"text", "json"}) == 1;
            },
            "text or json (text)")
        ->type_name("NAME");
}

std::size_t parse_format(std::string const& name, std::vector<std::string_view> const& names) {
    auto const at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
        throw CLI::ValidationError("--format", fmt::format("'{}' is no format; expected {}{}", name,
                                                           fmt::join(names, " or "), did_you_mean(name, names)));
    return static_cast<std::size_t>(at - names.begin());
}

ProcessCosts costs_of_this_process() {
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    auto const ns = [](timeval const& time) {
        return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(time.tv_usec) * 1'000;
    };
    return {ns(usage.ru_utime) + ns(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_maxrss) * 1'024U};
}

}  // namespace ronde::cli
