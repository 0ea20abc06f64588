#include "prove/prove.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ronde::prove {
namespace {

std::string ranks_of(Proof const& proof) {
    ProveSettings const& asked = proof.settings;
    if (asked.from_ranks == asked.to_ranks)
        return fmt::format("{} ranks", asked.to_ranks);
    return fmt::format("{} to {} ranks", asked.from_ranks, asked.to_ranks);
}

/// Sizes of which a line is shown: the first ones, powers of two and their neighbours, and the last.
bool is_shown(Proof const& proof, std::size_t i) {
    std::uint32_t const nranks = proof.sizes[i].nranks;
    bool const round = (nranks & (nranks - 1U)) == 0 || (nranks & (nranks - 2U)) == 0;
    return proof.sizes.size() <= 8 || i + 1 == proof.sizes.size() || nranks <= 4 || round;
}

}  // namespace

std::string proof_text(Proof const& proof) {
    std::string text;
    if (!proof.sizes.empty())
        text += fmt::format("{:>7}  {:>14}  {:>11}  {:>11}  {:>10}  {:>13}\n", "ranks", "ranks seen", "rank states",
                            "root states", "steps", "longest chain");
    for (std::size_t i = 0; i < proof.sizes.size(); ++i) {
        SizeProof const& size = proof.sizes[i];
        if (!is_shown(proof, i))
            continue;
        std::string const seen = size.ranks_explored == size.nranks ? "all" : std::to_string(size.ranks_explored);
        std::string const root = size.root_states > 0 ? std::to_string(size.root_states) : "its word";
        text += fmt::format("{:>7}  {:>14}  {:>11}  {:>11}  {:>10}  {:>13}\n", size.nranks, seen, size.rank_states,
                            root, size.steps, size.longest_chain);
    }
    if (proof.answer == ProofAnswer::holds) {
        bool const commits = proof.settings.policies.commit != protocol::Commit::none;
        text += fmt::format("holds for {}: all are ready with the whole table [S1 L1]{}, every wait has an end [L2]\n",
                            ranks_of(proof), commits ? ", nobody before everybody can be [S3]" : "");
        return text;
    }
    text += fmt::format("not shown for {} ranks: {}\n", proof.broken_ranks, proof.broken);
    for (std::string const& line : proof.story)
        text += fmt::format("  {}\n", line);
    return text;
}

std::string proof_json(Proof const& proof) {
    using Json = nlohmann::ordered_json;
    Json sizes = Json::array();
    for (SizeProof const& size : proof.sizes) {
        sizes.push_back({{"ranks", size.nranks},
                         {"ranks_explored", size.ranks_explored},
                         {"rank_states", size.rank_states},
                         {"root_states", size.root_states},
                         {"transitions", size.moves},
                         {"steps", size.steps},
                         {"longest_chain", size.longest_chain}});
    }
    bool const holds = proof.answer == ProofAnswer::holds;
    Json json{{"verdict", holds ? "holds" : "not shown"}, {"profile", name_of(proof.settings.policies.profile)},
              {"from_ranks", proof.settings.from_ranks},  {"to_ranks", proof.settings.to_ranks},
              {"roots", proof.settings.nroots},           {"sizes", std::move(sizes)}};
    if (!holds) {
        json["broken_ranks"] = proof.broken_ranks;
        json["broken"] = proof.broken;
        json["story"] = proof.story;
    }
    return json.dump(2) + "\n";
}

}  // namespace ronde::prove
