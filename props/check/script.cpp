#include "check/script.hpp"

#include "engine/seeded_oracle.hpp"
#include "engine/tape_oracle.hpp"
#include "observe/twin_runs.hpp"
#include "scenario/atomic_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ronde::props {
namespace {

/// An oracle for a script: its tape, or the plan's own seed where there is none.
class ScriptOracle {
public:
    explicit ScriptOracle(Script const& script)
        : seeded_(script.plan.seed),
          taped_(script.tape ? sim::TapeOracle::replay(*script.tape) : sim::TapeOracle::record(seeded_)) {}
    [[nodiscard]] sim::TapeOracle& oracle() { return taped_; }

private:
    sim::SeededOracle seeded_;
    sim::TapeOracle taped_;
};

}  // namespace

std::optional<Violation> Judged::violation_of(PropertyId property) const {
    for (auto const* const list : {&violations, &expected}) {
        auto const found = std::find_if(list->begin(), list->end(),
                                        [&](Violation const& violation) { return violation.property == property; });
        if (found != list->end())
            return *found;
    }
    return std::nullopt;
}

Judged judge(Script const& script, JudgeOptions const& options) {
    Judged judged;
    ScriptOracle choices(script);
    sim::World world(script.plan, &choices.oracle());
    Watch watch(world, PropertySet::all());
    watch.finish(world.run());
    judged.outcome = watch.outcome();
    if (options.keep_tape)
        judged.tape = choices.oracle().tape();
    std::vector<Violation> all = watch.violations();
    auto const add = [&](std::optional<Violation> violation) {
        if (violation)
            all.push_back(std::move(*violation));
    };
    if (options.twins) {
        ScriptOracle again(script);
        add(same_again(script.plan, again.oracle(), judged.outcome));
        add(any_schedule(script.plan, script.plan.seed + 1U));
        add(both_lanes(script.plan));
        add(strangers_delay_nobody(script.plan, judged.outcome));
    }
    PropertySet const expected = expected_of(judged.outcome.policies, judged.outcome.nroots);
    for (Violation& violation : all)
        (expected.has(violation.property) ? judged.expected : judged.violations).push_back(std::move(violation));
    return judged;
}

std::string tape_path_of(std::string const& script_path) {
    return std::filesystem::path(script_path).replace_extension(".tape").string();
}

std::string save_script(Script const& script, std::vector<std::string> const& remarks, std::string const& path) {
    std::error_code failed;
    if (auto const folder = std::filesystem::path(path).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, failed);
    if (failed)
        return fmt::format("{}: cannot make its folder: {}", path, failed.message());
    // The tape first: a scenario without its tape would be another world.
    if (script.tape) {
        if (auto const saved = sim::save_tape(*script.tape, tape_path_of(path)); !saved)
            return saved.error();
    } else {
        std::filesystem::remove(tape_path_of(path), failed);
    }
    std::string text;
    for (std::string const& remark : remarks)
        text += "# " + remark + "\n";
    return sim::write_file(path, text + sim::write_scenario(script.plan));
}

sim::Read<Script> load_script(std::string const& path) {
    auto plan = sim::load_scenario(path);
    if (!plan)
        return tl::unexpected(plan.error());
    if (auto const why = contradiction_in(*plan); !why.empty())
        return tl::unexpected(fmt::format("{}: {}", path, why));
    Script script{std::move(*plan), std::nullopt};
    if (std::filesystem::exists(tape_path_of(path))) {
        auto tape = sim::load_tape(tape_path_of(path));
        if (!tape)
            return tl::unexpected(tape.error());
        script.tape = std::move(*tape);
    }
    return script;
}

std::vector<std::string> scripts_in(std::string const& folder) {
    std::vector<std::string> paths;
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".toml")
            paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace ronde::props
