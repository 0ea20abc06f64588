/// The sequence diagram as SVG: lifelines, phases as bands, messages as arrows, the critical path in bold.
#pragma once

#include "sequence/scene.hpp"
#include "svg/svg.hpp"

#include <string>

namespace ronde::viz {

/// A whole document, or a part of a page, without heading. Equal scenes give equal bytes.
[[nodiscard]] std::string sequence_svg(SequenceScene const& scene, Embedding where = {});

}  // namespace ronde::viz
