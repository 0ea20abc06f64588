/// The sequence diagram as SVG: lifelines, phases as bands, messages as arrows, the critical path in bold.
#pragma once

#include "sequence/scene.hpp"

#include <string>

namespace ronde::viz {

/// A whole document. Equal scenes give equal bytes.
[[nodiscard]] std::string sequence_svg(SequenceScene const& scene);

}  // namespace ronde::viz
