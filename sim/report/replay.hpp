/// Plays a run of a pretend world once more, from what `ronde sim` has written of it, and compares.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <string_view>

namespace ronde::sim {

struct WorldReplay {
    bool same = false;
    std::string text;  ///< for people: one line, or the first difference from both sides; ends with a newline
};

/// What begins like this is a tape or a trace.
inline constexpr std::string_view kTapeMark = "ronde-tape ";
inline constexpr std::string_view kTraceMark = "ronde-trace ";

/// Makes the world of the trace at `path` and compares each of its lines; stops at the first that differs. The error
/// says in one line why there is nothing to compare: a file that cannot be read, is cut off or damaged, or a plan that
/// this ronde does not understand.
[[nodiscard]] tl::expected<WorldReplay, std::string> replay_trace(std::string const& path);

/// Makes the world of the tape at `path` with the choices of the tape. As it was recorded, the run must ask for exactly
/// these choices and end with the same digest. A tape that somebody has changed since is played as far as it fits, and
/// then on with the choices of its plan's seed; what comes of it is told, and nothing is a difference.
[[nodiscard]] tl::expected<WorldReplay, std::string> replay_tape(std::string const& path);

}  // namespace ronde::sim
