/// What one rank reports when it is done: plain bytes that travel through the launcher's pipe or over the ring.
#pragma once

#include "cli/run_options.hpp"
#include "net/recorder.hpp"
#include "net/statistics.hpp"
#include "protocol/entry.hpp"
#include "protocol/error.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

namespace ronde::cli {

struct RankRecord {
    static constexpr std::uint64_t kMark = 0x32'6472'6f63'6572ULL;  ///< tells records of this layout
    std::uint64_t mark = kMark;
    protocol::RankId rank = protocol::kNoRank;
    std::uint32_t was_ready = 0;  ///< 1: the ring stood and the table was complete
    std::uint32_t nranks = 0;
    std::uint32_t wrong_slices = 0;  ///< slices of all-gathers that held other bytes than they should
    net::StateDigest table_digest;   ///< XXH3-128 of the table's bytes; when was_ready
    protocol::Phase last_phase = protocol::Phase::created;  ///< the last one of a healthy life that was entered
    std::uint64_t host_id = 0;
    protocol::TimeNs start_ns = 0;
    net::Statistics statistics;
    protocol::Verdict verdict;  ///< how it ended; ok when all went well
    std::int64_t cpu_ns = 0;    ///< of this process so far
    std::uint64_t peak_rss_bytes = 0;
    std::uint64_t own_bytes = 0;  ///< see own_memory_bytes(); 0: not looked up
    std::uint32_t all_gathers = 0;
    std::uint32_t barriers = 0;
    std::array<protocol::TimeNs, kMaxRepeats> all_gather_ns{};
    std::array<protocol::TimeNs, kMaxRepeats> barrier_ns{};

    [[nodiscard]] bool ok() const { return was_ready != 0 && verdict.error.is_ok() && wrong_slices == 0; }
};
static_assert(std::is_trivially_copyable_v<RankRecord> && sizeof(RankRecord) <= 4088);

[[nodiscard]] inline std::span<const std::byte> bytes_of(RankRecord const& record) {
    return std::as_bytes(std::span(&record, 1));
}
/// Nothing when the bytes are no record of this build.
[[nodiscard]] std::optional<RankRecord> record_from(std::span<const std::byte> bytes);

/// XXH3-128 of the entries' bytes as they stand on the wire.
[[nodiscard]] net::StateDigest table_digest_of(std::span<const protocol::Entry> table);

/// What this process has used so far.
struct Usage {
    std::int64_t cpu_ns = 0;
    /// Most memory that was ever resident, pages included that other processes have too: code, libraries, and what a
    /// launcher that forked it left to it.
    std::uint64_t peak_rss_bytes = 0;
};
[[nodiscard]] Usage usage_here();

/// Memory of this process that no other one shares, now: what would be free without it. 0: the kernel does not say.
/// To find out takes milliseconds.
[[nodiscard]] std::uint64_t own_memory_bytes();

/// Begins the count of peak_rss_bytes anew. A forked process inherits it from its parent, whatever it needs itself.
void forget_peak_rss() noexcept;

}  // namespace ronde::cli
