/// Chronicles of pretended worlds, however they are described.
#include "check/script.hpp"
#include "chronicle/sources.hpp"
#include "chronicle/world_chronicler.hpp"
#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "report/replay.hpp"
#include "report/trace_file.hpp"
#include "scenario/scenario.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace ronde::viz {
namespace {

using PlanMade = tl::expected<sim::WorldPlan, std::string>;

/// The plan of a run that this ronde repeats to the last step. Any other picture would show what has never happened.
PlanMade plan_of_same_run(tl::expected<sim::WorldReplay, std::string> const& replay, std::string const& path,
                          std::string_view toml) {
    if (!replay)
        return tl::unexpected(replay.error());
    if (!replay->same)
        return tl::unexpected(fmt::format("{}; ronde replay shows both sides; draw it with the ronde that wrote it",
                                          replay->text.substr(0, replay->text.find('\n'))));
    return sim::read_scenario(toml, path + " (its plan)");
}

/// The choices of a tape, and behind it those of the seed or the first ones.
Chronicle played(sim::WorldPlan const& plan, sim::Tape const& tape, sim::Oracle* then) {
    sim::TapeOracle oracle = sim::TapeOracle::replay(tape, then);
    return chronicle_of_plan(plan, &oracle);
}

}  // namespace

Chronicle chronicle_of_plan(sim::WorldPlan const& plan, sim::Oracle* oracle) {
    sim::World world(plan, oracle);
    WorldChronicler chronicler(world);
    Chronicle chronicle = chronicler.finish(world.run());
    chronicle.source = fmt::format("{}, seed {}", plan.name, plan.seed);
    return chronicle;
}

Made chronicle_of_scenario(std::string const& name_or_path) {
    auto const script = props::load_script(name_or_path);
    if (!script)
        return tl::unexpected(script.error());
    Chronicle chronicle = script->tape ? played(script->plan, *script->tape, nullptr) : chronicle_of_plan(script->plan);
    chronicle.source = fmt::format("scenario {}, seed {}{}", name_or_path, script->plan.seed,
                                   script->tape ? ", choices of its tape" : "");
    chronicle.rerun = (script->tape ? "ronde check " : "ronde sim ") + name_or_path;
    return chronicle;
}

Made chronicle_of_trace(std::string const& path) {
    auto const file = sim::TraceFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    auto const plan = plan_of_same_run(sim::replay_trace(path), path, file->plan());
    if (!plan)
        return tl::unexpected(plan.error());
    sim::SeededOracle seeded(plan->seed);
    Chronicle chronicle = file->choices().empty() ? chronicle_of_plan(*plan)
                                                  : played(*plan, sim::Tape{plan->seed, {}, file->choices()}, &seeded);
    chronicle.source =
        fmt::format("trace {} of {}, seed {}", std::filesystem::path(path).filename().string(), plan->name, plan->seed);
    chronicle.rerun = "ronde replay " + path;
    return chronicle;
}

Made chronicle_of_tape(std::string const& path) {
    auto const tape = sim::load_tape(path);
    if (!tape)
        return tl::unexpected(tape.error());
    auto const plan = plan_of_same_run(sim::replay_tape(path), path, tape->plan);
    if (!plan)
        return tl::unexpected(plan.error());
    sim::SeededOracle seeded(plan->seed);
    Chronicle chronicle = played(*plan, *tape, &seeded);
    chronicle.source =
        fmt::format("tape {} of {}, seed {}", std::filesystem::path(path).filename().string(), plan->name, plan->seed);
    chronicle.rerun = "ronde replay " + path;
    return chronicle;
}

}  // namespace ronde::viz
