/// `ronde sim`: plays a scenario in the pretend world and reports like `ronde run`.
#include "cli/failure_picture.hpp"
#include "cli/kept_world.hpp"
#include "cli/sim_choices.hpp"
#include "cli/sim_options.hpp"
#include "report/causes.hpp"
#include "report/critical_path.hpp"
#include "report/report.hpp"
#include "report/rounds.hpp"
#include "report/trace.hpp"
#include "report/words.hpp"
#include "scenario/schema.hpp"
#include "world/world.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

namespace ronde::cli {
namespace {

enum class SimFormat : std::uint8_t { text, json, csv };

struct SimOptions {
    ScenarioChoice choice;
    SimFormat format = SimFormat::text;
    std::string report;  ///< a file for what would be printed
    std::string out;     ///< below it a folder of this run is left
    PictureWish pictures;
    std::string trace;
    std::string tape;
    bool choose = false;
    bool rounds = false;
    bool critical_path = false;
    bool check_determinism = false;
    bool list = false;
    bool schema = false;
    bool print = false;
};

/// What one run left behind.
struct Played {
    sim::Outcome outcome;
    sim::Costs costs;
    sim::CriticalPath path;  ///< if it was asked for
};

std::string progress_text(sim::Progress const& progress) {
    if (progress.checked_in < progress.nranks)
        return fmt::format("{}/{} checked in, {} simulated, {} events", progress.checked_in, progress.nranks,
                           sim::about(progress.now_ns), sim::about_count(progress.events));
    return fmt::format("{}/{} ready or failed, {} simulated, {} events", progress.settled, progress.nranks,
                       sim::about(progress.now_ns), sim::about_count(progress.events));
}

/// Who takes part in a run, apart from the world.
struct Company {
    std::vector<sim::Observer*> observers;
    SimChoices* choices = nullptr;  ///< nullptr: the seed's
    bool critical_path = false;
    bool progress = true;  ///< a line of it where standard error is a terminal
};

/// Plays the plan from its beginning to its end.
Played play(sim::WorldPlan const& plan, Company const& company = {}) {
    StatusLine status;
    auto const start = std::chrono::steady_clock::now();
    std::int64_t const cpu_before_ns = costs_of_this_process().cpu_ns;
    sim::World world(plan, company.choices == nullptr ? nullptr : company.choices->oracle());
    if (company.choices != nullptr)
        company.choices->speak_of(world);
    for (sim::Observer* const observer : company.observers)
        world.watch(*observer);
    if (company.critical_path)
        world.keep_dependencies();
    if (company.progress) {
        world.on_progress([&status](sim::Progress const& progress) {
            if (status.due())
                status.show(progress_text(progress));
        });
    }
    Played played;
    played.outcome = world.run();
    if (company.critical_path)
        played.path = world.critical_path();
    played.costs.wall_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
    ProcessCosts const costs = costs_of_this_process();
    played.costs.cpu_ns = costs.cpu_ns - cpu_before_ns;
    played.costs.peak_rss_bytes = costs.peak_rss_bytes;
    return played;
}

/// Runs the plan once more and compares. Returns what to print and whether both were equal.
std::pair<std::string, bool> compare_with_another_run(sim::WorldPlan const& plan, sim::Outcome const& outcome) {
    sim::Outcome const again = play(plan).outcome;
    if (again.digest == outcome.digest)
        return {fmt::format("deterministic: a second run has the same digest over {} steps\n", outcome.steps), true};
    std::string text = fmt::format("NOT deterministic: a second run has digest {}\n", to_text(again.digest));
    sim::WorldMaker const make = [&plan] { return std::make_unique<sim::World>(plan); };
    if (auto const difference = sim::first_difference(make, make))
        text += fmt::format("  first difference in step {}\n  one run:     {}\n  another run: {}\n", difference->step,
                            difference->first, difference->second);
    else
        text += "  watched runs do not differ step by step: look at what happens between the steps\n";
    return {text, false};
}

/// The article's own scenario is there to be followed by eye.
bool wants_rounds(SimOptions const& options, sim::WorldPlan const& plan) {
    return options.rounds || (options.choice.scenario == "article-4" && options.format == SimFormat::text &&
                              plan.nranks <= sim::kMostRoundRanks);
}

sim::WorldPlan checked_plan(SimOptions const& options) {
    if (options.choice.scenario.empty())
        throw UsageError("SCENARIO is missing: a name of `ronde sim --list`, or a file such as ./mine.toml");
    sim::WorldPlan plan = options.choice.plan();
    if (auto const why = sim::contradiction_in(plan); !why.empty())
        throw UsageError(fmt::format("{}: {}", options.choice.scenario, why));
    if (options.rounds && plan.nranks > sim::kMostRoundRanks)
        throw UsageError(fmt::format("--rounds: {} ranks do not fit on a page; expected at most {}", plan.nranks,
                                     sim::kMostRoundRanks));
    if (options.choose && options.check_determinism)
        throw UsageError(
            "--check-determinism: the second run of --choose would ask again; keep the choices with --tape "
            "FILE, and compare with ronde replay FILE");
    // Whoever watches a world makes it play every frame. A tape is for a world that is not watched, and has to ask for
    // the same choices; nor is a person to be asked twice when a ring that was computed has to be played after all. A
    // second run that is to be compared is not watched either, and what lies in a folder is to have one digest.
    bool const watched = !options.trace.empty() || wants_rounds(options, plan);
    bool const traced = !options.out.empty() && is_worth_a_trace(plan);
    if (options.choose || traced || (watched && (!options.tape.empty() || options.check_determinism)))
        plan.fast_forward = false;
    return plan;
}

std::string json_of(SimOptions const& options, Played const& played) {
    return outcome_json(played.outcome, played.costs, options.critical_path ? &played.path : nullptr);
}

std::string rendered(SimOptions const& options, sim::WorldPlan const& plan, Played const& played,
                     sim::RoundTable const* rounds, std::string const& picture) {
    switch (options.format) {
    case SimFormat::json: return with_picture(json_of(options, played), picture);
    case SimFormat::csv: return sim::outcome_csv_head() + outcome_csv_row(played.outcome, played.costs);
    case SimFormat::text: break;
    }
    return outcome_text(played.outcome, played.costs) + critical_path_text(played.path, plan) +
           (rounds == nullptr ? std::string() : "\n" + rounds->text());
}

/// The trace of one run, if it was asked for.
class TraceOutput {
public:
    TraceOutput(std::string const& path, sim::WorldPlan const& plan) {
        if (path.empty())
            return;
        file_.emplace(path);
        if (!file_->error().empty())
            throw LauncherError("--trace " + file_->error());
        lines_.emplace(*file_, plan);
    }
    void join(Company& company) {
        if (!lines_)
            return;
        company.observers.push_back(&*lines_);
        company.choices->trace_into(*lines_);
    }
    void finish() {
        if (!lines_)
            return;
        lines_->finish();
        if (!file_->commit())
            throw LauncherError("--trace " + file_->error());
    }

private:
    std::optional<sim::AtomicFile> file_;
    std::optional<sim::TraceWriter> lines_;
};

/// "root-dies: failed: of 64 ranks 64 ended with an error (...)", as the report begins.
std::string headline_of(sim::WorldPlan const& plan, sim::Outcome const& outcome) {
    std::string const text = outcome_text(outcome, {});
    return fmt::format("{}: {}", plan.name, text.substr(0, text.find('\n')));
}

/// Fills the folder of this run. Returns the picture that shows a failure best.
std::string keep_run(SimOptions const& options, RunFolder& folder, PlayedWorld const& world, Played const& played) {
    KeptWorld const kept = keep_world(folder, world);
    // A ring that was computed in one of the two and played in the other leaves no steps to compare.
    bool const comparable = kept.outcome.skipped_frames == played.outcome.skipped_frames;
    if (comparable && kept.outcome.digest != played.outcome.digest)
        throw LauncherError(fmt::format("--out: NOT deterministic: played for {} the run has digest {}; see ronde sim "
                                        "--check-determinism",
                                        folder.path(), to_text(kept.outcome.digest)));
    folder.put("results.json",
               without_costs(json_of(options, played), {"wall_s", "cpu_s", "events_per_s", "peak_rss_bytes"}),
               "the report of --format json, without what the run cost here");
    folder.finish(headline_of(world.plan, played.outcome),
                  kept.traced ? "ronde replay trace.txt" : "ronde sim scenario.toml");
    return kept.picture;
}

/// Whatever a run leaves beside its report. Returns the path of the picture of a failure.
std::string leave_behind(SimOptions const& options, RunFolder* folder, PlayedWorld const& world, Played const& played) {
    bool const wanted = !stands(played.outcome) && options.pictures.granted();
    if (folder != nullptr) {
        std::string const picture = keep_run(options, *folder, world, played);
        if (wanted)
            tell_picture(picture);
        return wanted ? picture : "";
    }
    if (!wanted)
        return {};
    // Equal runs have equal pictures, so one of the same name may be replaced.
    return leave_picture([&] { return picture_of_failure(chronicle_of(world)); },
                         [&] {
                             return temporary_stem(
                                 fmt::format("{}-{}", world.plan.name, to_text(played.outcome.digest).substr(0, 8)));
                         });
}

Exit simulate(SimOptions const& options) {
    sim::WorldPlan const plan = checked_plan(options);
    if (options.print) {
        deliver(write_scenario(plan), options.report);
        return Exit::ok;
    }
    auto const folder = folder_for(options.out, plan.name);
    SimChoices choices(plan, options.choose, options.tape);
    Company company{
        .observers = {}, .choices = &choices, .critical_path = options.critical_path, .progress = !options.choose};
    std::optional<sim::RoundTable> rounds;
    if (wants_rounds(options, plan)) {
        rounds.emplace(plan);
        company.observers.push_back(&*rounds);
    }
    TraceOutput trace(options.trace, plan);
    trace.join(company);
    Played const played = play(plan, company);
    trace.finish();
    choices.finish(played.outcome);
    PlayedWorld const world{
        .plan = plan, .choices = choices.by_hand(), .rerun = options.choice.command(), .verdict = {}};
    bool const text = options.format == SimFormat::text;
    if (text) {  // at once, and the rest when it is there
        deliver(rendered(options, plan, played, rounds ? &*rounds : nullptr, {}), options.report);
        std::fflush(stdout);
        fmt::print(stderr, "{}", causes_text(causes_of(played.outcome)));
    }
    std::string picture;
    Keeping keeping;
    keeping.attempt([&] { picture = leave_behind(options, folder.get(), world, played); });
    if (!text)
        deliver(rendered(options, plan, played, nullptr, picture), options.report);
    keeping.tell();
    bool good = stands(played.outcome);
    if (options.check_determinism) {
        auto const [words, equal] = compare_with_another_run(plan, played.outcome);
        fmt::print(stderr, "{}", words);
        good = good && equal;
    }
    return good ? Exit::ok : Exit::failed;
}

Exit list_scenarios() {
    for (sim::Shipped const& shipped : sim::shipped_scenarios())
        fmt::print("{:<26}{}\n", shipped.name, shipped.title());
    return Exit::ok;
}

}  // namespace

void register_sim(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<SimOptions>();
    CLI::App* const command =
        app.add_subcommand("sim", "Play a scenario in the pretend world: any number of ranks, one seed, one outcome");
    command->footer("Examples: ronde sim --list; ronde sim storm-32k --ranks 4096 --set root_host.somaxconn=128;\n"
                    "ronde sim storm-4k --print > mine.toml; ronde sim ./mine.toml --seed 7");
    add_scenario_options(*command, options->choice);
    std::string const look = "Look closer";
    command
        ->add_option_function<std::string>(
            "--format",
            [options](std::string const& name) {
                auto const format = parse_format(name, {"text", "json", "csv"});
                options->format = static_cast<SimFormat>(format);
            },
            "text, json or csv (text)")
        ->type_name("NAME")
        ->group(look);
    command->add_option("-o", options->report, "Put the report into FILE, in one step")->type_name("FILE")->group(look);
    command->add_option("--trace", options->trace, "Write a line for each step of each machine, for ronde replay")
        ->type_name("FILE")
        ->group(look);
    command->add_option("--tape", options->tape, "Write every choice of the run, for ronde replay")
        ->type_name("FILE")
        ->group(look);
    command->add_flag("--choose", options->choose, "Make the choices yourself: asks on standard error")->group(look);
    command->add_flag("--rounds", options->rounds, "Who tells whom what, round by round (up to 32 ranks)")->group(look);
    command
        ->add_flag("--critical-path", options->critical_path,
                   "What the last rank's time was spent on, and how late the others could have been")
        ->group(look);
    command
        ->add_flag("--check-determinism", options->check_determinism,
                   "Run twice and compare; names the first step that differs")
        ->group(look);
    add_folder_option(*command, options->out);
    add_picture_wish(*command, options->pictures);
    std::string const about = "About scenarios";
    command->add_flag("--list", options->list, "Scenarios that come with the program")->group(about);
    command->add_flag("--schema", options->schema, "Every key of a scenario")->group(about);
    command->add_flag("--print", options->print, "Print the scenario with its changes as TOML, and do not run it")
        ->group(about);
    command->callback([options, &outcome] {
        if (options->list)
            outcome = list_scenarios();
        else if (options->schema)
            deliver(sim::schema_text(), options->report);
        else
            outcome = simulate(*options);
    });
}

}  // namespace ronde::cli
