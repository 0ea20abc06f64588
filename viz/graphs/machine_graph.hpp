/// The state diagram of a machine, from its transition table: a DOT graph for `dot`.
#pragma once

#include <cstdint>
#include <string>

namespace ronde::viz {

enum class MachineKind : std::uint8_t { rank, root };

/// Phases in the looks of all pictures; each edge carries the events that may take it. Ways into `failed` are thin and
/// without words: nearly everything can lead there. Ends with a newline.
[[nodiscard]] std::string machine_graph(MachineKind kind);

}  // namespace ronde::viz
