/// Chance that can be repeated.
#pragma once

#include "engine/oracle.hpp"

namespace ronde::sim {

/// A pure function of (seed, kind, key, n): the order of the questions does not matter, and two draws with the same
/// name are equal. Its bias is below 2^-32.
class SeededOracle final : public Oracle {
public:
    explicit SeededOracle(std::uint64_t seed) noexcept : seed_(seed) {}
    std::uint32_t pick(Choice kind, std::uint64_t key, std::uint32_t n) override;
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

private:
    std::uint64_t seed_;
};

}  // namespace ronde::sim
