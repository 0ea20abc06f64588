/// Whatever a pretend world leaves to chance, it asks an Oracle. Chance, replay, exhaustive search, adversarial search,
/// a property-based test and a person at a terminal are implementations of one function:
///
///   SeededOracle       seeded_oracle.hpp       chance: a pure function of the seed and the name of the draw
///   TapeOracle         tape_oracle.hpp         records what another one chose; replays it
///   ExhaustiveOracle   exhaustive_oracle.hpp   all combinations, one run after the other
///   PctOracle          pct_oracle.hpp          schedules that find a bug of depth d with a known probability
///   InteractiveOracle  interactive_oracle.hpp  asks a person
///   FunctionOracle     function_oracle.hpp     asks a function, for example one that draws from rapidcheck
///
/// An oracle belongs to one world and one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ronde::sim {

/// What is being chosen. The names are part of the tape format: add, but never rename.
enum class Choice : std::uint8_t {
    order,      ///< which of the events that could come next does
    delay,      ///< how long a packet travels
    loss,       ///< whether a packet is lost
    arrival,    ///< when a process starts
    straggler,  ///< whether a process comes late, and by how much
    service,    ///< how long a process or its kernel works on something
    chunk,      ///< how many bytes of a stream pass at once
    fault,      ///< whether and when a fault strikes
    victim,     ///< whom it strikes
    stranger,   ///< what somebody without business here does
    port,       ///< which ephemeral port a connection gets
    seed,       ///< a seed that is handed to a machine
    nonce,      ///< bytes of a nonce, an incarnation or a secret
    other,      ///< anything that a test has to choose for itself
};
inline constexpr std::uint32_t kChoices = 14;

[[nodiscard]] std::string_view name_of(Choice kind) noexcept;
/// Nothing if no kind has this name.
[[nodiscard]] std::optional<Choice> choice_named(std::string_view name) noexcept;

class Oracle {
public:
    virtual ~Oracle();

    /// One of 0 .. n-1; n >= 1 (checked). A choice among one is none: it returns 0 and is not recorded. `key` names
    /// the draw within its kind, for example `rank << 32 | step`: an oracle may answer by the name alone, so that one
    /// more draw somewhere changes no other draw.
    virtual std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) = 0;

    /// The same choice among candidates that have lasting names: `actors[i]` is who would act if i were picked. A
    /// scheduler that remembers actors (PctOracle) overrides this; for the others it is pick(kind, key, size). Worlds
    /// ask this way for Choice::order, and also when there is but one candidate.
    virtual std::uint32_t pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors);

protected:
    Oracle() = default;
    Oracle(Oracle const&) = default;
    Oracle& operator=(Oracle const&) = default;
};

/// 64 uniform bits as two choices among 2^32 - 1 would not be uniform: three of 22, 21 and 21 bits, with keys `key`,
/// `key + 1` and `key + 2`.
[[nodiscard]] std::uint64_t pick_bits(Oracle& oracle, Choice kind, std::uint64_t key);

}  // namespace ronde::sim
