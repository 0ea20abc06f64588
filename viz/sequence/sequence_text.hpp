/// The sequence diagram as text for other programs to draw. They know order, not time: times are written beside.
#pragma once

#include "sequence/scene.hpp"

#include <string>

namespace ronde::viz {

/// A `sequenceDiagram` of Mermaid.
[[nodiscard]] std::string sequence_mermaid(SequenceScene const& scene);
/// Input of mscgen.
[[nodiscard]] std::string sequence_mscgen(SequenceScene const& scene);

}  // namespace ronde::viz
