/// For every size that is tried, the real machines keep their promises, and nobody waits in a circle.
#include "jobs.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ronde::prove {
namespace {

using protocol::Gather;
using protocol::Profile;

Proof proof_of(std::uint32_t from, std::uint32_t to, Gather gather, std::uint32_t nroots = 1,
               Profile profile = Profile::ronde) {
    ProveSettings settings;
    settings.from_ranks = from;
    settings.to_ranks = to;
    settings.nroots = nroots;
    settings.policies = protocol::policies_of(profile);
    if (gather != Gather::automatic)
        settings.policies.gather = gather;
    EXPECT_EQ(contradiction_in(settings), "");
    return prove(settings);
}

std::uint32_t chain_of(Proof const& proof, std::uint32_t nranks) {
    for (SizeProof const& size : proof.sizes) {
        if (size.nranks == nranks)
            return size.longest_chain;
    }
    return 0;
}

TEST(Holds, AStarOfAnySizeTakesTheSameChainOfMessages) {
    Proof const proof = proof_of(2, 40, Gather::star);
    EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
    ASSERT_EQ(proof.sizes.size(), 39U);
    // Hello, challenge, check-in, table; hello, challenge, proof of a hand; done, commit, the end.
    for (SizeProof const& size : proof.sizes)
        EXPECT_EQ(size.longest_chain, 10U) << size.nranks;
}

TEST(Holds, AStarsRankDoesNotKnowHowManyThereAre) {
    Proof const proof = proof_of(17, 40, Gather::star);
    for (SizeProof const& size : proof.sizes)
        EXPECT_EQ(size.rank_states, 13U * size.ranks_explored) << size.nranks;
}

TEST(Holds, DoublingTakesARoundMoreForTwiceAsMany) {
    std::uint32_t const most = tests::kSanitized ? 8 : 16;
    Proof const proof = proof_of(2, most + 1, Gather::doubling);
    EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
    // A round is hello, challenge, proof and a window, and a token of the barrier.
    for (std::uint32_t nranks = 8; nranks <= most; nranks *= 2)
        EXPECT_EQ(chain_of(proof, nranks) - chain_of(proof, nranks / 2), 5U) << nranks;
    EXPECT_EQ(chain_of(proof, most + 1),
              chain_of(proof, most) + 4U);  // the table needs no further round, the barrier does
}

TEST(Holds, ARingTakesAMessageMoreForEachRank) {
    std::uint32_t const most = tests::kSanitized ? 10 : 14;
    Proof const proof = proof_of(8, most, Gather::ring);
    EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
    for (std::uint32_t nranks = 9; nranks <= most; ++nranks) {
        std::uint32_t const barrier = nranks == 9 ? 4U : 0U;  // 2^3 + 1: it takes one more chord
        EXPECT_EQ(chain_of(proof, nranks), chain_of(proof, nranks - 1) + 1U + barrier) << nranks;
    }
}

TEST(Holds, BothWaysAroundTooAndWithSeveralRoots) {
    for (Proof const& proof : {proof_of(2, 12, Gather::ring2), proof_of(2, 12, Gather::automatic, 2),
                               proof_of(3, 13, Gather::automatic, 3), proof_of(3, 9, Gather::ring, 3)})
        EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
}

TEST(Holds, TheProfilesOfOldAreReadyWhenNothingGoesWrong) {
    for (Proof const& proof :
         {proof_of(1, 8, Gather::automatic, 1, Profile::article), proof_of(1, 8, Gather::automatic, 1, Profile::nccl),
          proof_of(2, 8, Gather::automatic, 2, Profile::nccl)})
        EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
}

TEST(Holds, LargeJobsAreSeenThroughAFewRanks) {
    Proof const proof = proof_of(1000, 1000, Gather::star);
    EXPECT_EQ(proof.answer, ProofAnswer::holds) << proof_text(proof);
    EXPECT_EQ(proof.sizes.at(0).ranks_explored, 4U);
    EXPECT_EQ(proof.sizes.at(0).root_states, 0U);
    EXPECT_NE(proof_text(proof).find("its word"), std::string::npos);
}

TEST(Holds, WhatItSaysForPrograms) {
    auto const json = nlohmann::json::parse(proof_json(proof_of(3, 4, Gather::star)));
    EXPECT_EQ(json["verdict"], "holds");
    EXPECT_EQ(json["sizes"].size(), 2U);
    EXPECT_EQ(json["sizes"][0]["ranks"], 3);
    EXPECT_EQ(json["sizes"][0]["longest_chain"], 10);
    EXPECT_GT(json["sizes"][0]["root_states"].get<int>(), 400);
}

TEST(Holds, NonsenseIsTold) {
    ProveSettings settings;
    settings.from_ranks = 9;
    settings.to_ranks = 3;
    EXPECT_NE(contradiction_in(settings), "");
    settings = {};
    settings.from_ranks = 2;
    settings.nroots = 3;
    EXPECT_NE(contradiction_in(settings).find("2 ranks cannot have 3 roots"), std::string::npos);
    settings.from_ranks = 3;
    settings.policies.gather = Gather::star;
    EXPECT_NE(contradiction_in(settings).find("one root"), std::string::npos) << contradiction_in(settings);
}

}  // namespace
}  // namespace ronde::prove
