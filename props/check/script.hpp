/// A failure that can be played again: a scenario, and beside it the tape of its choices if the scenario's own seed did
/// not make them.
#pragma once

#include "engine/tape.hpp"
#include "observe/watch.hpp"
#include "scenario/scenario.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ronde::props {

struct Script {
    sim::WorldPlan plan;
    std::optional<sim::Tape> tape;
};

/// What one run of it shows.
struct Judged {
    std::vector<Violation> violations;  ///< those that the policies are not expected to break
    std::vector<Violation> expected;
    sim::Outcome outcome;
    sim::Tape tape;  ///< choices that were made; only if they were asked for

    /// Its first violation, expected or not.
    [[nodiscard]] std::optional<Violation> violation_of(PropertyId property) const;
};

struct JudgeOptions {
    bool twins = true;       ///< with the properties that need several runs
    bool keep_tape = false;  ///< Judged::tape is wanted
};

/// Where scripts are played one after the other, in the same memory. Belongs to one thread.
struct JudgeRoom {
    sim::World world;
    sim::World twin;
    Watch watch{PropertySet::all()};
};

/// Plays a script under all properties. Choices behind the end of its tape are the first ones.
[[nodiscard]] Judged judge(Script const& script, JudgeOptions const& options = {});
[[nodiscard]] Judged judge(Script const& script, JudgeOptions const& options, JudgeRoom& room);

/// "failures/s1-1-42.toml" and, with a tape, "failures/s1-1-42.tape": each is written beside its place and renamed.
/// `remarks` become comments at the top. An error of one line, or an empty text.
[[nodiscard]] std::string save_script(Script const& script, std::vector<std::string> const& remarks,
                                      std::string const& path);
/// The scenario at `path`, and the tape beside it if there is one.
[[nodiscard]] sim::Read<Script> load_script(std::string const& path);
/// Where the tape of a script lies.
[[nodiscard]] std::string tape_path_of(std::string const& script_path);
/// All scripts of a folder, sorted. A folder that does not exist has none.
[[nodiscard]] std::vector<std::string> scripts_in(std::string const& folder);

}  // namespace ronde::props
