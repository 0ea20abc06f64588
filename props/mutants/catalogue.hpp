/// The mutants: named faults of the machine. Each is a place in runtime/protocol, what stands there instead, and what
/// has to notice.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ronde::mutants {

/// How the changed text takes its place.
enum class Change : std::uint8_t {
    expression,  ///< (active ? mutated : original)
    statement,   ///< if (active) { mutated } else { original }
    insertion,   ///< if (active) { mutated } original
};

struct Mutant {
    std::string_view name;
    std::string_view file;  ///< in runtime/protocol
    Change change = Change::expression;
    std::string_view original;  ///< stands there exactly once
    std::string_view mutated;
    std::string_view what;  ///< a sentence
    std::string_view
        killed_by;  ///< properties, any of which may be the first to notice: "S1 L1"; empty: it is run by name only
};

/// Mutant i is active number i + 1.
[[nodiscard]] std::span<Mutant const> catalogue() noexcept;

}  // namespace ronde::mutants
