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
    ScriptOracle(Script const& script, bool keeps_tape) : seeded_(script.plan.seed) {
        if (script.tape)
            taped_.emplace(sim::TapeOracle::replay(*script.tape));
        else if (keeps_tape)
            taped_.emplace(sim::TapeOracle::record(seeded_));
    }
    ScriptOracle(ScriptOracle const&) = delete;  // what records has to be where it was made
    ScriptOracle& operator=(ScriptOracle const&) = delete;
    [[nodiscard]] sim::Oracle& oracle() { return taped_ ? static_cast<sim::Oracle&>(*taped_) : seeded_; }
    /// Only of one that keeps it, or that has one.
    [[nodiscard]] sim::Tape const& tape() const { return taped_->tape(); }

private:
    sim::SeededOracle seeded_;
    std::optional<sim::TapeOracle> taped_;
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
    JudgeRoom room;
    return judge(script, options, room);
}

Judged judge(Script const& script, JudgeOptions const& options, JudgeRoom& room) {
    Judged judged;
    ScriptOracle choices(script, options.keep_tape);
    room.world.begin(script.plan, &choices.oracle());
    room.watch.watch(room.world);
    room.watch.play();
    judged.outcome = room.watch.outcome();
    if (options.keep_tape)
        judged.tape = choices.tape();
    std::vector<Violation> all = room.watch.violations();
    auto const add = [&](std::optional<Violation> violation) {
        if (violation)
            all.push_back(std::move(*violation));
    };
    if (options.twins) {
        ScriptOracle again(script, false);
        add(same_again(script.plan, again.oracle(), judged.outcome, room.twin));
        add(any_schedule(script.plan, script.plan.seed + 1U, room.twin));
        add(both_lanes(script.plan, room.twin));
        add(strangers_delay_nobody(script.plan, judged.outcome, room.twin));
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
