/// A small job of real sockets: its ranks and roots in one loop of this process, over the loopback.
#pragma once

#include "net/loop.hpp"
#include "net/rank_driver.hpp"
#include "net/root_driver.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ronde::mutants {

struct LoopbackPlan {
    std::uint32_t nranks = 3;
    std::uint32_t nroots = 1;
    protocol::Policies policies = protocol::policies_of(protocol::Profile::ronde);
    protocol::TimeNs budget_ns = 4 * protocol::kSecondNs;
    std::optional<protocol::RankId> absent;                  ///< never starts
    std::optional<protocol::RankId> twin_of;                 ///< a second process claims this rank
    std::optional<protocol::RankId> dies;                    ///< cut without a word ...
    protocol::Phase dies_in = protocol::Phase::checking_in;  ///< ... as soon as it is in this phase
    bool one_device = false;                                 ///< the last two ranks claim the same
    bool silent_stranger = false;                            ///< somebody calls the root and says nothing
    std::string record_directory;                            ///< empty: nothing is recorded
};

/// Throws std::runtime_error where this machine has no loopback, no descriptors, or no room for recordings.
class LoopbackJob {
public:
    explicit LoopbackJob(LoopbackPlan plan);

    /// From the start until each rank is ready or has ended; one second beyond the deadline it is left alone.
    void run();

    enum class End : std::uint8_t { ready, failed, hanging };
    struct RankEnd {
        protocol::RankId rank = 0;
        End end = End::hanging;
        protocol::Verdict verdict;
    };
    /// Of all that were there and did not die; the twin is not among them.
    [[nodiscard]] std::vector<RankEnd> ends() const;
    /// Whether each table that is said to be ready is what the ranks registered.
    [[nodiscard]] bool tables_are_right() const;

private:
    [[nodiscard]] std::unique_ptr<net::RankDriver> make_rank(protocol::RankId rank, std::uint64_t incarnation);
    [[nodiscard]] protocol::Entry entry_of(protocol::RankId rank, std::uint64_t incarnation) const;
    [[nodiscard]] bool over() const;

    LoopbackPlan const plan_;
    protocol::Secret secret_{};
    net::Loop loop_;
    std::vector<net::Endpoint> root_endpoints_;
    std::vector<std::unique_ptr<net::RootDriver>> roots_;
    std::vector<std::unique_ptr<net::RankDriver>> ranks_;
    std::unique_ptr<net::RankDriver> twin_;
    net::Fd stranger_;
    bool death_is_due_ = false;
};

}  // namespace ronde::mutants
