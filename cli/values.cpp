#include "cli/values.hpp"

#include "cli/usage.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ronde::cli {

using protocol::Phase;
using protocol::TimeNs;

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

/// The number that `text` begins with, and what follows it.
std::optional<std::pair<std::uint64_t, std::string_view>> split_number(std::string_view text) {
    std::uint64_t number = 0;
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end == text.data())
        return std::nullopt;
    return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<std::uint64_t> with_unit(std::string_view text, std::span<const Unit> units, std::uint64_t most) {
    auto const split = split_number(text);
    if (!split)
        return std::nullopt;
    for (Unit const& unit : units) {
        if (split->second == unit.name && split->first <= most / unit.factor)
            return split->first * unit.factor;
    }
    return std::nullopt;
}

std::string list_of(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string no_such(std::string_view what, std::string_view given, std::span<const std::string_view> words) {
    return fmt::format("'{}' is no {}; expected {}{}", given, what, list_of(words), did_you_mean(given, words));
}

constexpr std::array<std::string_view, 5> kFaultForms{"kill:R@PHASE", "stop:R@PHASE", "never:R", "late:R=500ms",
                                                      "kill-root@CHECK-INS"};

Parsed<Phase> parse_fault_phase(std::string_view text) {
    std::vector<std::string_view> names;
    for (std::uint32_t p = 1; p <= static_cast<std::uint32_t>(Phase::ready); ++p) {
        names.push_back(name_of(static_cast<Phase>(p)));
        if (names.back() == text)
            return static_cast<Phase>(p);
    }
    return tl::unexpected(no_such("phase", text, names));
}

}  // namespace

Parsed<TimeNs> parse_duration(std::string_view text) {
    static constexpr std::array<Unit, 6> kUnits{{{"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"h", 3'600'000'000'000}}};
    auto const value = with_unit(text, kUnits, 24 * kUnits.back().factor);
    if (!value || *value == 0)
        return tl::unexpected(fmt::format("'{}' is no duration; expected a number and its unit, such as 250ms, 2s or "
                                          "1m, at most 24h",
                                          text));
    return static_cast<TimeNs>(*value);
}

Parsed<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
    auto const split = split_number(text);
    if (!split || !split->second.empty() || split->first < least || split->first > most)
        return tl::unexpected(fmt::format("'{}' is not a number of {} to {}", text, least, most));
    return split->first;
}

Parsed<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t least, std::uint64_t most) {
    static constexpr std::array<Unit, 5> kUnits{
        {{"", 1}, {"B", 1}, {"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}}};
    auto const value = with_unit(text, kUnits, most);
    if (!value || *value < least)
        return tl::unexpected(fmt::format("'{}' is no size; expected {} to {}, such as 64, 4KiB or 1MiB", text, least,
                                          sim::about_bytes(most)));
    return *value;
}

Parsed<protocol::Profile> parse_profile(std::string_view text) {
    static constexpr std::array<std::string_view, 3> kNames{"article", "nccl", "ronde"};
    if (auto const profile = protocol::profile_named(text))
        return *profile;
    return tl::unexpected(no_such("profile", text, kNames));
}

Parsed<protocol::Gather> parse_gather(std::string_view text) {
    using protocol::Gather;
    static constexpr std::array<std::string_view, 5> kNames{"auto", "star", "doubling", "ring", "ring2"};
    static constexpr std::array<Gather, 5> kValues{Gather::automatic, Gather::star, Gather::doubling, Gather::ring,
                                                   Gather::ring2};
    auto const at = std::find(kNames.begin(), kNames.end(), text);
    if (at == kNames.end())
        return tl::unexpected(no_such("gather", text, kNames));
    return kValues[static_cast<std::size_t>(at - kNames.begin())];
}

Parsed<protocol::RankRange> parse_rank_range(std::string_view text) {
    auto const dash = text.find('-');
    auto const first = parse_count(text.substr(0, dash), 0, protocol::kMaxRanks - 1);
    auto const last =
        dash == std::string_view::npos ? first : parse_count(text.substr(dash + 1), 0, protocol::kMaxRanks - 1);
    if (!first || !last || *last < *first)
        return tl::unexpected(
            fmt::format("'{}' is no rank; expected a number such as 7, or a range such as 3-5", text));
    return protocol::RankRange{static_cast<protocol::RankId>(*first), static_cast<protocol::RankId>(*last)};
}

Parsed<std::vector<std::uint64_t>> parse_devices(std::string_view text) {
    std::vector<std::uint64_t> devices;
    for (;;) {
        auto const comma = text.find(',');
        auto const device = parse_count(text.substr(0, comma), 0, 1'000'000'000);
        if (!device)
            return tl::unexpected(device.error() + " in a list such as 0,1,2,3");
        devices.push_back(*device);
        if (comma == std::string_view::npos)
            return devices;
        text.remove_prefix(comma + 1);
    }
}

Parsed<Fault> parse_fault(std::string_view text) {
    auto const bad = [&](std::string const& why) { return tl::unexpected(fmt::format("'{}': {}", text, why)); };
    Fault fault;
    fault.text = text;
    if (text.rfind("kill-root@", 0) == 0) {
        auto const count = parse_count(text.substr(10), 0, protocol::kMaxRanks);
        if (!count)
            return bad(count.error());
        fault.kind = Fault::Kind::kill_root;
        fault.check_ins = static_cast<std::uint32_t>(*count);
        return fault;
    }
    auto const colon = text.find(':');
    std::string_view const kind = text.substr(0, colon);
    std::string_view const rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    auto const mark = rest.find_first_of("@=");
    auto const ranks = parse_rank_range(rest.substr(0, mark));
    std::string_view const argument = mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
    char const sign = mark == std::string_view::npos ? ' ' : rest[mark];

    if ((kind == "kill" || kind == "stop") && sign == '@') {
        fault.kind = kind == "kill" ? Fault::Kind::kill : Fault::Kind::stop;
        auto const phase = parse_fault_phase(argument);
        if (!phase)
            return bad(phase.error());
        fault.phase = *phase;
    } else if (kind == "never" && sign == ' ') {
        fault.kind = Fault::Kind::never;
    } else if (kind == "late" && sign == '=') {
        fault.kind = Fault::Kind::late;
        auto const delay = parse_duration(argument);
        if (!delay)
            return bad(delay.error());
        fault.delay_ns = *delay;
    } else {
        return tl::unexpected(fmt::format("'{}' is no fault; expected {}", text, list_of(kFaultForms)));
    }
    if (!ranks)
        return bad(ranks.error());
    fault.ranks = *ranks;
    return fault;
}

std::string ranks_text(std::vector<protocol::RankId> const& sorted) {
    std::string text;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t last = i;
        while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1)
            ++last;
        text += text.empty() ? "" : ", ";
        text += last == i ? fmt::format("{}", sorted[i]) : fmt::format("{}-{}", sorted[i], sorted[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace ronde::cli
