/// Makes a failure small: fewer ranks, fewer faults, fewer choices, simpler numbers, and the same property violated.
#pragma once

#include "check/script.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ronde::props {

struct ShrinkOptions {
    std::int64_t budget_ns = 60'000'000'000;  ///< of the wall clock
    std::uint64_t most_runs = 100'000;
};

/// The first step after which the violation was certain, as far as a few continuations can tell.
struct CriticalStep {
    std::uint64_t step = 0;           ///< of a machine; 0: the plan alone decides, whatever is chosen
    std::size_t choices = 0;          ///< that were made up to there
    std::uint32_t continuations = 0;  ///< with other seeds from there on; all of them violate the property
};

struct Shrunk {
    Script script;
    Violation violation;      ///< of the small script
    std::uint64_t runs = 0;   ///< worlds that were played
    std::uint64_t steps = 0;  ///< changes that were kept
    bool finished = false;    ///< no single change makes it smaller; false: time or runs were used up
};

/// What is wrong with a script; nothing: nothing.
using Failing = std::function<std::optional<Violation>(Script const&)>;

/// `script` fails (checked). Every change with which it still fails is kept, until there is none.
[[nodiscard]] Shrunk shrink(Script script, Failing const& failing, ShrinkOptions const& options = {});
/// The same, with a property that it violates.
[[nodiscard]] Shrunk shrink(Script script, PropertyId property, ShrinkOptions const& options = {});

/// Looks for it by bisection over the choices of the script's run, with `continuations` other seeds for each prefix.
[[nodiscard]] CriticalStep critical_step(Script const& script, PropertyId property, std::uint32_t continuations = 16);

/// A GoogleTest file that plays the script and demands the property. `test_name` is an identifier.
[[nodiscard]] std::string test_file(Script const& script, Violation const& violation, std::string const& test_name);

/// "4 ranks, 1 root, 2 faults, 17 choices"
[[nodiscard]] std::string size_text(Script const& script);

}  // namespace ronde::props
