/// The least that any program must do here: N processes connect to one, each says 64 bytes, and when all have spoken
/// each is told all N * 64 bytes. No protocol, no proof, no ring, no errors: a floor to measure against.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>

namespace ronde::bench {

/// Nanoseconds from "all processes exist" until the last of them holds everything.
[[nodiscard]] tl::expected<std::int64_t, std::string> bare_star_ns(std::uint32_t ranks);

}  // namespace ronde::bench
