/// `ronde prove`: the ring for any number of ranks, from one process at a time.
///
/// For each size: real machines among promises (prove/cut.hpp), then who waits for whom all around (prove/circle.hpp).
/// What that shows and what it leaves out stands in docs/checking.md. Pure: the same settings give the same answer.
#pragma once

#include "prove/circle.hpp"

#include <functional>
#include <optional>

namespace ronde::prove {

/// Conversations of a whole job are held in memory; a ring's have N * N frames.
inline constexpr std::uint32_t kMostRanks = 4096;

struct ProveSettings {
    std::uint32_t from_ranks = 2;
    std::uint32_t to_ranks = 64;
    std::uint32_t nroots = 1;
    protocol::Policies policies;         ///< `automatic` choices are resolved for each size
    std::uint32_t every_rank = 16;       ///< jobs up to this size have all of their ranks looked at; larger ones a few
    std::uint32_t every_order = 8;       ///< up to this size greetings at a rank may interleave
    std::uint32_t every_root_order = 4;  ///< ... and those of so many check-ins at a root
    std::uint32_t root_check_ins = 8;    ///< roots with more are taken at their word, which smaller ones keep
    std::uint32_t calling_root_check_ins = 12;  ///< ... and those that call back have no word: more are not looked at
};

/// Why this makes no sense; empty: it does.
[[nodiscard]] std::string contradiction_in(ProveSettings const& settings);

struct SizeProof {
    std::uint32_t nranks = 0;
    std::uint32_t ranks_explored = 0;
    std::uint64_t rank_states = 0;  ///< of all explored ranks
    std::uint64_t root_states = 0;  ///< of all explored roots; 0: taken at their word
    std::uint64_t moves = 0;
    std::uint64_t steps = 0;          ///< of the circle
    std::uint32_t longest_chain = 0;  ///< one-way latencies
};

enum class ProofAnswer : std::uint8_t { holds, broken };

struct Proof {
    ProveSettings settings;
    ProofAnswer answer = ProofAnswer::holds;
    std::vector<SizeProof> sizes;  ///< those that hold
    std::uint32_t broken_ranks = 0;
    std::string broken;
    std::vector<std::string> story;
};

/// Settings must not contradict themselves. `progress` is called before each size.
[[nodiscard]] Proof prove(ProveSettings const& settings,
                          std::function<void(std::uint32_t nranks)> const& progress = {});

[[nodiscard]] std::string proof_text(Proof const& proof);
[[nodiscard]] std::string proof_json(Proof const& proof);

}  // namespace ronde::prove
