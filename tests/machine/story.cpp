#include "machine/story.hpp"

#include "support/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace ronde::protocol::tiny {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// A broken invariant of the machine ends the process; say in which story that was.
void print_last_world(int) {
    TinyWorld const* const world = TinyWorld::last();
    if (world == nullptr)
        return;
    std::string const text = world->tail() + world->summary();
    std::fputs(text.c_str(), stderr);
}

bool const listening_for_abort = [] {
    std::signal(SIGABRT, print_last_world);
    return true;
}();

Operation operation_of(OperationKind kind, RankId peer, std::uint64_t tag, std::uint64_t bytes) {
    Operation operation;
    operation.kind = kind;
    operation.peer = peer;
    operation.tag = tag;
    operation.slice_bytes = bytes;
    return operation;
}

}  // namespace

std::uint32_t seeds(std::uint32_t wanted) {
    char const* const factor = std::getenv("RONDE_SEED_FACTOR");
    if (factor != nullptr)
        return wanted * static_cast<std::uint32_t>(std::strtoul(factor, nullptr, 10));
    return kSanitized ? std::max(1U, wanted / 5U) : wanted;
}

WorldPlan plan_of(Profile profile, std::uint32_t nranks, std::uint32_t nroots, std::uint64_t seed) {
    WorldPlan plan;
    plan.nranks = nranks;
    plan.nroots = nroots;
    plan.policies = policies_of(profile);
    plan.seed = seed;
    plan.budget_ns = 10 * kSecondNs;
    return plan;
}

std::string story_of(TinyWorld const& world) {
    return world.broken_rule().empty() ? world.tail() + world.summary() : world.broken_rule();
}

::testing::AssertionResult everyone_is_ready(TinyWorld const& world) {
    if (!world.broken_rule().empty())
        return ::testing::AssertionFailure() << world.broken_rule();
    if (world.all_ready_with_equal_tables())
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "not everyone is ready with the exact table\n" << story_of(world);
}

::testing::AssertionResult every_program_is_done(TinyWorld const& world) {
    ::testing::AssertionResult ready = everyone_is_ready(world);
    if (!ready)
        return ready;
    for (RankId r = 0; r < world.plan().nranks; ++r) {
        Node const& node = world.rank(r);
        bool const done = node.operations_done == node.plan.program.size() && node.rank.error().is_ok() &&
                          (!node.plan.closes || node.rank.phase() == Phase::closed);
        if (!done)
            return ::testing::AssertionFailure() << "rank " << r << " has work left\n" << story_of(world);
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult everyone_ends(TinyWorld const& world) {
    if (!world.broken_rule().empty())
        return ::testing::AssertionFailure() << world.broken_rule();
    for (RankId r = 0; r < world.plan().nranks; ++r) {
        Node const& node = world.rank(r);
        if (!node.alive || !node.started)
            continue;
        bool const failed = node.rank.phase() == Phase::failed && !node.rank.error().is_ok();
        bool const well = node.was_ready && world.table_is_exact(r);
        if (!failed && !well) {
            return ::testing::AssertionFailure() << "rank " << r << " is neither ready nor failed with an error\n"
                                                 << story_of(world);
        }
        if (node.settled_ns > node.started_ns + world.plan().budget_ns) {
            return ::testing::AssertionFailure()
                   << "rank " << r << " ended at " << words_of_time(node.settled_ns) << ", after its deadline\n"
                   << story_of(world);
        }
    }
    return ::testing::AssertionSuccess();
}

RankId cause_of(TinyWorld const& world, RankId rank) {
    RankId named = world.rank(rank).rank.error().about;
    bool const ring = world.plan().policies.gather == Gather::ring || world.plan().policies.gather == Gather::ring2;
    for (std::uint32_t i = 0; ring && i < world.plan().nranks && named < world.plan().nranks; ++i) {
        Node const& node = world.rank(named);
        if (!node.alive || node.rank.error().is_ok())
            break;
        named = node.rank.error().about;
    }
    return named;
}

std::vector<RankId> listed(Verdict const& verdict) {
    std::vector<RankId> ranks;
    for (std::uint32_t i = 0; i < verdict.range_count; ++i) {
        for (RankId r = verdict.ranges[i].first; r <= verdict.ranges[i].last; ++r)
            ranks.push_back(r);
    }
    return ranks;
}

Operation all_gather(std::uint64_t slice_bytes) {
    return operation_of(OperationKind::all_gather, kNoRank, 0, slice_bytes);
}
Operation barrier() { return operation_of(OperationKind::barrier, kNoRank, 0, 0); }
Operation broadcast(RankId source, std::uint64_t bytes) {
    return operation_of(OperationKind::broadcast, source, 0, bytes);
}
Operation send_to(RankId peer, std::uint64_t tag, std::uint64_t bytes) {
    return operation_of(OperationKind::send, peer, tag, bytes);
}
Operation receive_from(RankId peer, std::uint64_t tag, std::uint64_t bytes) {
    return operation_of(OperationKind::receive, peer, tag, bytes);
}

}  // namespace ronde::protocol::tiny
