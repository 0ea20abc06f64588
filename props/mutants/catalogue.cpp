#include "mutants/catalogue.hpp"

#include "mutants/rank_mutants.hpp"
#include "mutants/root_mutants.hpp"

#include <array>

namespace ronde::mutants {

std::span<Mutant const> catalogue() noexcept {
    static constexpr auto kAll = [] {
        std::array<Mutant, kRankMutants.size() + kRootMutants.size()> all{};
        std::size_t at = 0;
        for (Mutant const& mutant : kRankMutants)
            all[at++] = mutant;
        for (Mutant const& mutant : kRootMutants)
            all[at++] = mutant;
        return all;
    }();
    return kAll;
}

}  // namespace ronde::mutants
