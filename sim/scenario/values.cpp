#include "scenario/values.hpp"

#include "engine/distribution.hpp"
#include "scenario/near.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>

namespace ronde::sim {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array<Unit, 7> kCountUnits{{{"", 1},
                                           {"k", 1'000},
                                           {"M", 1'000'000},
                                           {"G", 1'000'000'000},
                                           {"Ki", 1U << 10},
                                           {"Mi", 1U << 20},
                                           {"Gi", 1U << 30}}};
constexpr std::array<Unit, 8> kSizeUnits{{{"", 1},
                                          {"B", 1},
                                          {"KiB", 1U << 10},
                                          {"MiB", 1U << 20},
                                          {"GiB", 1U << 30},
                                          {"kB", 1'000},
                                          {"MB", 1'000'000},
                                          {"GB", 1'000'000'000}}};
constexpr std::array<Unit, 9> kRateUnits{{{"B/s", 1},
                                          {"kB/s", 1'000},
                                          {"MB/s", 1'000'000},
                                          {"GB/s", 1'000'000'000},
                                          {"KiB/s", 1U << 10},
                                          {"MiB/s", 1U << 20},
                                          {"GiB/s", 1U << 30},
                                          {"Mbit/s", 125'000},
                                          {"Gbit/s", 125'000'000}}};
constexpr std::array<Unit, 2> kShareUnits{{{"%", 10'000}, {"ppm", 1}}};

constexpr std::uint64_t kMostRate = std::uint64_t{1} << 40;

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "1.5k" in these units as a whole number of at most 2^63, digit by digit, or nothing.
std::optional<std::uint64_t> scaled(std::string_view text, std::span<Unit const> units) {
    auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
    auto const end = std::find_if_not(text.begin(), text.end(), [&](char c) { return is_digit(c) || c == '.'; });
    auto const length = static_cast<std::size_t>(end - text.begin());
    std::string_view const digits = text.substr(0, length);
    std::string_view const name = trimmed(text.substr(length));
    auto const unit = std::find_if(units.begin(), units.end(), [&](Unit const& one) { return one.name == name; });
    auto const point = digits.find('.');
    bool const shaped = !digits.empty() && is_digit(digits.front()) && is_digit(digits.back()) &&
                        (point == std::string_view::npos || digits.find('.', point + 1) == std::string_view::npos);
    if (unit == units.end() || !shaped || digits.size() > 24)
        return std::nullopt;

    constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
    std::uint64_t whole = 0;
    for (char const c : digits.substr(0, point)) {
        if (whole > kMost / 10)
            return std::nullopt;
        whole = whole * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (whole > kMost / unit->factor)
        return std::nullopt;
    std::string_view const fraction = point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
    if (fraction.size() > 9)
        return std::nullopt;
    std::uint64_t parts = 0;
    std::uint64_t of = 1;
    for (char const c : fraction) {
        parts = parts * 10 + static_cast<std::uint64_t>(c - '0');
        of *= 10;
    }
    // parts * factor / of, reduced first so that it cannot overflow; what is left over is not sayable in whole units.
    std::uint64_t const common = std::gcd(of, unit->factor);
    std::uint64_t const product = parts * (unit->factor / common);
    if (product % (of / common) != 0)
        return std::nullopt;
    return whole * unit->factor + product / (of / common);
}

/// The value in the largest of these units (listed from small to large) that leaves no remainder.
std::string in_largest(std::uint64_t value, std::span<Unit const> units) {
    for (std::size_t i = units.size(); i-- > 1;) {
        if (value != 0 && value % units[i].factor == 0)
            return fmt::format("{}{}", value / units[i].factor, units[i].name);
    }
    return fmt::format("{}{}", value, units.front().name);
}

/// Parts of a text between commas, trimmed.
std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        auto const comma = text.find(',');
        parts.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

Read<std::uint64_t> count_from(std::string_view text, std::uint64_t least, std::uint64_t most) {
    auto const count = scaled(text, kCountUnits);
    if (!count || *count < least || *count > most)
        return tl::unexpected(fmt::format("'{}' is not a number of {} to {}{}", text, least, most,
                                          count ? "" : "; 98k is 98000, 96Ki is 98304"));
    return *count;
}

std::string count_text(std::uint64_t count) { return fmt::format("{}", count); }

Read<std::uint64_t> size_from(std::string_view text, std::uint64_t least, std::uint64_t most) {
    auto const bytes = scaled(text, kSizeUnits);
    if (!bytes || *bytes < least || *bytes > most)
        return tl::unexpected(fmt::format("'{}' is no size of {} to {}; expected one such as 64, 4KiB or 2.5MB", text,
                                          size_text(least), size_text(most)));
    return *bytes;
}

std::string size_text(std::uint64_t bytes) {
    std::array<Unit, 4> const units{kSizeUnits[0], kSizeUnits[2], kSizeUnits[3], kSizeUnits[4]};
    return in_largest(bytes, units);
}

Read<std::uint64_t> rate_from(std::string_view text) {
    if (text == "0")
        return 0;
    auto const rate = scaled(text, kRateUnits);
    if (!rate || *rate > kMostRate)
        return tl::unexpected(
            fmt::format("'{}' is no rate; expected one such as 10Gbit/s or 1.25GB/s, or 0 for no limit", text));
    return *rate;
}

std::string rate_text(std::uint64_t bytes_per_second) {
    if (bytes_per_second == 0)
        return "0";
    return in_largest(bytes_per_second, std::span(kRateUnits).first(4));
}

Read<std::uint32_t> share_from(std::string_view text) {
    auto const share = text == "0" ? std::optional<std::uint64_t>(0) : scaled(text, kShareUnits);
    if (!share || *share > 1'000'000)
        return tl::unexpected(fmt::format("'{}' is no share; expected 0% to 100%, such as 2%, 0.05% or 300ppm", text));
    return static_cast<std::uint32_t>(*share);
}

std::string share_text(std::uint32_t per_million) {
    std::string text = fmt::format("{}.{:04}", per_million / 10'000, per_million % 10'000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text + "%";
}

Read<TimeNs> time_from(std::string_view text, TimeNs least_ns, TimeNs most_ns, bool never_allowed) {
    if (never_allowed && text == "never")
        return kNever;
    auto const ns = duration_from(text);
    if (!ns || *ns < least_ns || *ns > most_ns)
        return tl::unexpected(fmt::format("'{}' is no duration of {} to {}; expected one such as 20us, 1.5ms or 2s{}",
                                          text, duration_text(least_ns), duration_text(most_ns),
                                          never_allowed ? ", or never" : ""));
    return *ns;
}

std::string time_text(TimeNs time_ns) { return time_ns == kNever ? "never" : duration_text(time_ns); }

Read<bool> flag_from(std::string_view text) {
    if (text == "true" || text == "yes")
        return true;
    if (text == "false" || text == "no")
        return false;
    return tl::unexpected(fmt::format("'{}' is neither true nor false", text));
}

Read<std::vector<RankRange>> ranks_from(std::string_view text) {
    std::vector<RankRange> ranges;
    for (std::string_view const part : parts_of(text)) {
        auto const dash = part.find('-');
        auto const first = count_from(trimmed(part.substr(0, dash)), 0, protocol::kMaxRanks - 1);
        auto const last = dash == std::string_view::npos
                              ? first
                              : count_from(trimmed(part.substr(dash + 1)), 0, protocol::kMaxRanks - 1);
        if (!first || !last || *last < *first)
            return tl::unexpected(
                fmt::format("'{}' is no set of ranks; expected ranks and ranges such as 0-15, 17", text));
        ranges.push_back({static_cast<RankId>(*first), static_cast<std::uint32_t>(*last - *first + 1)});
    }
    auto sorted = ranges;
    std::sort(sorted.begin(), sorted.end(), [](RankRange a, RankRange b) { return a.first < b.first; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i].first < sorted[i - 1].first + sorted[i - 1].count)
            return tl::unexpected(fmt::format("'{}' names rank {} twice", text, sorted[i].first));
    }
    return ranges;
}

std::string ranks_text(std::vector<RankRange> const& ranges) {
    std::string text;
    for (RankRange const& range : ranges) {
        text += text.empty() ? "" : ", ";
        text += range.count == 1 ? fmt::format("{}", range.first)
                                 : fmt::format("{}-{}", range.first, range.first + range.count - 1);
    }
    return text;
}

Read<std::vector<std::uint32_t>> counts_from(std::string_view text, std::uint32_t most) {
    std::vector<std::uint32_t> counts;
    for (std::string_view const part : parts_of(text)) {
        auto const count = count_from(part, 1, most);
        if (!count)
            return tl::unexpected(count.error() + ", in a list such as 8 or 8, 4, 2");
        counts.push_back(static_cast<std::uint32_t>(*count));
    }
    return counts;
}

std::string counts_text(std::vector<std::uint32_t> const& counts) { return fmt::format("{}", fmt::join(counts, ", ")); }

Read<Trigger> trigger_from(std::string_view text) {
    constexpr std::string_view kRank = "rank ";
    constexpr std::string_view kEnters = " enters ";
    auto const enters = text.find(kEnters);
    if (!text.starts_with(kRank) || enters == std::string_view::npos)
        return tl::unexpected(
            fmt::format("'{}' is no moment; expected rank R enters PHASE, such as rank 5 enters gathering", text));
    auto const rank = count_from(trimmed(text.substr(kRank.size(), enters - kRank.size())), 0, protocol::kMaxRanks - 1);
    if (!rank)
        return tl::unexpected(rank.error());
    std::vector<std::string_view> names;
    for (std::uint32_t phase = 0; phase < protocol::kPhaseCount; ++phase)
        names.push_back(name_of(static_cast<protocol::Phase>(phase)));
    std::string_view const name = trimmed(text.substr(enters + kEnters.size()));
    auto const at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
        return tl::unexpected(
            fmt::format("'{}' is no phase; expected {}{}", name, list_text(names), nearest_hint(name, names)));
    Trigger trigger;
    trigger.rank = static_cast<RankId>(*rank);
    trigger.phase = static_cast<protocol::Phase>(at - names.begin());
    return trigger;
}

std::string trigger_text(Trigger const& trigger) {
    if (trigger.rank == kNoRank)
        return {};
    return fmt::format("rank {} enters {}", trigger.rank, name_of(trigger.phase));
}

}  // namespace ronde::sim
