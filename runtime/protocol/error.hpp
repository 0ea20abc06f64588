/// Errors are values: what went wrong, in which phase, about which rank, and what to do [clause 6].
#pragma once

#include "protocol/units.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ronde::protocol {

/// The closed list of ways a bootstrap or an operation can end badly. docs/protocol.md section 6 has
/// one paragraph for each. Numbers are on the wire and never change.
enum class Code : std::uint8_t {
    ok = 0,
    deadline = 1,             ///< the overall deadline passed; `about` is whom this rank waited for, if one
    ranks_missing = 2,        ///< never checked in: the ranges in the detail, `about` the first of them
    rank_lost = 3,            ///< `about` died or left without a word
    root_lost = 4,            ///< the root died, or nobody answers where it was
    root_silent = 5,          ///< the root's port is open, but nothing answers there
    duplicate_rank = 6,       ///< two processes say they are `about`; expected/got: their process ids
    mismatch = 7,             ///< `about` says `got` for `field`, `other` said `expected`
    duplicate_device = 8,     ///< `about` and `other` claim one device of one host
    id_consumed = 9,          ///< this id's ring already stood; an id serves one job
    peer_unreachable = 10,    ///< no connection to `about`: see failure
    protocol_violation = 11,  ///< an authenticated `about` sent what no healthy rank sends
    aborted = 12,             ///< `about` called abort
    local_failure = 13,       ///< `about` could not go on by itself: descriptors, ports, memory, permission
    peer_closed = 14,         ///< `about` closed its communicator while others still needed it
    bad_argument = 15,        ///< the caller's own numbers do not fit
};
inline constexpr std::uint32_t kCodeCount = 16;

/// What two ranks disagree on.
enum class Field : std::uint8_t { none, nranks, roots, profile, version, root_index, rank, operation };

/// 40 plain bytes, the same on the wire [clause 2.8].
struct Error {
    Code code = Code::ok;
    Phase phase = Phase::created;  ///< of the rank that noticed (`reporter`)
    Failure failure = Failure::none;
    Field field = Field::none;
    std::int32_t os_error = 0;  ///< errno where one exists, for the message only
    RankId about = kNoRank;
    RankId other = kNoRank;
    RankId reporter = kNoRank;      ///< who noticed first; kNoRank: the root
    std::uint32_t about_phase = 0;  ///< a Phase: where `about` was last known to be
    std::uint64_t expected = 0;
    std::uint64_t got = 0;

    [[nodiscard]] constexpr bool is_ok() const { return code == Code::ok; }
    friend constexpr bool operator==(Error const&, Error const&) = default;
};
static_assert(sizeof(Error) == 40 && std::has_unique_object_representations_v<Error>);
inline constexpr std::uint32_t kErrorBytes = 40;

/// first..last, both included.
struct RankRange {
    RankId first = 0;
    RankId last = 0;
    friend constexpr bool operator==(RankRange, RankRange) = default;
};
/// Ranges that a verdict carries at most; `more` says how many further ranks there are.
inline constexpr std::uint32_t kMaxRanges = 16;

/// An error with the list that does not fit into it. What a verdict frame carries.
struct Verdict {
    Error error;
    std::uint32_t range_count = 0;  ///< valid elements of `ranges`
    std::uint32_t more_ranks = 0;   ///< missing ranks beyond the listed ranges
    RankRange ranges[kMaxRanges] = {};
};
inline constexpr std::uint32_t kVerdictBytes = kErrorBytes + 8 + kMaxRanges * 8;

void encode_verdict(Verdict const& verdict, std::span<std::byte> out) noexcept;
/// `in.size() == kVerdictBytes`. Out-of-range enumerators become protocol_violation; counts are clamped.
[[nodiscard]] Verdict decode_verdict(std::span<const std::byte> in) noexcept;

/// "0, 3-4, 4000-4007 and 12 more".
[[nodiscard]] std::string describe_ranges(Verdict const& verdict);
/// One line: phase, cause, ranks. No trailing period, no remedy.
[[nodiscard]] std::string describe(Verdict const& verdict);
/// One line that says what to do about it.
[[nodiscard]] std::string_view remedy_for(Error const& error) noexcept;

[[nodiscard]] std::string_view name_of(Code code) noexcept;
[[nodiscard]] std::string_view name_of(Field field) noexcept;

}  // namespace ronde::protocol
