/// Runs that pages are made of.
#pragma once

#include "chronicle/chronicle.hpp"

#include <string>

namespace ronde::viz::pages {

/// A scenario that comes with the program.
[[nodiscard]] Chronicle of_scenario(std::string const& name);
/// The same as TOML, with lines of one's own before it.
[[nodiscard]] Chronicle of_text(std::string const& toml);
/// Profile ronde, no faults.
[[nodiscard]] Chronicle of_ranks(std::uint32_t nranks);
/// Rank 3 of eight is ended while the ring is being connected: the others name it.
[[nodiscard]] Chronicle of_a_death();
/// In everything that a stranger may have named, there is a script.
[[nodiscard]] Chronicle of_a_hostile_name();
inline constexpr char kHostile[] =
    "</title></script></style><img src=x onerror=\"window.taken=1\"><script>window.taken=1</script>";

}  // namespace ronde::viz::pages
