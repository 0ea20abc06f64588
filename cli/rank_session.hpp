/// One rank in a loop of its own, from its start to its record.
#pragma once

#include "cli/job.hpp"
#include "cli/rank_record.hpp"

#include <functional>
#include <optional>

namespace ronde::cli {

class RankSession {
public:
    /// `loop` and `job` must outlive the session.
    RankSession(net::Loop& loop, Job const& job, protocol::RankId rank,
                std::function<void(protocol::Phase)> on_phase = {});

    /// Bootstraps and then does what --barrier and --all-gather ask for. Returns when that is done, when the rank has
    /// failed, or at `until_ns`; false for the latter.
    bool run(protocol::TimeNs until_ns);
    /// Ends the rank in order; afterwards nothing of it is open.
    void leave();

    [[nodiscard]] net::RankDriver& driver() noexcept { return *driver_; }
    [[nodiscard]] RankRecord record() const;
    /// Gathers the records of all ranks over the ring. Nothing when that failed.
    [[nodiscard]] std::optional<std::vector<RankRecord>> gather_records(protocol::TimeNs until_ns);

private:
    bool operate(protocol::Operation const& operation, std::span<std::byte> buffer, protocol::TimeNs until_ns);
    bool run_barriers(protocol::TimeNs until_ns);
    bool run_all_gathers(protocol::TimeNs until_ns);

    net::Loop& loop_;
    Job const& job_;
    protocol::RankId const rank_;
    protocol::TimeNs start_ns_ = 0;
    protocol::Phase last_phase_ = protocol::Phase::created;
    std::unique_ptr<net::RankDriver> driver_;
    RankRecord record_;
};

/// The byte that stands at `at` of rank `rank`'s slice in all-gather number `round`.
[[nodiscard]] constexpr std::byte slice_byte(protocol::RankId rank, std::uint32_t round, std::size_t at) {
    return static_cast<std::byte>((rank * 131U + round * 29U + at) & 0xffU);
}
void fill_slice(std::span<std::byte> slice, protocol::RankId rank, std::uint32_t round);
/// Slices of `buffer` that do not hold what their rank put there.
[[nodiscard]] std::uint32_t wrong_slices(std::span<const std::byte> buffer, std::uint32_t nranks, std::uint32_t round);

}  // namespace ronde::cli
