/// The keys of a scenario, as data: one table from which files are read and written, misspelt keys are corrected,
/// command-line overrides are taken, and the reference is printed.
#pragma once

#include "scenario/values.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ronde::sim {

/// One key. `index` names the element of a repeated section and is 0 elsewhere.
struct Key {
    std::string_view name;
    std::string type;       ///< "duration", "one of star, ring …": what a value looks like
    std::string_view help;  ///< one line; units are those of the value's text
    /// The value as text; empty: not set (the key is then left out of a file).
    std::function<std::string(WorldPlan const&, std::size_t index)> text_of;
    /// Takes a text as the value. An error of one line, without the key's name, or an empty text.
    std::function<std::string(WorldPlan&, std::size_t index, std::string_view text)> take;
};

/// A table of a file, `[network]`, or each element of an array of tables, `[[fault]]`.
struct Section {
    std::string_view name;  ///< empty: the keys at the top
    std::string_view help;
    bool repeated = false;
    std::vector<Key> keys;
    std::vector<std::string_view> required;  ///< repeated: keys that every element has
    /// Repeated: how many elements a plan has, and a fresh one behind them.
    std::function<std::size_t(WorldPlan const&)> count;
    std::function<void(WorldPlan&)> append;
    /// Repeated: why the keys of an element do not go together, or an empty text.
    std::function<std::string(WorldPlan const&, std::size_t index, std::span<std::string_view const> given)> check;
};

/// All sections, in the order in which they are read and written: a later one may build on an earlier one.
[[nodiscard]] std::span<Section const> schema();
[[nodiscard]] Section const* section_named(std::string_view name);
[[nodiscard]] Key const* key_named(Section const& section, std::string_view name);
/// "[network] same_rack", or "seed" for a key at the top.
[[nodiscard]] std::string full_name(Section const& section, std::string_view key);

/// What a kind of fault does, and what its `duration` and `amount` mean; empty: it has none.
struct FaultShape {
    FaultKind kind;
    std::string_view help;
    std::string_view duration;
    std::string_view amount;
};
[[nodiscard]] std::span<FaultShape const> fault_shapes();

/// The reference for people: for a terminal, and as the tables of docs/simulation.md.
[[nodiscard]] std::string schema_text();
[[nodiscard]] std::string schema_markdown();

}  // namespace ronde::sim
