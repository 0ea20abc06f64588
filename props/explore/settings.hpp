/// What an exploration is asked: which worlds, which faults, in which order, and when to give up.
#pragma once

#include "explore/properties.hpp"
#include "protocol/policy.hpp"
#include "protocol/units.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ronde::explore {

using protocol::RankId;
using protocol::TimeNs;

/// Sizes of an explored world. States are fixed-size bytes, and their number grows too fast for more.
inline constexpr std::uint32_t kMostRanks = 8;
inline constexpr std::uint32_t kMostRoots = 4;
inline constexpr std::uint32_t kMostProcesses = kMostRanks + 1;  ///< one may be there twice
inline constexpr std::uint32_t kMostFaults = 3;

enum class FaultKind : std::uint8_t {
    crash,        ///< a process dies; its connections end after what it had sent
    crash_reset,  ///< likewise, but its connections are reset: what was not yet read is lost
    drop,         ///< one attempt of a rank to connect is never answered
    reset,        ///< one connection that a rank made is reset by something in between
    stranger,     ///< somebody who has no business here connects to a listener
    timeout,      ///< the next timer of a machine is due although messages are still on their way; time passes for all
    haste,        ///< likewise, but its clock alone runs ahead: for all others no time passes
};
inline constexpr std::uint32_t kFaultKinds = 7;

/// What a stranger says. `claim`: a hello with fitting numbers, a proof without the secret, a first frame; then it
/// leaves.
enum class StrangerSays : std::uint8_t { nothing, garbage, claim };

/// One thing that may go wrong once: whom it befalls is part of it. Six bytes that compare as they print.
struct Fault {
    FaultKind kind = FaultKind::crash;
    std::uint8_t node = 0;                                       ///< processes first, then roots
    protocol::LinkClass link_class = protocol::LinkClass::none;  ///< reset: root, previous_root, callback or chord_out
    std::uint8_t link_index = 0;                                 ///< reset: the chord
    StrangerSays says = StrangerSays::nothing;
    std::uint8_t reserved = 0;
    friend constexpr bool operator==(Fault const&, Fault const&) = default;
    friend constexpr auto operator<=>(Fault const&, Fault const&) = default;
};

enum class Order : std::uint8_t {
    breadth_first,  ///< shortest counterexamples
    depth_first,    ///< reaches ends soon, needs little memory besides the fingerprints
};

/// Which moves are left out because others that come first lead to the same (docs/checking.md).
enum class Reduction : std::uint8_t {
    none,
    processes,  ///< all moves of one process are enough when nothing else can come to it first
    parts,      ///< likewise one move that touches nothing of its process but a door or a call of its own
    links,      ///< likewise any move on a connection, while nobody has a reason to fail
    automatic,  ///< by processes while the job is small, then by parts: see reduction_of
};

/// Which worlds stand for others (docs/checking.md).
enum class Symmetry : std::uint8_t {
    none,
    rotations,  ///< one of those that are the same but for who is rank 0, if the machines prove to treat all ranks
                ///< alike
    automatic,  ///< rotations where they save much: see symmetry_of
};

/// Where moves sleep, in a search breadth first, whose other order was looked at before (docs/checking.md).
enum class Sleep : std::uint8_t { never, with_reduction, always };

struct ExploreSettings {
    std::uint32_t nranks = 3;  ///< 1 .. kMostRanks
    std::uint32_t nroots = 1;  ///< 1 .. min(nranks, kMostRoots)
    protocol::Policies policies;
    std::uint32_t faults = 0;                        ///< how many may happen in one run, 0 .. kMostFaults
    std::uint32_t kinds = (1U << kFaultKinds) - 1U;  ///< bit per FaultKind that may happen
    std::vector<Fault> given;                        ///< not empty: exactly these may happen, and `faults` is ignored
    std::optional<RankId> twin;                      ///< a second process claims this rank
    bool twin_late = false;  ///< ... and begins when the rank has its successor and its predecessor has the rank
    std::optional<std::pair<RankId, RankId>> same_device;
    /// This rank was told another number of ranks. Then the root was told none: the first check-in fixes it.
    std::optional<std::pair<RankId, std::uint32_t>> told;
    bool narrow = false;  ///< no buffer holds a slice: who waits until it is sent waits until it is read

    std::optional<Property> only;  ///< nothing else is looked for; what else breaks a rule in a step leads nowhere
    Order order = Order::breadth_first;
    bool exact = false;  ///< keep whole states instead of fingerprints
    Reduction reduction = Reduction::automatic;
    Symmetry symmetry = Symmetry::automatic;
    Sleep sleep = Sleep::with_reduction;
    bool keep_outcomes = false;
    std::uint64_t limit_states = 200'000'000;          ///< visited in one search, all of which are in memory
    std::uint64_t limit_all_states = 10'000'000'000U;  ///< ... in all searches
    std::uint32_t limit_depth = 100'000;
    TimeNs budget_ns = protocol::kNever;  ///< wall time
    std::uint32_t jobs = 1;               ///< searches at once, each a thread
};

/// Why such a world cannot be explored, in one line, or an empty text.
[[nodiscard]] std::string contradiction_in(ExploreSettings const& settings);

/// The reduction that such an exploration makes, never automatic. Parts are a property of the machines, processes are
/// not: whatever fits without leaning on the machines does without.
[[nodiscard]] Reduction reduction_of(ExploreSettings const& settings) noexcept;

/// The symmetry that such an exploration uses unless it proves wrong, never automatic.
[[nodiscard]] Symmetry symmetry_of(ExploreSettings const& settings) noexcept;

[[nodiscard]] std::string_view name_of(Reduction reduction) noexcept;
[[nodiscard]] std::string_view name_of(Symmetry symmetry) noexcept;
[[nodiscard]] std::string_view name_of(FaultKind kind) noexcept;
[[nodiscard]] std::string_view name_of(StrangerSays says) noexcept;

/// "crash:2", "crash-reset:root0", "drop:1", "reset:1@chord0", "stranger:root0=claim", "timeout:2". The second process
/// of a rank is "twin".
[[nodiscard]] std::string text_of(Fault const& fault, ExploreSettings const& settings);
/// Inverse of text_of; errors say what was given and what is expected.
[[nodiscard]] tl::expected<Fault, std::string> fault_from(std::string_view text, ExploreSettings const& settings);

/// Everything that may go wrong once in such a world, in a fixed order.
[[nodiscard]] std::vector<Fault> possible_faults(ExploreSettings const& settings);

}  // namespace ronde::explore
