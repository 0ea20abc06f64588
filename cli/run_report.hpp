/// Conclusions from the facts of a run: verdict, times per phase, and who is to blame.
#pragma once

#include "cli/run_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ronde::cli {

struct PhaseTimes {
    protocol::Phase phase = protocol::Phase::created;
    std::uint32_t ranks = 0;  ///< that were in it
    protocol::TimeNs min_ns = 0;
    protocol::TimeNs median_ns = 0;
    protocol::TimeNs max_ns = 0;
    protocol::RankId slowest_rank = protocol::kNoRank;
};

/// One rank that did not end well.
struct RankFailure {
    protocol::RankId rank = 0;
    protocol::Phase phase = protocol::Phase::created;  ///< where it stood
    std::string code;  ///< name of a protocol::Code, or killed, exited, hung, never_started, wrong_data
    protocol::RankId about = protocol::kNoRank;
    std::string message;
    std::string remedy;
    protocol::Error error;  ///< code ok when it left no verdict
};

/// Several ranks that say the same.
struct FailureGroup {
    std::vector<protocol::RankId> ranks;
    std::string message;
    std::string remedy;
    bool culprit = false;  ///< ranks that caused it rather than told of it
};

struct RunReport {
    bool ready = false;
    std::string table_digest;  ///< empty when nobody was ready
    bool digests_differ = false;
    protocol::TimeNs time_to_table_ns = 0;  ///< start to the last rank's table; 0 unless every rank had it
    protocol::TimeNs time_to_ready_ns = 0;
    std::vector<PhaseTimes> phases;
    std::uint64_t messages = 0;  ///< frames sent by ranks and roots
    std::uint64_t bytes = 0;     ///< handed to the kernel by ranks and roots
    std::uint64_t strangers = 0;
    std::uint64_t retries = 0;           ///< connections that had to be made again
    protocol::TimeNs all_gather_ns = 0;  ///< median over the repeats of the slowest rank's time
    protocol::TimeNs barrier_ns = 0;
    std::uint32_t all_gathers = 0;
    std::uint32_t barriers = 0;
    std::vector<RankFailure> errors;   ///< by rank
    std::vector<FailureGroup> groups;  ///< culprits first
};

[[nodiscard]] RunReport conclude(RunFacts const& facts);

/// For people; ends with a newline. The failure part comes alone, for standard error.
[[nodiscard]] std::string report_text(RunFacts const& facts, RunReport const& report);
[[nodiscard]] std::string failure_text(RunFacts const& facts, RunReport const& report);
/// One JSON object and a newline; docs/cli.md has the table of keys.
[[nodiscard]] std::string report_json(RunFacts const& facts, RunReport const& report);

}  // namespace ronde::cli
