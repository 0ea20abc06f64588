#include "engine/oracle.hpp"

#include "engine/draw.hpp"
#include "engine/function_oracle.hpp"
#include "engine/seeded_oracle.hpp"
#include "protocol/check.hpp"

#include <algorithm>
#include <array>

namespace ronde::sim {

namespace {

constexpr std::array<std::string_view, kChoices> kNames{"order",   "delay", "loss",  "arrival", "straggler",
                                                        "service", "chunk", "fault", "victim",  "stranger",
                                                        "port",    "seed",  "nonce", "other"};

}  // namespace

std::string_view name_of(Choice kind) noexcept {
    auto const index = static_cast<std::size_t>(kind);
    return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<Choice> choice_named(std::string_view name) noexcept {
    auto const found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<Choice>(found - kNames.begin());
}

Oracle::~Oracle() = default;

std::uint32_t Oracle::pick_among(Choice kind, std::uint64_t key, std::span<const std::uint64_t> actors) {
    return pick(kind, key, static_cast<std::uint32_t>(actors.size()));
}

std::uint64_t pick_bits(Oracle& oracle, Choice kind, std::uint64_t key) {
    std::uint64_t const upper = oracle.pick(kind, key, 1U << 22U);
    std::uint64_t const middle = oracle.pick(kind, key + 1, 1U << 21U);
    std::uint64_t const lower = oracle.pick(kind, key + 2, 1U << 21U);
    return upper << 42U | middle << 21U | lower;
}

std::uint32_t SeededOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "SeededOracle::pick: expected n >= 1");
    // n takes part by its size alone: the same bits, cut into n pieces.
    return static_cast<std::uint32_t>(below(draw(seed_, static_cast<std::uint64_t>(kind), key), n));
}

std::uint32_t FunctionOracle::pick(Choice kind, std::uint64_t key, std::uint32_t n) {
    RONDE_CHECK(n >= 1, "FunctionOracle::pick: expected n >= 1");
    if (n == 1)
        return 0;
    std::uint32_t const picked = function_(kind, key, n);
    RONDE_CHECK(picked < n, "FunctionOracle::pick: the function's choice must be below n");
    return picked;
}

}  // namespace ronde::sim
