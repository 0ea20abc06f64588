/// A whole job in one process and one loop: its roots and ranks, over the loopback.
#pragma once

#include "net/loop.hpp"
#include "net/rank_driver.hpp"
#include "net/root_driver.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ronde::net::test {

struct JobPlan {
    std::uint32_t nranks = 1;
    std::uint32_t nroots = 1;
    protocol::Policies policies = protocol::policies_of(protocol::Profile::ronde);
    TimeNs budget_ns = 20 * protocol::kSecondNs;
    std::size_t max_io_bytes = 0;
    std::string record_directory;
    std::uint32_t pending_limit = 64;
    Family family = Family::ipv4;
    std::uint64_t mailbox_bytes = std::uint64_t{64} << 20;
    std::vector<protocol::RankId> absent;  ///< ranks that never start
    bool root_knows_size = true;           ///< otherwise the first check-in says it
    std::vector<std::uint32_t> told;       ///< by rank: how many ranks it believes in; missing ones are told the truth
    std::vector<std::uint64_t> devices;    ///< by rank; missing ones have a device of their own
    std::function<void(protocol::RankId, protocol::Phase)> on_phase;
};

class SmallJob {
public:
    explicit SmallJob(JobPlan plan);

    /// Starts all that are not absent and runs until each of them is ready or finished.
    void boot();
    void start();
    void start_rank(protocol::RankId rank);
    /// Runs until `done` or for at most `patience_ns`; the answer is whether it is done.
    bool run_until(std::function<bool()> const& done, TimeNs patience_ns = 60 * protocol::kSecondNs);
    /// Cuts a rank's connections without a word, as its death would.
    void kill(protocol::RankId rank) { ranks[rank].reset(); }

    [[nodiscard]] bool all_ready() const;
    [[nodiscard]] bool all_finished() const;
    [[nodiscard]] bool roots_settled() const;
    /// Each living rank's table equals rank by rank what the ranks registered.
    [[nodiscard]] bool tables_are_right() const;
    /// "rank 3: failed: …" for each that failed; for messages of tests.
    [[nodiscard]] std::string complaints() const;
    /// Every living rank closes; runs until all are finished.
    void close();

    /// All ranks run `operation` (buffers by rank) until it is over everywhere.
    void operate_all(std::function<protocol::Operation(protocol::RankId)> const& operation,
                     std::vector<std::vector<std::byte>>& buffers);

    JobPlan const plan;
    protocol::Secret secret{};
    std::vector<Endpoint> root_endpoints;
    Loop loop;
    std::vector<std::unique_ptr<RootDriver>> roots;
    std::vector<std::unique_ptr<RankDriver>> ranks;

    [[nodiscard]] protocol::RootConfig root_config(std::uint32_t index) const;
    [[nodiscard]] protocol::RankConfig rank_config(protocol::RankId rank) const;
    [[nodiscard]] protocol::Entry entry_of(protocol::RankId rank) const;
    [[nodiscard]] std::unique_ptr<RankDriver> make_rank(protocol::RankId rank);
};

/// Descriptors that this process has open.
[[nodiscard]] std::size_t open_descriptor_count();

/// A folder of its own under the system's place for such, removed with everything in it at the end.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(ScratchFolder const&) = delete;
    ScratchFolder& operator=(ScratchFolder const&) = delete;
    ScratchFolder(ScratchFolder&&) = delete;
    ScratchFolder& operator=(ScratchFolder&&) = delete;
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace ronde::net::test
