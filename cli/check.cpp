/// `ronde check`: random worlds under all properties.
#include "check/check.hpp"

#include "cli/failure_picture.hpp"
#include "cli/kept_scripts.hpp"
#include "cli/sim_options.hpp"
#include "cli/values.hpp"
#include "launch/environment.hpp"
#include "scenario/atomic_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace ronde::cli {
namespace {

// A broken invariant ends the process, and with it the check. Whoever reads its line wants to know in which world.
constexpr std::size_t kMostRunners = 64;
std::atomic<props::CaseRunner const*> runners_under_way[kMostRunners];

void write_text(std::string_view text) {
    if (write(STDERR_FILENO, text.data(), text.size()) < 0)
        return;  // there is nobody left to tell
}

void write_number(std::uint64_t number) {
    char digits[20];
    std::size_t at = sizeof digits;
    do {
        digits[--at] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number > 0);
    write_text({digits + at, sizeof digits - at});
}

/// Uses nothing that a signal handler may not.
void name_the_cases(int) {
    write_text("ronde check: cases under way (--print-case I shows one):");
    for (auto const& runner : runners_under_way) {
        if (props::CaseRunner const* const known = runner.load(); known != nullptr) {
            write_text(" ");
            write_number(known->under_way());
        }
    }
    write_text("\n");
}

void watch_over(std::vector<props::CaseRunner const*> const& runners) {
    for (std::size_t i = 0; i < std::min(runners.size(), kMostRunners); ++i)
        runners_under_way[i] = runners[i];
    std::signal(SIGABRT, name_the_cases);
}

void forget_runners() {
    std::signal(SIGABRT, SIG_DFL);
    for (auto& runner : runners_under_way)
        runner = nullptr;
}

struct CheckCommand {
    props::CheckOptions options;
    std::vector<std::string> scripts;  ///< played alone
    bool json = false;
    std::string report;  ///< a file for what would be printed
    std::string out;     ///< below it a folder of this run is left
    PictureWish pictures;
    std::string junit;
    bool campaign = false;
    std::vector<std::string> merged;
    std::optional<std::uint64_t> printed_case;

    CheckCommand() {
        options.failures = "failures";
        options.on_runners = watch_over;
    }
};

std::string read_file(std::string const& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        throw LauncherError(fmt::format("{}: cannot be read", path));
    return text.str();
}

/// This process's share of the cases, from the variables of whoever started it.
void take_part(CheckCommand& command) {
    auto const place = launch::find_place(launch::variables_here());
    if (!place)
        throw UsageError("--campaign: " + place.error());
    if (!*place)
        throw UsageError(
            "--campaign: no launcher has said which process of how many this is; expected to be started by "
            "mpirun, srun, torchrun or ronde run");
    command.options.part = (*place)->rank;
    command.options.parts = (*place)->world_size;
    if (command.report.empty())
        command.report = fmt::format("check-{}.json", (*place)->rank);
    command.json = true;
}

std::vector<BrokenScript> broken_scripts(props::CheckReport const& report) {
    std::vector<BrokenScript> scripts;
    for (props::FailureNote const& note : report.failures) {
        if (!note.script.empty())
            scripts.push_back({note.script, fmt::format("{}: {}", name_of(note.property), note.sentence)});
    }
    return scripts;
}

/// What is left beside the report: pictures of failures, and the folder of this run.
class LeftBehind {
public:
    /// `text` begins with what came of it.
    LeftBehind(CheckCommand const& command, RunFolder* folder, std::vector<BrokenScript> const& scripts,
               std::string const& text, std::string const& json) {
        if (command.pictures.granted())
            pictures_ = draw_scripts(scripts);
        if (folder == nullptr)
            return;
        keeping_.attempt([&] {
            folder->put("results.json", json, "the report of --format json, without what the run cost here");
            keep_scripts(*folder, scripts);
            folder->finish(text.substr(0, text.find('\n')),
                           scripts.empty() ? command_line() : "ronde check failures/*.toml");
        });
    }
    /// The picture to be named first, or nothing.
    [[nodiscard]] std::string picture() const { return pictures_.empty() ? "" : pictures_.front(); }
    /// Behind the report: throws LauncherError when the folder could not be written.
    void tell() const { keeping_.tell(); }

private:
    std::vector<std::string> pictures_;
    Keeping keeping_;
};

Exit deliver_report(props::CheckReport const& report, CheckCommand const& command, RunFolder* folder) {
    props::CheckReport costless = report;
    costless.wall_ns = 0;
    if (!command.junit.empty()) {
        if (auto const why = sim::write_file(command.junit, props::report_junit(report)); !why.empty())
            throw LauncherError("--junit " + why);
    }
    LeftBehind const left(command, folder, broken_scripts(report), props::report_text(costless),
                          without_costs(props::report_json(costless), {"wall_s", "cases_per_s"}));
    deliver(command.json ? with_picture(props::report_json(report), left.picture(), -1) : props::report_text(report),
            command.report);
    left.tell();
    if (!report.trouble.empty())
        throw LauncherError(report.trouble);
    return report.holds() && props::unreached(report).empty() ? Exit::ok : Exit::failed;
}

std::vector<std::string> sentences_of(std::vector<props::Violation> const& violations) {
    std::vector<std::string> sentences;
    sentences.reserve(violations.size());
    for (props::Violation const& violation : violations)
        sentences.push_back(to_text(violation));
    return sentences;
}

/// Plays scripts, and says what each of them shows.
Exit play_scripts(CheckCommand const& command) {
    auto const folder =
        folder_for(command.out, "check-" + std::filesystem::path(command.scripts.front()).stem().string());
    std::vector<BrokenScript> broken;
    nlohmann::ordered_json played = nlohmann::ordered_json::array();
    for (std::string const& path : command.scripts) {
        auto const script = props::load_script(path);
        if (!script)
            throw UsageError(script.error());
        props::Judged const judged = props::judge(*script);
        fmt::print("{}: {} ({} ranks, {} steps, digest {})\n", path, judged.violations.empty() ? "holds" : "violated",
                   judged.outcome.nranks, judged.outcome.steps, to_text(judged.outcome.digest));
        for (props::Violation const& violation : judged.violations)
            fmt::print("  {}\n", to_text(violation));
        for (props::Violation const& violation : judged.expected)
            fmt::print("  {} (expected of these policies)\n", to_text(violation));
        if (!judged.violations.empty())
            broken.push_back({path, to_text(judged.violations.front())});
        played.push_back({{"script", path},
                          {"verdict", judged.violations.empty() ? "holds" : "violated"},
                          {"violations", sentences_of(judged.violations)},
                          {"expected", sentences_of(judged.expected)},
                          {"digest", to_text(judged.outcome.digest)}});
    }
    std::fflush(stdout);
    LeftBehind(command, folder.get(), broken,
               fmt::format("{} of {} scripts violate a property", broken.size(), command.scripts.size()),
               nlohmann::ordered_json{{"scripts", played}}.dump(2) + "\n")
        .tell();
    return broken.empty() ? Exit::ok : Exit::failed;
}

Exit merge_reports(CheckCommand const& command) {
    std::optional<props::CheckReport> all;
    for (std::string const& path : command.merged) {
        auto report = props::report_from_json(read_file(path));
        if (!report)
            throw UsageError(fmt::format("--merge {}: {}", path, report.error()));
        if (all)
            props::merge(*all, *report);
        else
            all = std::move(*report);
    }
    return deliver_report(*all, command, folder_for(command.out, "check").get());
}

Exit run_check(CheckCommand& command) {
    if (!command.merged.empty())
        return merge_reports(command);
    if (!command.scripts.empty())
        return play_scripts(command);
    if (command.printed_case) {
        deliver(write_scenario(props::CaseRunner(command.options.rules).plan_of(*command.printed_case)),
                command.report);
        return Exit::ok;
    }
    if (command.campaign)
        take_part(command);
    auto const folder = folder_for(command.out, "check");
    props::CheckReport const report = [&] {
        StatusLine status;
        return props::check(command.options, [&status](props::CheckReport const& so_far) {
            if (status.due())
                status.show(fmt::format("{} cases, {} tuples reached", so_far.cases, so_far.coverage.tuples()));
        });
    }();
    forget_runners();
    return deliver_report(report, command, folder.get());
}

/// "3..300" or "8".
void parse_ranks(std::string const& text, props::Shape& shape) {
    std::size_t const dots = text.find("..");
    auto const least = parse_count(text.substr(0, dots), 1, 100'000);
    auto const most = parse_count(dots == std::string::npos ? text : text.substr(dots + 2), 1, 100'000);
    if (!least || !most || *least > *most)
        throw CLI::ValidationError("--ranks", fmt::format("'{}' is no range; expected such as 3..300, or 8", text));
    shape.least_ranks = static_cast<std::uint32_t>(*least);
    shape.most_ranks = static_cast<std::uint32_t>(*most);
}

template <class T>
T checked(char const* flag, tl::expected<T, std::string> const& value) {
    if (!value)
        throw CLI::ValidationError(flag, value.error());
    return *value;
}

void add_choice_options(CLI::App& command, props::CheckOptions& options) {
    std::string const which = "Which worlds";
    command
        .add_option_function<std::string>(
            "--seed",
            [&options](std::string const& text) {
                options.rules.seed = checked("--seed", parse_count(text, 0, ~std::uint64_t{0}));
            },
            "Of all cases (1): case i is a function of seed and i")
        ->type_name("S")
        ->group(which);
    command
        .add_option_function<std::string>(
            "-n,--ranks", [&options](std::string const& text) { parse_ranks(text, options.rules.shape); },
            "Sizes of the jobs (3..300)")
        ->type_name("LOW..HIGH")
        ->group(which);
    command
        .add_option_function<std::string>(
            "--profile",
            [&options](std::string const& text) {
                options.rules.shape.profile = checked("--profile", parse_profile(text));
            },
            "article, nccl or ronde (ronde)")
        ->type_name("NAME")
        ->group(which);
    command
        .add_option_function<std::string>(
            "--strategy",
            [&options](std::string const& text) {
                options.rules.strategy = checked("--strategy", props::strategy_from(text));
            },
            "random, guided, or pct:D, schedules that find what needs D things in order (random)")
        ->type_name("NAME")
        ->group(which);
    std::string const long_ = "How long";
    command
        .add_option_function<std::string>(
            "--budget",
            [&options](std::string const& text) { options.budget_ns = checked("--budget", parse_duration(text)); },
            "Stop after so much time (60s)")
        ->type_name("TIME")
        ->group(long_);
    command
        .add_option_function<std::string>(
            "--cases",
            [&options](std::string const& text) {
                options.cases = checked("--cases", parse_count(text, 1, 1'000'000'000'000));
            },
            "Stop after so many cases, if there is time for them")
        ->type_name("N")
        ->group(long_);
    command
        .add_option_function<std::string>(
            "--jobs",
            [&options](std::string const& text) {
                options.jobs = static_cast<std::uint32_t>(checked("--jobs", parse_count(text, 1, 1'024)));
            },
            "Threads (1); results do not depend on it")
        ->type_name("J")
        ->group(long_);
}

}  // namespace

void register_check(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<CheckCommand>();
    CLI::App* const command =
        app.add_subcommand("check", "Put made-up worlds, with faults, under all properties of docs/properties.md");
    command->footer("Examples: ronde check --budget 10s --jobs 2; ronde check --strategy pct:3 --ranks 3..8;\n"
                    "ronde check failures/s1-1-42.toml; mpirun -n 8 ronde check --campaign --cases 100000");
    add_choice_options(*command, options->options);
    command->add_option("SCRIPT", options->scripts, "Play these scripts of failures, and nothing else")
        ->type_name("FILE");
    std::string const what = "What comes of it";
    command->add_option("--failures", options->options.failures, "Keep scripts of failures here, and play them first")
        ->type_name("DIR")
        ->capture_default_str()
        ->group(what);
    add_json_option(*command, options->json)->group(what);
    command
        ->add_option_function<std::string>(
            "--print-case",
            [options](std::string const& text) {
                options->printed_case = checked("--print-case", parse_count(text, 0, ~std::uint64_t{0}));
            },
            "Print the world of case I as TOML, and do not run it")
        ->type_name("I")
        ->group(what);
    command->add_option("-o", options->report, "Put the report into FILE, in one step")->type_name("FILE")->group(what);
    add_folder_option(*command, options->out);
    add_picture_wish(*command, options->pictures);
    command->add_option("--junit", options->junit, "Write a test case for each property")
        ->type_name("FILE")
        ->group(what);
    std::string const many = "Many processes";
    command
        ->add_flag("--campaign", options->campaign,
                   "Take the share of the cases that the launcher's variables say; writes check-RANK.json")
        ->group(many);
    command->add_option("--merge", options->merged, "Print what these reports have found together")
        ->type_name("FILE")
        ->group(many);
    command->callback([options, &outcome] { outcome = run_check(*options); });
}

}  // namespace ronde::cli
