/// What the stories about the machine share: how many seeds, which sizes, and what every ending must look like.
#pragma once

#include "protocol/policy.hpp"
#include "support/tiny_world.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::protocol::tiny {

/// `wanted` seeds in a default run. RONDE_SEED_FACTOR=50 makes it a long one; a sanitizer makes it a short one.
[[nodiscard]] std::uint32_t seeds(std::uint32_t wanted);

/// A plan of `profile` for `nranks` ranks, everything else healthy.
[[nodiscard]] WorldPlan plan_of(Profile profile, std::uint32_t nranks, std::uint32_t nroots, std::uint64_t seed);

/// Everyone ready with the same exact table, no rule of the seam broken.
[[nodiscard]] ::testing::AssertionResult everyone_is_ready(TinyWorld const& world);
/// As above, and every program was run to its end.
[[nodiscard]] ::testing::AssertionResult every_program_is_done(TinyWorld const& world);
/// Nobody hangs: each live rank is ready with the exact table or has an error, and was so by its deadline.
[[nodiscard]] ::testing::AssertionResult everyone_ends(TinyWorld const& world);
/// Everything a failed assertion should print.
[[nodiscard]] std::string story_of(TinyWorld const& world);

/// Follows "rank 2 says it lost 3, 3 says it lost 4" to the end: the rank that `rank`'s error leads to. Gathers around
/// a ring only: there a rank can lose a neighbour that had just heard the verdict, before it hears the verdict itself.
[[nodiscard]] RankId cause_of(TinyWorld const& world, RankId rank);

/// Ranks that a verdict lists.
[[nodiscard]] std::vector<RankId> listed(Verdict const& verdict);

[[nodiscard]] Operation all_gather(std::uint64_t slice_bytes);
[[nodiscard]] Operation barrier();
[[nodiscard]] Operation broadcast(RankId source, std::uint64_t bytes);
[[nodiscard]] Operation send_to(RankId peer, std::uint64_t tag, std::uint64_t bytes);
[[nodiscard]] Operation receive_from(RankId peer, std::uint64_t tag, std::uint64_t bytes);

}  // namespace ronde::protocol::tiny
