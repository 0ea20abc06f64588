#include "cli/rank_record.hpp"

#include <xxhash.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace ronde::cli {
namespace {

/// The sum of some lines "Name:   123 kB" of a file of /proc, in bytes. 0 when there is no such file or line.
/// Without streams: their locale alone would add to the memory that is measured.
std::uint64_t bytes_in(char const* path, std::initializer_list<std::string_view> names) {
    constexpr std::uint64_t kKibibyte = 1024;
    std::array<char, 8192> room{};
    int const file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t const count = ::read(file, room.data(), room.size());
    ::close(file);
    std::string_view const text(room.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    std::uint64_t sum_bytes = 0;
    for (std::string_view const name : names) {
        std::size_t const line = text.find(name);
        std::size_t const digits = line == std::string_view::npos ? line : text.find_first_of("0123456789", line);
        if (digits == std::string_view::npos)
            continue;
        std::uint64_t amount = 0;
        std::from_chars(text.data() + digits, text.data() + text.size(), amount);
        sum_bytes += amount * kKibibyte;
    }
    return sum_bytes;
}

}  // namespace

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
    // Not ru_maxrss: that remembers the process before its exec, which may have been a large interpreter.
    return {ns(usage.ru_utime) + ns(usage.ru_stime), bytes_in("/proc/self/status", {"VmHWM:"})};
}

std::uint64_t own_memory_bytes() { return bytes_in("/proc/self/smaps_rollup", {"Private_Clean:", "Private_Dirty:"}); }

void forget_peak_rss() noexcept {
    int const file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    constexpr char kPeakRss = '5';
    [[maybe_unused]] ssize_t const written = ::write(file, &kPeakRss, 1);
    ::close(file);
}

}  // namespace ronde::cli
