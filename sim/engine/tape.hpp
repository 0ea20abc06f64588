/// The tape: every choice of a run, in the order in which they were made. With the plan it is the run.
///
/// The file is text, one choice a line, so that two tapes can be compared and a person can change a choice:
///
///   ronde-tape 1
///   plan-seed 42
///   note 8 ranks, one late
///   plan name = "late"             what the world is made of, line by line
///   plan ranks = 8
///   delay 4096 17 0x200000003      kind, n, picked, key
///   loss 2 0 0x200000003
///   outcome 55e1... of a0b3...     the digest of the run, and that of the plan and the choices which led to it
///   end 2
///
/// All but the first line and the last may be missing. Lines that begin with # and empty lines are ignored. `end` and
/// the number of choices are the last line: a file that was cut off does not pass for a shorter run. A tape that a
/// person has changed is known by its `outcome`, which no longer belongs to its choices.
#pragma once

#include "engine/digest.hpp"
#include "engine/oracle.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {

struct TapeEntry {
    Choice kind = Choice::other;
    std::uint32_t n = 2;       ///< at least 2
    std::uint32_t picked = 0;  ///< below n
    std::uint64_t key = 0;     ///< which draw it was; for people, a replay does not compare it
    friend bool operator==(TapeEntry const&, TapeEntry const&) = default;
};

/// What came of the choices.
struct TapeOutcome {
    Digest128 run;      ///< of all steps
    Digest128 choices;  ///< choices_digest of the tape as it was recorded
    friend bool operator==(TapeOutcome const&, TapeOutcome const&) = default;
};

struct Tape {
    std::uint64_t seed = 0;  ///< of the plan that it belongs to
    std::string note;        ///< one line for people
    std::vector<TapeEntry> entries;
    std::string plan = {};  ///< lines, each with its end of line; what they mean is up to whoever makes the world
    std::optional<TapeOutcome> outcome = std::nullopt;
    friend bool operator==(Tape const&, Tape const&) = default;
};

/// Of the seed, the plan and all choices.
[[nodiscard]] Digest128 choices_digest(Tape const& tape);

/// "delay 4096 17 0x200000003", without an end of line.
[[nodiscard]] std::string to_text(TapeEntry const& entry);
/// Errors are about the line alone: "picked 17 is not below n = 2".
[[nodiscard]] tl::expected<TapeEntry, std::string> tape_entry_from(std::string_view line);
/// Each line of `plan` behind "plan ".
[[nodiscard]] std::string plan_lines(std::string_view plan);

[[nodiscard]] std::string to_text(Tape const& tape);
/// Errors name the line: "line 4: picked 17 is not below n = 2".
[[nodiscard]] tl::expected<Tape, std::string> tape_from(std::string_view text);

/// Written beside `path` and renamed, so that the file is there whole or not at all. Errors name the path.
[[nodiscard]] tl::expected<void, std::string> save_tape(Tape const& tape, std::string const& path);
[[nodiscard]] tl::expected<Tape, std::string> load_tape(std::string const& path);

}  // namespace ronde::sim
