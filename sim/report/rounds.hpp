/// Who tells whom what, and what each rank then knows: the article's picture of a ring, for any small world.
#pragma once

#include "world/observer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ronde::sim {

/// Worlds up to this size fit on a page.
inline constexpr std::uint32_t kMostRoundRanks = 32;

/// Watches which entries arrive where, and puts them in rounds: the n-th that a rank hears on a hand of a ring, the
/// chord of a doubling gather, or the root's own answer.
class RoundTable final : public Observer {
public:
    /// At most kMostRoundRanks ranks (checked).
    explicit RoundTable(WorldPlan const& plan);
    void on_step(StepSeen const& seen) override;

    /// For people; ends with a newline.
    [[nodiscard]] std::string text() const;

private:
    /// One rank has learned entries.
    struct Lesson {
        std::uint32_t round = 0;  ///< 0: from the root
        TimeNs at_ns = 0;
        ProcessId from = kNoProcess;
        RankId to = kNoRank;
        RankId first = 0;
        std::uint32_t count = 0;
        std::uint32_t known = 0;  ///< bit per entry that `to` then has
    };

    [[nodiscard]] std::uint32_t round_of(StepSeen const& seen);
    [[nodiscard]] std::string entries(RankId first, std::uint32_t count) const;
    [[nodiscard]] std::string known_text(std::uint32_t known) const;
    [[nodiscard]] std::string round_text(std::uint32_t round) const;

    std::uint32_t nranks_;
    std::uint32_t nroots_;
    bool ring_ = false;                 ///< the gather goes around hand in hand
    std::vector<std::uint32_t> known_;  ///< of each rank
    std::vector<std::uint32_t> heard_;  ///< lessons of each rank on each of its two hands
    std::vector<Lesson> lessons_;
};

}  // namespace ronde::sim
