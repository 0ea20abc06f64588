/// Every run there is.
#pragma once

#include "engine/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ronde::sim {

/// Goes through all combinations of choices like an odometer whose wheels appear as they are asked for. The world must
/// be a function of its choices, and is built anew for each run:
///
///   ExhaustiveOracle oracle;
///   do { run(oracle); } while (oracle.next());
///
/// The last choice turns fastest, so that successive runs share their beginnings.
class ExhaustiveOracle final : public Oracle {
public:
    /// Choices behind the `most_choices`-th of a run are 0, and cut() tells that there were such.
    explicit ExhaustiveOracle(std::size_t most_choices = std::numeric_limits<std::size_t>::max());
    /// Explores the kinds in `explored` alone; `rest`, which must outlive this oracle and answer by name (as
    /// SeededOracle does), answers the others.
    ExhaustiveOracle(std::span<const Choice> explored, Oracle& rest,
                     std::size_t most_choices = std::numeric_limits<std::size_t>::max());

    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;

    /// Prepares the next combination; false when all have been run. A run that asked other questions than its
    /// predecessor at the same place is no function of its choices (checked in pick).
    bool next();

    /// Combinations run or begun, the present one included.
    [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
    /// Choices of the present run so far.
    [[nodiscard]] std::size_t depth() const noexcept { return position_; }
    /// Some run had more choices than were explored.
    [[nodiscard]] bool cut() const noexcept { return cut_; }

private:
    struct Wheel {
        Choice kind;
        std::uint32_t n;
        std::uint32_t value;
    };
    std::vector<Wheel> wheels_;
    std::size_t position_ = 0;
    std::size_t most_choices_;
    std::uint64_t runs_ = 1;
    std::uint32_t explored_ = ~0U;  ///< bit per kind
    Oracle* rest_ = nullptr;
    bool cut_ = false;
};

}  // namespace ronde::sim
