#include "mutants/trials_of.hpp"
#include "prove/prove.hpp"

#include <fmt/format.h>

#include <vector>

namespace ronde::mutants {
namespace {

using protocol::Gather;
using protocol::Profile;

struct Trial {
    std::string name;
    prove::ProveSettings settings;
};

std::vector<Trial> trials_up_to(std::uint32_t most_ranks) {
    std::vector<Trial> trials;
    auto const add = [&](std::string const& name, std::uint32_t nroots, Profile profile, Gather gather) {
        prove::ProveSettings settings;
        settings.from_ranks = nroots;
        settings.to_ranks = most_ranks;
        settings.nroots = nroots;
        settings.policies = protocol::policies_of(profile);
        if (gather != Gather::automatic)
            settings.policies.gather = gather;
        trials.push_back({fmt::format("{} to {} ranks, {}", nroots, most_ranks, name), settings});
    };
    add("star", 1, Profile::ronde, Gather::star);
    add("doubling", 1, Profile::ronde, Gather::doubling);
    add("ring", 1, Profile::ronde, Gather::ring);
    add("ring both ways", 1, Profile::ronde, Gather::ring2);
    add("profile article", 1, Profile::article, Gather::automatic);
    add("profile nccl", 1, Profile::nccl, Gather::automatic);
    add("two roots", 2, Profile::ronde, Gather::automatic);
    return trials;
}

}  // namespace

std::optional<Kill> put_through_neighbours(bool fast, Note note, void* context) {
    for (Trial const& trial : trials_up_to(fast ? 4 : 8)) {
        note(trial.settings.to_ranks, trial.name, context);
        prove::Proof const proof = prove::prove(trial.settings);
        if (proof.answer == prove::ProofAnswer::broken)
            return Kill{"promise", proof.broken_ranks, trial.name, proof.broken};
    }
    return std::nullopt;
}

}  // namespace ronde::mutants
