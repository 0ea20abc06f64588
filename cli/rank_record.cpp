#include "cli/rank_record.hpp"

#include <xxhash.h>

#include <sys/resource.h>

#include <bit>
#include <cstring>
#include <vector>

namespace ronde::cli {

std::optional<RankRecord> record_from(std::span<const std::byte> bytes) {
    RankRecord record;
    if (bytes.size() != sizeof record)
        return std::nullopt;
    std::memcpy(&record, bytes.data(), sizeof record);
    if (record.mark != RankRecord::kMark)
        return std::nullopt;
    return record;
}

net::StateDigest table_digest_of(std::span<const protocol::Entry> table) {
    XXH128_hash_t hash;
    if constexpr (std::endian::native == std::endian::little) {
        hash = XXH3_128bits(table.data(), table.size_bytes());  // an entry in memory is an entry on the wire
    } else {
        std::vector<std::byte> bytes(table.size() * protocol::kEntryBytes);
        for (std::size_t i = 0; i < table.size(); ++i)
            protocol::encode_entry(table[i], std::span(bytes).subspan(i * protocol::kEntryBytes));
        hash = XXH3_128bits(bytes.data(), bytes.size());
    }
    return {hash.low64, hash.high64};
}

Usage usage_here() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    auto const ns = [](timeval const& t) {
        return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(t.tv_usec) * 1'000;
    };
    return {ns(usage.ru_utime) + ns(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U};
}

}  // namespace ronde::cli
