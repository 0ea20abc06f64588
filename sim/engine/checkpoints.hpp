/// Where two runs part.
///
/// A run notes its digest at every step of a grid. When the notes are full, every second one is dropped and the grid
/// becomes twice as wide: a run of any length leaves `capacity` notes at most, evenly spread. Since a running digest
/// never becomes equal again, the first difference of two runs is found by bisection, and lies between two
/// neighbouring notes. To get from there to one step, run both again and note only between these two:
///
///   auto found = first_divergence(a, b);                          // [equal_at, differs_at]
///   Checkpoints finer = Checkpoints::between(found->equal_at, found->differs_at);
///
/// Each round is narrower by a factor of capacity / 2, so 10^9 steps take three rounds with 1024 notes.
/// locate_divergence does all rounds.
#pragma once

#include "engine/digest.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace ronde::sim {

/// The two runs are equal up to and including step `equal_at` (0: nothing is known to be equal), and differ after
/// step `differs_at`: the first differing step is one of equal_at+1 .. differs_at. A run that ends where the other
/// goes on differs from it in the step after its last.
struct Divergence {
    std::uint64_t equal_at = 0;
    std::uint64_t differs_at = 0;
    friend bool operator==(Divergence const&, Divergence const&) = default;
};

class Checkpoints {
public:
    struct Note {
        std::uint64_t step = 0;
        Digest128 digest;
        friend bool operator==(Note const&, Note const&) = default;
    };

    /// capacity >= 2 (checked): notes that are kept, 24 bytes each.
    explicit Checkpoints(std::size_t capacity = 1024);
    /// Notes steps equal_at+1 .. differs_at alone, on the finest grid that fits into `capacity`, and differs_at.
    [[nodiscard]] static Checkpoints between(std::uint64_t equal_at, std::uint64_t differs_at,
                                             std::size_t capacity = 1024);

    /// After step `step` (1, 2, 3, ... without a gap) of a run whose digest is `digest`. Cheap unless it is noted.
    void after(std::uint64_t step, RunningDigest const& digest) {
        last_step_ = step;
        if (step == next_)
            note(digest);
    }
    /// The run is over: its last step is noted, on the grid or not.
    void finish(RunningDigest const& digest);

    /// Ascending by step.
    [[nodiscard]] std::vector<Note> const& notes() const noexcept { return notes_; }
    /// What finish was told.
    [[nodiscard]] std::optional<Note> const& last() const noexcept { return last_; }
    /// Steps between two notes at present: a power of two.
    [[nodiscard]] std::uint64_t spacing() const noexcept { return spacing_; }

    friend std::optional<Divergence> first_divergence(Checkpoints const& a, Checkpoints const& b);

private:
    static constexpr std::uint64_t kNoStep = std::numeric_limits<std::uint64_t>::max();

    void note(RunningDigest const& digest);

    std::vector<Note> notes_;
    std::optional<Note> last_;
    std::size_t capacity_;
    std::uint64_t first_ = 0;      ///< the grid is first_ + i * spacing_, i >= 1
    std::uint64_t end_ = kNoStep;  ///< no note behind this step
    std::uint64_t spacing_ = 1;
    std::uint64_t next_ = 1;
    std::uint64_t last_step_ = 0;
};

/// Nothing if the runs are equal as far as both were noted. O(log notes). Both must cover the same part of their
/// runs (checked).
[[nodiscard]] std::optional<Divergence> first_divergence(Checkpoints const& a, Checkpoints const& b);

/// Runs a world from its beginning to its end with these checkpoints, and gives them back.
using CheckpointedRun = std::function<Checkpoints(Checkpoints)>;

/// The first step that differs, by as many rounds of both runs as it takes; nothing if the runs are equal.
[[nodiscard]] std::optional<std::uint64_t> locate_divergence(CheckpointedRun const& a, CheckpointedRun const& b,
                                                             std::size_t capacity = 1024);

}  // namespace ronde::sim
