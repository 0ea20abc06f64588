/// The kill matrix: which mutant dies of what.
#pragma once

#include "mutants/catalogue.hpp"
#include "mutants/trials.hpp"
#include "protocol/units.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace ronde::mutants {

struct MatrixSettings {
    bool fast = false;               ///< the smaller trials, each mutant a few seconds at most
    std::vector<std::string> names;  ///< only these; empty: all
    /// Only these; empty: all, or when it must be fast all but the sockets, over which a mutant may take as long as the
    /// deadline of its job.
    std::vector<Layer> layers;
};

/// What one layer did to one mutant.
struct Cell {
    bool ran = false;
    std::optional<Kill> kill;
    protocol::TimeNs elapsed_ns = 0;  ///< wall time
};

struct Row {
    std::string name;  ///< "(none)": the machine as it is
    Mutant const* mutant = nullptr;
    bool lost = false;                       ///< its place in the code is gone
    std::array<Cell, kLayers.size()> cells;  ///< by Layer

    [[nodiscard]] bool killed() const;
    /// Whether each layer that killed it did so by a property that the catalogue names, because a neighbour was not
    /// told what it was promised, or because a recording shows another state.
    [[nodiscard]] bool as_expected() const;
};

struct Matrix {
    std::vector<Row> rows;  ///< the first one is the machine as it is
    protocol::TimeNs elapsed_ns = 0;
    /// The machine stands, every mutant dies, and of what the catalogue says.
    [[nodiscard]] bool good() const;
    /// Without the machine as it is; how many of them died.
    [[nodiscard]] std::uint32_t mutants() const;
    [[nodiscard]] std::uint32_t killed() const;
};

/// Runs every layer on every mutant, each in a process of its own: some of them never end, some stop their process.
/// `progress` is told of each row when it is done. Throws std::runtime_error if no process or no
/// recording can be made.
[[nodiscard]] Matrix run_matrix(MatrixSettings const& settings, std::function<void(Row const&)> const& progress = {});

[[nodiscard]] std::string matrix_text(Matrix const& matrix);
[[nodiscard]] std::string matrix_json(Matrix const& matrix);

}  // namespace ronde::mutants
