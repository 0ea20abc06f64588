/// What all ranks and roots of one run have in common, and how their drivers are made from it.
#pragma once

#include "cli/run_options.hpp"
#include "net/loop.hpp"
#include "net/rank_driver.hpp"
#include "net/root_driver.hpp"

#include <ronde/unique_id.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace ronde::cli {

struct Job {
    RunOptions const& options;
    UniqueId id;
    std::uint32_t nranks = 1;     ///< 0: the first check-in says it (for a process that only holds roots)
    protocol::Policies policies;  ///< resolved where nranks is known
    std::uint64_t host_id = 0;
    protocol::Endpoint listen_at;                        ///< where ranks of this process listen; port 0
    protocol::TimeNs root_budget_ns = protocol::kNever;  ///< how long roots wait when no rank has told its deadline
};

/// A job whose ranks live on this host, next to the root. Throws UsageError for contradictions.
[[nodiscard]] Job local_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks);
/// A job whose root may be anywhere: the interface that leads there is chosen.
/// Throws LauncherError when no interface fits.
[[nodiscard]] Job joined_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks);

/// For a process that only holds roots; `nranks` may be 0.
[[nodiscard]] Job root_job(RunOptions const& options, UniqueId const& id, std::uint32_t nranks);

/// An id with open listeners, as `wanted` or for a run of `options`. Warnings go to standard error. Throws
/// LauncherError.
[[nodiscard]] RootHost create_host(IdOptions const& wanted);
[[nodiscard]] RootHost create_host(RunOptions const& options);

/// Throws LauncherError when the recording cannot begin.
[[nodiscard]] std::unique_ptr<net::RankDriver> make_rank(net::Loop& loop, Job const& job, protocol::RankId rank,
                                                         std::function<void(protocol::Phase)> on_phase);

/// The roots of a run, in the loop of whoever holds them.
class RootSet {
public:
    /// `on_change` is called after every check-in and every report of a finished rank.
    RootSet(net::Loop& loop, Job const& job, std::vector<net::Fd> listeners,
            std::function<void()> const& on_change = {});

    void start();
    /// As if the process that holds the roots had died: nobody is told anything.
    void vanish();
    [[nodiscard]] bool vanished() const noexcept { return drivers_.empty(); }
    /// Everyone who was connected has been told how it ended.
    [[nodiscard]] bool settled() const;

    [[nodiscard]] std::uint32_t checked_in() const;
    [[nodiscard]] std::uint32_t expected() const;
    /// Ranges of ranks that have not checked in anywhere.
    [[nodiscard]] protocol::Verdict missing() const;
    /// The first verdict that is not ok, or ok.
    [[nodiscard]] protocol::Verdict verdict() const;
    /// Sums over the roots, those that vanished included.
    [[nodiscard]] net::Statistics statistics() const;
    [[nodiscard]] std::uint32_t strangers() const;

private:
    std::vector<std::unique_ptr<net::RootDriver>> drivers_;
    net::Statistics gone_;
    std::uint32_t gone_strangers_ = 0;
};

/// Adds counts; times are left alone.
void add_counts(net::Statistics& sum, net::Statistics const& one);

}  // namespace ronde::cli
