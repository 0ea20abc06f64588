/// Records choices, and makes them again.
#pragma once

#include "engine/tape.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ronde::sim {

/// Either way, `tape()` is what was chosen so far in this run: recording, replaying a changed tape and going on beyond
/// its end leave a tape that fits the run they were part of.
class TapeOracle final : public Oracle {
public:
    /// Where a replayed tape stopped fitting.
    struct Misfit {
        std::size_t entry = 0;  ///< index into the replayed tape
        TapeEntry taped;
        Choice asked = Choice::other;
        std::uint64_t asked_key = 0;
        std::uint32_t asked_n = 0;
        /// "choice 17: the tape has delay of 4096 (key 0x...), the run asks for loss of 2 (key 0x...)"
        [[nodiscard]] std::string text() const;
    };

    /// Asks `source`, which must outlive this oracle, and records.
    [[nodiscard]] static TapeOracle record(Oracle& source);
    /// Chooses as `tape` says while kind and n fit. Behind its end, and for good from the first misfit on, it asks
    /// `then` (which must outlive this oracle) or chooses 0.
    [[nodiscard]] static TapeOracle replay(Tape tape, Oracle* then = nullptr);

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;
    /// Replays by position; while it asks another oracle, that one learns the actors.
    std::uint32_t pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) override;

    [[nodiscard]] Tape const& tape() const noexcept { return made_; }
    [[nodiscard]] std::optional<Misfit> const& misfit() const noexcept { return misfit_; }
    /// Choices that were taken from the replayed tape.
    [[nodiscard]] std::size_t replayed() const noexcept { return next_; }
    /// The whole tape was replayed; a run that ends before is another run.
    [[nodiscard]] bool used_up() const noexcept { return next_ == given_.entries.size(); }

private:
    TapeOracle(Tape given, Oracle* source);
    [[nodiscard]] std::optional<std::uint32_t> from_tape(Choice kind, std::uint64_t key, std::uint32_t n);
    std::uint32_t keep(Choice kind, std::uint64_t key, std::uint32_t n, std::uint32_t picked);

    Tape given_;
    Tape made_;
    Oracle* source_;
    std::size_t next_ = 0;
    std::optional<Misfit> misfit_;
};

}  // namespace ronde::sim
