/// What is known about a run when it is over, before anything is concluded from it.
#pragma once

#include "cli/rank_record.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ronde::cli {

/// Why there is no record of a rank.
struct Absence {
    enum class Kind : std::uint8_t {
        none,    ///< there is a record
        never,   ///< it was not started, on purpose
        signal,  ///< a signal ended it: `number`
        exit,    ///< it ended by itself without a record: exit status `number`
        hung,    ///< it did not end by its deadline and was ended by the launcher
    };
    Kind kind = Kind::none;
    int number = 0;
};

struct RankFacts {
    /// Not in place: ranks that are forked begin with all that their launcher has.
    std::unique_ptr<RankRecord> record;
    Absence absence;
    /// Where it stood last, known without a record too where ranks share memory with their launcher.
    protocol::Phase phase = protocol::Phase::created;
};

struct RunFacts {
    std::uint32_t nranks = 0;
    std::uint32_t nroots = 1;
    protocol::Profile profile = protocol::Profile::ronde;
    protocol::Gather gather = protocol::Gather::automatic;  ///< resolved
    protocol::TimeNs start_ns = 0;  ///< when all ranks were let go; 0: each rank's own start counts
    std::vector<RankFacts> ranks;
    net::Statistics roots;  ///< of the roots of this process
    std::uint32_t root_strangers = 0;
    bool root_killed = false;
    std::int64_t cpu_ns = 0;           ///< ranks and roots
    std::uint64_t peak_rss_bytes = 0;  ///< of the largest rank; as Usage says
    std::uint64_t own_bytes = 0;       ///< likewise, of those who looked; see own_memory_bytes()
    std::uint64_t all_gather_bytes = 0;
    std::vector<std::string> notes;  ///< one line each, for standard error
};

}  // namespace ronde::cli
