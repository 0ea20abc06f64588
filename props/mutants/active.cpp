#include "mutants/active.hpp"

namespace ronde::mutants {

std::uint32_t active_mutant = 0;

}  // namespace ronde::mutants
