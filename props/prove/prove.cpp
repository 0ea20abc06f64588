#include "prove/prove.hpp"

#include "protocol/partition.hpp"
#include "prove/root_word.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>

namespace ronde::prove {
namespace {

/// One size: who is looked at, and what is concluded.
class Size {
public:
    Size(ProveSettings const& settings, std::uint32_t nranks)
        : settings_(settings), shape_{nranks, settings.nroots,
                                      protocol::resolve(settings.policies, nranks, settings.nroots)},
          partition_{nranks, settings.nroots}, all_(conversations_of(shape_)), by_node_(shape_.nodes()) {
        size_.nranks = nranks;
    }

    bool run() {
        for (protocol::RankId const rank : ranks_to_see()) {
            ++size_.ranks_explored;
            if (!look_at(rank, size_.rank_states) || !is_alike(rank))
                return false;
        }
        for (std::uint32_t root = 0; root < shape_.nroots; ++root) {
            if (!look_at_root(root))
                return false;
        }
        for (protocol::RankId rank = 0; rank < shape_.nranks; ++rank) {
            if (by_node_[rank] == nullptr)
                by_node_[rank] = alike_.at(kind_of(rank));
        }
        Circle const circle = close_circle(shape_, all_, by_node_);
        size_.steps = circle.steps;
        size_.longest_chain = circle.longest_chain;
        broken_ = circle.broken;
        return broken_.empty();
    }
    [[nodiscard]] SizeProof const& size() const { return size_; }
    [[nodiscard]] std::string const& broken() const { return broken_; }
    [[nodiscard]] std::vector<std::string> const& story() const { return story_; }

private:
    /// Ranks of one kind have the same conversations but for the numbers.
    [[nodiscard]] bool kind_of(protocol::RankId rank) const { return partition_.is_boundary(rank); }

    /// Of a large job the first, the last, some in between, and those at the edges of blocks.
    [[nodiscard]] std::vector<protocol::RankId> ranks_to_see() const {
        std::vector<protocol::RankId> ranks;
        std::uint32_t const nranks = shape_.nranks;
        for (protocol::RankId rank = 0; rank < nranks; ++rank) {
            bool const edge = partition_.is_boundary(rank) || partition_.is_boundary((rank + 1U) % nranks);
            bool const few = rank <= 1 || rank + 1U == nranks || rank == nranks / 2U || edge;
            if (nranks <= settings_.every_rank || few)
                ranks.push_back(rank);
        }
        return ranks;
    }

    bool look_at(Node node, std::uint64_t& states) {
        CutSettings cut;
        cut.greet_at_once = shape_.is_root(node)
                                ? partition_.expected_check_ins(node - shape_.nranks) > settings_.every_root_order
                                : shape_.nranks > settings_.every_order;
        Findings& findings = findings_.emplace_back(explore_node(shape_, all_, node, cut));
        states += findings.states;
        size_.moves += findings.moves;
        by_node_[node] = &findings;
        broken_ = findings.broken;
        story_ = findings.story;
        return broken_.empty();
    }

    /// What one rank needs, all of its kind need: only the numbers differ. That is what lets a few stand for all.
    bool is_alike(protocol::RankId rank) {
        Findings const* const here = by_node_[rank];
        Findings const* const first = alike_.emplace(kind_of(rank), here).first->second;
        if (first->to_say != here->to_say || first->to_hear != here->to_hear || first->to_be_ready != here->to_be_ready)
            broken_ = fmt::format("rank {} does not need what rank {} needs, so no rank can stand for another", rank,
                                  first->node);
        return broken_.empty();
    }

    bool look_at_root(std::uint32_t root) {
        Node const node = shape_.root_node(root);
        std::optional<Findings> word = word_of_root(shape_, all_, root);
        std::uint32_t const most = word ? settings_.root_check_ins : settings_.calling_root_check_ins;
        bool const small = partition_.expected_check_ins(root) <= most;
        if (!small && !word) {
            broken_ = fmt::format("{} has {} check-ins and calls back: up to {} can be looked at", shape_.name_of(node),
                                  partition_.expected_check_ins(root), most);
            return false;
        }
        if (!small) {
            by_node_[node] = &findings_.emplace_back(std::move(*word));
            return true;
        }
        if (!look_at(node, size_.root_states))
            return false;
        Findings const& seen = *by_node_[node];
        if (word && (word->to_say != seen.to_say || word->to_hear != seen.to_hear))
            broken_ = fmt::format("{} needs something else than its word says, by which larger ones are taken",
                                  shape_.name_of(node));
        return broken_.empty();
    }

    ProveSettings const& settings_;
    Shape shape_;
    protocol::Partition partition_;
    std::vector<Conversation> all_;
    std::deque<Findings> findings_;  ///< stay where they are
    std::vector<Findings const*> by_node_;
    std::map<bool, Findings const*> alike_;
    SizeProof size_;
    std::string broken_;
    std::vector<std::string> story_;
};

}  // namespace

std::string contradiction_in(ProveSettings const& settings) {
    if (settings.from_ranks == 0 || settings.from_ranks > settings.to_ranks)
        return "a range of ranks goes up, from 1 on";
    if (settings.nroots == 0 || settings.nroots > settings.from_ranks)
        return fmt::format("{} ranks cannot have {} roots", settings.from_ranks, settings.nroots);
    for (std::uint32_t nranks = settings.from_ranks; nranks <= settings.to_ranks; ++nranks) {
        auto const policies = protocol::resolve(settings.policies, nranks, settings.nroots);
        if (auto const why = protocol::contradiction_in(policies, nranks, settings.nroots); !why.empty())
            return std::string(why);
    }
    return {};
}

Proof prove(ProveSettings const& settings, std::function<void(std::uint32_t)> const& progress) {
    Proof proof;
    proof.settings = settings;
    for (std::uint32_t nranks = settings.from_ranks; nranks <= settings.to_ranks; ++nranks) {
        if (progress)
            progress(nranks);
        Size size(settings, nranks);
        if (size.run()) {
            proof.sizes.push_back(size.size());
            continue;
        }
        proof.answer = ProofAnswer::broken;
        proof.broken_ranks = nranks;
        proof.broken = size.broken();
        proof.story = size.story();
        break;
    }
    return proof;
}

}  // namespace ronde::prove
