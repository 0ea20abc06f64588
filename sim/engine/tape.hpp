/// The tape: every choice of a run, in the order in which they were made. With the plan it is the run.
///
/// The file is text, one choice a line, so that two tapes can be compared and a person can change a choice:
///
///   ronde-tape 1
///   plan-seed 42
///   note 8 ranks, one late
///   delay 4096 17 0x200000003      kind, n, picked, key
///   loss 2 0 0x200000003
///   end 2
///
/// `plan-seed` and `note` may be missing. Lines that begin with # and empty lines are ignored. `end` and the number of
/// choices are the last line: a file that was cut off does not pass for a shorter run.
#pragma once

#include "engine/oracle.hpp"

#include <tl/expected.hpp>

#include <cstdint>
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

struct Tape {
    std::uint64_t seed = 0;  ///< of the plan that it belongs to
    std::string note;        ///< one line for people
    std::vector<TapeEntry> entries;
    friend bool operator==(Tape const&, Tape const&) = default;
};

[[nodiscard]] std::string to_text(Tape const& tape);
/// Errors name the line: "line 4: picked 17 is not below n = 2".
[[nodiscard]] tl::expected<Tape, std::string> tape_from(std::string_view text);

/// Written beside `path` and renamed, so that the file is there whole or not at all. Errors name the path.
[[nodiscard]] tl::expected<void, std::string> save_tape(Tape const& tape, std::string const& path);
[[nodiscard]] tl::expected<Tape, std::string> load_tape(std::string const& path);

}  // namespace ronde::sim
