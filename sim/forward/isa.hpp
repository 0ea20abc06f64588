/// From an instruction set to its kernel.
#pragma once

#include "forward/ring_forward.hpp"
#include "forward/tile.hpp"

namespace ronde::sim {

/// The kernel of `isa`, which has_isa(); automatic: of the widest there is.
[[nodiscard]] Kernel<std::uint32_t> kernel_of(Isa isa);

}  // namespace ronde::sim
