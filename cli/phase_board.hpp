/// Memory that forked ranks share with their launcher: where each of them stands, readable after a sudden death too.
#pragma once

#include "protocol/units.hpp"

#include <atomic>
#include <cstddef>
#include <span>

namespace ronde::cli {

class PhaseBoard {
public:
    /// Throws LauncherError when there is no memory.
    explicit PhaseBoard(std::uint32_t ranks);
    ~PhaseBoard();
    PhaseBoard(PhaseBoard const&) = delete;
    PhaseBoard& operator=(PhaseBoard const&) = delete;

    /// Called by the rank itself.
    void enter(protocol::RankId rank, protocol::Phase phase) noexcept;
    /// The last phase of a healthy life that `rank` entered.
    [[nodiscard]] protocol::Phase of(protocol::RankId rank) const noexcept;

private:
    /// A cache line for each rank, so that ranks do not slow each other down.
    struct alignas(64) Place {
        std::atomic<protocol::Phase> phase;
    };
    static_assert(std::atomic<protocol::Phase>::is_always_lock_free);

    std::span<Place> places_;
};

}  // namespace ronde::cli
