/// Which fault is awake. Only in the machine that `ronde-mutants` is linked with.
#pragma once

#include <cstdint>
#include <string_view>

namespace ronde::mutants {

/// 0: none, the machine as it is shipped; otherwise the mutant's place in the catalogue plus one. Set once per process,
/// before the first step.
extern std::uint32_t active_mutant;

/// Whether a mutant of the catalogue has lost its place in the code.
[[nodiscard]] bool is_lost(std::string_view name);

}  // namespace ronde::mutants
